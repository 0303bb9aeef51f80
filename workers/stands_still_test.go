package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// frozen is a node without its peers: it answers at once, and always with the chain as it was then.
type frozen struct {
	chains.Scanner
	head chains.Head
}

func (n *frozen) Head(context.Context, int64) (chains.Head, error)           { return n.head, nil }
func (n *frozen) Blocks(context.Context, int64, int) ([]chains.Block, error) { return nil, nil }

// freeze has the node of a network stand still, with a best block of some age, where blocks are expected every five minutes.
func (w *world) freeze(network string, age time.Duration) (n *chains.Network, thaw func()) {
	w.t.Helper()
	n, _ = w.registry.Network(network)
	well := n.Scanner
	var followed int64
	require.NoError(w.t, w.db.NewRaw("select max(height) from chain_blocks where network = ?", network).Scan(w.t.Context(), &followed))
	head, err := well.Head(w.t.Context(), followed)
	require.NoError(w.t, err)
	head.Time = time.Now().Add(-age)
	n.Scanner, n.StaleAfter = &frozen{well, head}, 5*time.Minute
	return n, func() { n.Scanner = well }
}

// A payment in time lies in blocks missing at a node standing still: nobody is told of a failure, and no wallet is revoked, until the
// node has them; and somebody is told that the network stands still.
//
// Covers addendum §8: No payin fails before
// Covers addendum §8: A node whose newest block
func TestANodeThatStandsStillFailsNoPayin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "1")
	wallet := w.wallet("Ethereum", "customer-7")
	_, thaw := w.freeze("Ethereum", 10*time.Minute)
	w.pays("Ethereum", "ETH", p.Wallet, "1")
	w.pays("Ethereum", "ETH", wallet.Wallet, "2")
	w.mineUnseen("Ethereum", 4)
	w.exec("update wallets set revoke_at = now() - interval '2 minutes'")
	w.exec("update payins set expires_at = now() - interval '2 minutes'")
	w.tryToFollow()
	w.expireNow()
	w.only(t.Context(), tasks.RevokeWallets)
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status, "it was paid in time")
	require.Zero(t, w.count("select count(*) from wallets where status = 'STATUS_REVOKED'"), "it was paid in time")
	h, err := (&admin.Admin{Store: w.store}).Health(t.Context())
	require.NoError(t, err)
	require.Len(t, h.Troubles(), 1)
	require.Regexp(t, `^Ethereum is failing: the newest block of its node, \d+, is 10m\ds old: the node stands still, or lags \(stale_after: 5m0s\)\. `+
		`1 expired payin waits for it to be followed\.$`, h.Troubles()[0].What)

	thaw()
	w.mine("Ethereum", 4)
	h, err = (&admin.Admin{Store: w.store}).Health(t.Context())
	require.NoError(t, err)
	require.Empty(t, h.Troubles())
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.NotContains(t, w.receiver.got(), "payment_failed:failed")
	require.Zero(t, w.count("select count(*) from wallets where status = 'STATUS_REVOKED'"))
}

// The age of the newest block limits the known time of a network only where it tells something: not while the block is young, not
// where the operator allows blocks of any age, and not on a simulated network. Nothing is known from a block of a time to come.
func TestHowOldTheNewestBlockMayBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age     time.Duration
		allowed time.Duration
		problem string
		known   string // up to when, as a condition on passed_until
	}{
		"young": {4 * time.Minute, 5 * time.Minute, "", "> now() - interval '1 minute'"},
		"old": {10 * time.Minute, 5 * time.Minute, "old: the node stands still",
			"between now() - interval '11 minutes' and now() - interval '10 minutes'"},
		"seldom blocks":       {10 * time.Minute, 30 * time.Minute, "", "> now() - interval '1 minute'"},
		"any age":             {1000 * time.Hour, 0, "", "> now() - interval '1 minute'"},
		"a little to come":    {-4 * time.Minute, 5 * time.Minute, "", "> now() - interval '1 minute'"},
		"to come":             {-10 * time.Minute, 5 * time.Minute, "ahead of the database's clock", "is null"},
		"as old as Unix time": {time.Since(time.Unix(0, 0)), 5 * time.Minute, "old: the node stands still", "< now() - interval '50 years'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			n, _ := w.freeze("Ethereum", c.age)
			n.StaleAfter = c.allowed
			w.exec("update followers set passed_until = null")
			w.tryToFollow()
			if c.problem == "" {
				require.Empty(t, w.followerError("Ethereum"))
			} else {
				require.Contains(t, w.followerError("Ethereum"), c.problem)
			}
			require.Equal(t, 1, w.count("select count(*) from followers where passed_until "+c.known))
		})
	}
}

// A node standing still below the followed blocks takes back nothing already known, and is told of too.
func TestANodeThatStandsStillBelowWhatWasFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.freeze("Ethereum", 10*time.Minute)
	n.Scanner = &slower{n.Scanner, 3}
	w.exec("update followers set passed_until = now() - interval '7 minutes'")
	w.tryToFollow()
	require.Contains(t, w.followerError("Ethereum"), "old: the node stands still")
	require.Equal(t, 1, w.count("select count(*) from followers where passed_until < now() - interval '7 minutes'"))
}

// Transfers in a node's blocks are credited and final by its rule, however old the blocks are.
func TestANodeThatStandsStillCreditsWhatItHas(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "1")
	w.pays("Ethereum", "ETH", p.Wallet, "1")
	w.mineUnseen("Ethereum", 4)
	n, _ := w.registry.Network("Ethereum")
	n.Scanner, n.StaleAfter = old{n.Scanner}, 5*time.Minute
	w.work()
	require.Contains(t, w.followerError("Ethereum"), "old: the node stands still")
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	w.equal("1", w.balance("ETH").Available)
}

// old is a node whose newest block is ten minutes old.
type old struct{ chains.Scanner }

func (o old) Head(ctx context.Context, followed int64) (chains.Head, error) {
	h, err := o.Scanner.Head(ctx, followed)
	h.Time = time.Now().Add(-10 * time.Minute)
	return h, err
}

// A network followed far behind its head, without a fault, is a trouble: payments there are seen late.
func TestANetworkThatIsFollowedLateIsATrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	for lag, want := range map[int]int{100: 0, 101: 1} {
		w.exec("update followers set updated_at = now(), head = ? + (select max(height) from chain_blocks where network = 'Tron')", lag)
		h, err := (&admin.Admin{Store: w.store}).Health(t.Context())
		require.NoError(t, err)
		require.Len(t, h.Troubles(), want, lag)
		for _, told := range h.Troubles() {
			require.Equal(t, admin.Trouble{What: "Tron is 101 blocks behind, so payments there are seen late.", Page: "networks"}, told)
		}
	}
}
