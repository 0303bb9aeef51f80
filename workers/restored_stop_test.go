package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/workers/guard"
)

// Restored books may have a stop in them. Where the chain is ahead of its nonces, addresses are left out and the audit says so, once in
// each run of the server, however far the chain rises.
func TestBooksRestoredWithAStopSkipAddresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ours, chain int64
		more        string
		skips       int
	}{
		"a broken seal":             {0, 0, "broken_seal = gen_random_uuid()", 1},
		"a forgotten former wallet": {0, 1, "forgotten_at = now()", 1},
		"an earlier stop":           {0, 1, "at = now() - interval '1 day'", 1},
		"a stop as far":             {0, 2, "skipped_in = 'another'", 1},
		"a stop with more of ours":  {2, 1, "skipped_in = 'another'", 1},
		"a stop of this run":        {0, 1, "skipped_in = books_run()", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			for range 2 {
				p := w.payout("Ethereum", "USDT", "10", destination)
				w.work()
				w.mine("Ethereum", 4)
				require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			}
			n, _ := w.registry.Network("Ethereum")
			w.exec("insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', ?, ?, ?)", n.Hot, c.ours, c.chain)
			w.exec("update stopped_wallets set " + c.more)
			w.exec("update signing_nonces set next = 0") // the books are those of a backup
			before := w.count("select last_value from address_index")
			for rises := range 3 {
				w.exec("update stopped_wallets set chain = greatest(0, chain - ?)", rises)
				require.ErrorIs(t, w.workers.Guard.CheckWallet(t.Context(), n), guard.ErrWalletStopped)
				require.Equal(t, before+c.skips*100_000, w.count("select last_value from address_index"))
				require.Equal(t, c.skips, w.count("select count(*) from audit where action = 'wallet.stop'"))
			}
			require.Equal(t, 1, w.count("select count(*) from stopped_wallets where ours = 0 and chain = 2 and forgotten_at is null"))
		})
	}
}
