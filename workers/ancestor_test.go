package workers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
)

// askedHashes counts how often a network is asked for the hash of a block.
type askedHashes struct {
	chains.Scanner
	times int
}

func (a *askedHashes) Hash(ctx context.Context, height int64) (string, error) {
	a.times++
	return a.Scanner.Hash(ctx, height)
}

// TestAReorganisationIsMeasuredByFewQuestions: the follower goes back to the very block where the chains part. A deep reorganisation
// costs it a dozen questions, not one for each block: every one would have to be answered in one step.
func TestAReorganisationIsMeasuredByFewQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	_, err := w.chain.Mine(t.Context(), "Tron", 120)
	require.NoError(t, err)
	w.work()
	tron, ok := w.registry.Network("Tron")
	require.True(t, ok)
	asked := &askedHashes{Scanner: tron.Scanner}
	tron.Scanner = asked
	for _, depth := range []int{1, 2, 3, 4, 6, 7, 8, 25, 50, 100} {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			head := w.count("select max(height) from chain_blocks")
			_, err := w.chain.Reorg(t.Context(), "Tron", depth)
			require.NoError(t, err)
			asked.times = 0
			w.round()
			require.Equal(t, head-depth, w.count("select max(height) from chain_blocks"), "the last block that both chains have")
			require.LessOrEqual(t, asked.times, 13)
			w.work()
			require.GreaterOrEqual(t, w.count("select max(height) from chain_blocks"), head)
		})
	}
}

// behind is a node some blocks behind the one telling heads and blocks: it has no hash of these.
type behind struct {
	chains.Scanner
	has int64
}

func (b *behind) Hash(ctx context.Context, height int64) (string, error) {
	if height > b.has {
		return "", nil
	}
	return b.Scanner.Hash(ctx, height)
}

// TestANodeThatIsBehindDeepensNoReorganisation: a block missing at a node has not left the chain. Final payments stay where one block
// is reorganised, and nothing is undone until the node has caught up.
func TestANodeThatIsBehindDeepensNoReorganisation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "10")
	w.pays("Tron", "USDT", p.Wallet, "10")
	w.mine("Tron", 12)
	head := w.count("select max(height) from chain_blocks")
	tron, ok := w.registry.Network("Tron")
	require.True(t, ok)
	node := &behind{Scanner: tron.Scanner, has: 1}
	tron.Scanner = node
	_, err := w.chain.Reorg(t.Context(), "Tron", 1)
	require.NoError(t, err)
	w.round()
	require.Equal(t, head, w.count("select max(height) from chain_blocks"))
	require.Contains(t, w.followerError("Tron"), "has no block there yet")
	w.equal("10", w.balance("USDT").Available)
	node.has = int64(head) + 9
	w.mine("Tron", 2)
	require.Empty(t, w.followerError("Tron"))
	w.equal("10", w.balance("USDT").Available)
	require.Zero(t, w.count("select count(*) from deliveries where event = 'payment_reversed'"))
}
