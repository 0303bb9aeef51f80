package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// late is a network whose blocks are final only with 100 more above them than are remembered, as those of rollups are.
type late struct{ chains.Scanner }

func (l late) Head(ctx context.Context, followed int64) (chains.Head, error) {
	h, err := l.Scanner.Head(ctx, followed)
	h.Final = max(0, min(h.Final, h.Height-store.Window-100))
	return h, err
}

// finalLate has a network's blocks be final late.
func (w *world) finalLate(network string) *chains.Network {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	n.Scanner = late{n.Scanner}
	return n
}

// mineMany adds blocks, followed a hundred at a time.
func (w *world) mineMany(network string, blocks int) {
	w.t.Helper()
	_, err := w.chain.Mine(w.t.Context(), network, blocks)
	require.NoError(w.t, err)
	for range 2 {
		w.work()
	}
}

// completedThere is a node on a fork with our transactions final and paid.
type completedThere struct{ chains.Watcher }

func (c completedThere) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := c.Watcher.Status(ctx, txids)
	for txid := range all {
		all[txid] = chains.TxStatus{State: chains.TxMined, Height: 15, Block: "dead", Final: true}
	}
	return all, err
}

// lostThere is a node on a fork with our transactions in no block.
type lostThere struct{ chains.Watcher }

func (l lostThere) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := l.Watcher.Status(ctx, txids)
	for txid := range all {
		all[txid] = chains.TxStatus{State: chains.TxMissing}
	}
	return all, err
}

// The block of a transaction stays known until it is final, also where finality comes later than blocks are remembered. So a node on
// a dead fork can neither have a paid payout refunded nor sent again, and an operator sees the disagreement of nodes.
//
// Covers addendum §7: For a payout the chain
func TestALateFinalityBelievesNoOtherChain(t *testing.T) {
	t.Parallel()
	for name, node := range map[string]func(chains.Watcher) chains.Watcher{
		"reverted":  func(well chains.Watcher) chains.Watcher { return revertedThere{well} },
		"elsewhere": func(well chains.Watcher) chains.Watcher { return completedThere{well} },
		"lost":      func(well chains.Watcher) chains.Watcher { return lostThere{well} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n := w.finalLate("Ethereum")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.work()
			w.mineMany("Ethereum", 390)
			require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'mined'"))
			well := n.Watcher
			n.Watcher = node(well)
			w.mineMany("Ethereum", 20)
			require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
			require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'mined'"))
			require.Contains(t, w.followerError("Ethereum"), "nodes disagree: transaction ")
			require.Equal(t, 0, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
			n.Watcher = well
			w.work()
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			require.Empty(t, w.followerError("Ethereum"))
			require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'final' and block is null and height is not null"))
			w.equal("50", w.paidTo("Ethereum", destination))
		})
	}
}

// Nor is an unpaid payout completed.
//
// Covers addendum §7: For a payout the chain
func TestALateFinalityCompletesNothingThatWasNotPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n := w.finalLate("Ethereum")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	_, err := w.chain.Mine(t.Context(), "Ethereum", 1)
	require.NoError(t, err)
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 1, *w.payoutNow(p.ID).Txid)
	require.NoError(t, err)
	w.faults("Ethereum", "broadcast", "down")
	well := n.Watcher
	n.Watcher = completedThere{well}
	w.mineMany("Ethereum", 500)
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	require.Contains(t, w.followerError("Ethereum"), "nodes disagree: transaction ")
	n.Watcher = well
	w.faults("Ethereum", "broadcast", "")
	w.mineMany("Ethereum", 5)
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	w.mineMany("Ethereum", 500)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// A transaction told by no node while its block was remembered is settled later: as soon as a node with the block followed last says
// which block is there, and not by a node on a fork.
//
// Covers addendum §7: For a payout the chain
func TestABlockThatIsForgottenIsAskedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n := w.finalLate("Ethereum")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	well := n.Watcher
	n.Watcher = lostThere{well}
	w.mineMany("Ethereum", 400)
	n.Watcher = well
	two := &twoNodes{Scanner: n.Scanner, dead: true, first: 1}
	n.Scanner = onlyBelow{n.Scanner, two}
	w.mineMany("Ethereum", 50)
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	require.Contains(t, w.followerError("Ethereum"), "which is no longer remembered")
	two.dead = false
	w.work()
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Empty(t, w.followerError("Ethereum"))
	w.equal("50", w.paidTo("Ethereum", destination))
}

// onlyBelow is an address with two nodes behind it: one answers about what is below a block, the other everything else.
type onlyBelow struct {
	chains.Scanner
	below chains.Scanner
}

func (o onlyBelow) HashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	return o.below.HashBelow(ctx, top, height)
}
