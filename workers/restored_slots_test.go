package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
)

// A copy of the books is put back on the server that runs all the while, as a dump is. What was signed after it is in the mempool, and
// no chain counts it: it is not signed a second time.
func TestBooksPutBackOnTheSameServerSignNothingTwice(t *testing.T) {
	t.Parallel()
	for network, c := range map[string]struct{ token, funds, amount, to string }{
		"Tron":    {"USDT", "100", "50", tronPayee},
		"Bitcoin": {"BTC", "100", "5", coinPayees[0]},
	} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, network)
			w.fund(network, c.token, c.funds)
			if network == "Bitcoin" {
				w.splitCoins() // a second signature would find another coin
			}
			p := w.payout(network, c.token, c.amount, c.to)
			backup := testkit.Copy(t)
			w.work()
			require.Len(t, w.signedFor(p), 1)

			r := w.restoredThatMayDiffer(backup)
			r.work()
			r.unsigned(p)
			r.mine(network, 6)
			n, _ := r.registry.Network(network)
			head, err := n.Scanner.Head(t.Context(), -1)
			require.NoError(t, err)
			held, err := n.Holder.Holdings(t.Context(), c.token, []string{n.Addresser.Match(c.to)}, head.Height)
			require.NoError(t, err)
			r.equal(c.amount, held[0])
			require.Equal(t, 1, r.count("select count(*) from stopped_wallets where network = ?", network))
		})
	}
}
