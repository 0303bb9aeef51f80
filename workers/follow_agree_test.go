package workers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// twoNodes is one address with two nodes behind it. The head is told by the well one; while dead, blocks and hashes come from one on
// a fork left by the other, with a payment to somebody in it.
type twoNodes struct {
	chains.Scanner
	dead  bool
	first int64 // of the fork
	pays  chains.Transfer
}

func (n *twoNodes) hash(height int64, hash string) string {
	if height < n.first {
		return hash
	}
	return "dead " + hash
}

// Blocks returns the blocks of the fork, as long as the chain.
func (n *twoNodes) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	blocks, err := n.Scanner.Blocks(ctx, from, limit)
	for i := range blocks {
		if b := &blocks[i]; n.dead && b.Height >= n.first {
			b.Hash, b.Parent = n.hash(b.Height, b.Hash), n.hash(b.Height-1, b.Parent)
			if b.Height == n.first {
				b.Transfers = []chains.Transfer{n.pays}
			}
		}
	}
	return blocks, err
}

// Hash returns the hash of a block of the fork.
func (n *twoNodes) Hash(ctx context.Context, height int64) (string, error) {
	hash, err := n.Scanner.Hash(ctx, height)
	if !n.dead {
		return hash, err
	}
	return n.hash(height, hash), err
}

// HashBelow answers for the fork when top is in it, and else for the chain.
func (n *twoNodes) HashBelow(ctx context.Context, top chains.Mark, height int64) (string, error) {
	if hash, err := n.Hash(ctx, top.Height); err != nil || hash != top.Hash {
		return "", err
	}
	return n.Hash(ctx, height)
}

// strand has one of two nodes of a network stay on a fork beginning with the next block, with a payment of 1000 USDT to an address.
func (w *world) strand(network, to string) *twoNodes {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	head, err := n.Scanner.Head(w.t.Context(), -1)
	require.NoError(w.t, err)
	two := &twoNodes{Scanner: n.Scanner, dead: true, first: head.Height + 1,
		pays: chains.Transfer{Txid: "phantom", Token: "USDT", From: "x", To: n.Addresser.Match(to), Amount: dec("1000")}}
	n.Scanner = two
	return two
}

func (w *world) followerError(network string) (problem string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw("select coalesce(error, '') from followers where network = ?", network).Scan(w.t.Context(), &problem))
	return problem
}

// The node telling the head says whether a block is deep enough: for blocks of another chain this means nothing.
//
// Covers addendum §8: Confirmations count for
func TestNothingIsCreditedWhileNodesDisagree(t *testing.T) {
	t.Parallel()
	for _, blocks := range []int{4, 60} {
		t.Run(fmt.Sprint(blocks), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			p, own := w.payin("Ethereum", "USDT", "1000"), w.payin("Ethereum", "USDT", "70")
			two := w.strand("Ethereum", p.Wallet)
			_, err := w.chain.Mine(t.Context(), "Ethereum", blocks)
			require.NoError(t, err)
			w.pays("Ethereum", "USDT", own.Wallet, "70")
			w.mine("Ethereum", 4)
			require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
			w.equal("0", w.balance("USDT").Available.Add(w.balance("USDT").Locked))
			require.Contains(t, w.followerError("Ethereum"), "nodes disagree: block ")
			two.dead = false
			w.work()
			w.mine("Ethereum", 1)
			require.Empty(t, w.followerError("Ethereum"))
			require.Equal(t, pay.PayinCompleted, w.payinNow(own.ID).Status)
			w.equal("70", w.balance("USDT").Available)
			require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
		})
	}
}

// aheadBy is one address with two nodes behind it; the one telling the head has another network's height.
type aheadBy struct {
	chains.Scanner
	blocks int64
}

// Head tells nothing of the blocks it is ahead by, as a node asked one question at a time does.
func (n *aheadBy) Head(ctx context.Context, followed int64) (chains.Head, error) {
	h, err := n.Scanner.Head(ctx, followed)
	h.Height, h.Credit, h.Final = h.Height+n.blocks, h.Credit+n.blocks, h.Final+n.blocks
	return h, err
}

// A block is as deep as there are readable blocks above it, whatever height the head has.
//
// Covers addendum §8: Blocks that a head names
func TestNothingIsCreditedByBlocksThatAreNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "70")
	n, _ := w.registry.Network("Ethereum")
	ahead := &aheadBy{n.Scanner, 1000}
	n.Scanner = ahead
	w.pays("Ethereum", "USDT", p.Wallet, "70")
	w.mine("Ethereum", 1)
	w.mine("Ethereum", 0)
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	w.equal("0", w.balance("USDT").Available.Add(w.balance("USDT").Locked))
	ahead.blocks = 0
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	w.equal("70", w.balance("USDT").Available)
}

// revertedThere is a node on a fork with our transactions final and without effect.
type revertedThere struct{ chains.Watcher }

// Status answers for the fork.
func (r revertedThere) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := r.Watcher.Status(ctx, txids)
	for txid, now := range all {
		all[txid] = chains.TxStatus{State: chains.TxReverted, Height: now.Height, Block: "dead", Final: true}
	}
	return all, err
}

// A node's word on a transaction counts for the followed chain only.
func TestAPayoutIsNotRefundedForWhatAnotherChainSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	n, _ := w.registry.Network("Ethereum")
	well := n.Watcher
	n.Watcher = revertedThere{well}
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	n.Watcher = well
	w.work()
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// A payout is not completed while the node that says how far blocks are final has another chain than the followed one.
//
// Covers addendum §8: Confirmations count for
func TestAPayoutIsNotCompletedWhileNodesDisagree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	two := w.strand("Ethereum", destination)
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	two.dead = false
	w.work()
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// lagging is a node without the newest blocks told by another one.
type lagging struct {
	chains.Scanner
	by int64
}

// Blocks returns the blocks of this node.
func (l lagging) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	head, err := l.Head(ctx, -1)
	if err != nil {
		return nil, err
	}
	return l.Scanner.Blocks(ctx, from, int(min(int64(limit), max(0, head.Height-l.by-from+1))))
}

// disputed is a network with nodes that contradict each other above a block.
type disputed struct {
	chains.Scanner
	agreed int64
	says   string
}

// Head is the network's, lowered as a connector does it.
func (d disputed) Head(ctx context.Context, followed int64) (chains.Head, error) {
	h, err := d.Scanner.Head(ctx, followed)
	h.Agreed, h.Dispute = &d.agreed, d.says
	return h, err
}

// What the nodes of a network do not agree upon is neither credited by the rule nor early, and the operator is told.
//
// Covers operator §Settings: If two nodes contradict each other
func TestNothingIsCreditedAboveWhatNodesAgreeUpon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	honest := n.Scanner
	head, err := honest.Head(t.Context(), -1)
	require.NoError(t, err)
	n.Scanner = disputed{honest, head.Height, "nodes disagree: a test says so"}
	p := w.payin("Ethereum", "USDT", "70")
	w.pays("Ethereum", "USDT", p.Wallet, "70")
	w.mine("Ethereum", 100)
	w.equal("0", w.balance("USDT").Locked)
	w.equal("0", w.balance("USDT").Available)
	require.Equal(t, "nodes disagree: a test says so", w.followerError("Ethereum"))
	n.Scanner = honest
	w.mine("Ethereum", 1)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	w.equal("70", w.balance("USDT").Available)
	require.Empty(t, w.followerError("Ethereum"))
}

// A node always lagging behind the one telling the head, or forgotten blocks, do not keep agreed blocks from being credited: the
// lagging node's confirmations count.
func TestCreditedUpToWhatIsAgreed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.Scanner = lagging{n.Scanner, 3}
	p := w.payin("Ethereum", "USDT", "70")
	w.pays("Ethereum", "USDT", p.Wallet, "70")
	w.exec("delete from chain_blocks where height < (select max(height) from chain_blocks)")
	w.mine("Ethereum", 3)
	w.equal("0", w.balance("USDT").Locked)
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	w.equal("70", w.balance("USDT").Available)
}
