package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
)

// watching has the tokens watched by a connector.
type watching struct {
	chains.TokenBook
	bySymbol map[string]chains.Token
}

func (k *watching) Watch(tokens ...chains.Token) error {
	for _, t := range tokens {
		k.bySymbol[t.Symbol] = t
	}
	return nil
}

func (k *watching) Watched() int { return len(k.bySymbol) }

// addedMeanwhile is a node so slow with the first blocks that a token is added and paid before they come.
type addedMeanwhile struct {
	chains.Scanner
	add     func()
	watched func() int
	reads   []int // the tokens watched at the begin of each read
}

func (a *addedMeanwhile) Blocks(ctx context.Context, from int64, most int) ([]chains.Block, error) {
	a.reads = append(a.reads, a.watched())
	blocks, err := a.Scanner.Blocks(ctx, from, most)
	if len(a.reads) == 1 {
		a.add()
	}
	return blocks, err
}

// TestBlocksAreReadAgainForATokenThatCame: a payment of a token in blocks read before the token was watched would never be seen,
// since the follower does not come back to them.
//
// Covers operator §Admin: Every role watches
func TestBlocksAreReadAgainForATokenThatCame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	k := &watching{bySymbol: map[string]chains.Token{}}
	n.Tokens = k
	w.mine("Ethereum", 1)
	require.Contains(t, k.bySymbol, "USDT")
	before := k.Watched()
	node := &addedMeanwhile{Scanner: n.Scanner, watched: k.Watched, add: func() {
		_, err := (&admin.Admin{Store: w.store, Actor: "ops"}).AddToken(t.Context(),
			admin.NewToken{Network: "Ethereum", Contract: newContract, Name: "FOO", Decimals: 6, Pays: true})
		require.NoError(t, err)
	}}
	n.Scanner = node
	w.mine("Ethereum", 1)
	require.Equal(t, []int{before, before + 1}, node.reads[:2])
	require.Equal(t, newContract, k.bySymbol["FOO"].Contract)
	head := w.count("select max(height) from chain_blocks")
	w.mine("Ethereum", 1)
	require.Equal(t, head+1, w.count("select max(height) from chain_blocks"))
}
