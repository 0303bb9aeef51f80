package workers_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// counted counts the blocks of a network that its node has told.
type counted struct {
	chains.Scanner
	blocks int
}

func (s *counted) Blocks(ctx context.Context, from int64, most int) ([]chains.Block, error) {
	blocks, err := s.Scanner.Blocks(ctx, from, most)
	s.blocks += len(blocks)
	return blocks, err
}

// A follower that is behind, with blocks full of transfers to us, has each block told about once, and asks for many again when few
// come.
func TestBlocksAreNotReadAgainAndAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.workers.Follow.Pace.Arrivals = 2
	n, _ := w.registry.Network("Tron")
	node := &counted{Scanner: n.Scanner}
	n.Scanner = node
	p := w.payin("Tron", "USDT", "40")
	mine := func(blocks int) {
		_, err := w.chain.Mine(t.Context(), "Tron", blocks)
		require.NoError(t, err)
	}
	for i := range 40 {
		w.pays("Tron", "USDT", p.Wallet, "1."+strconv.Itoa(i))
		mine(1)
	}
	mine(3)
	for range 25 {
		w.round()
	}
	require.Equal(t, 40, w.count("select count(*) from transfers where status = 'final' and payin_id = ?", p.ID))
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Less(t, node.blocks, 43+2*43, "the first step is told all 43, and takes two")

	before := node.blocks
	mine(150)
	for range 8 {
		w.round()
	}
	require.Equal(t, 150, node.blocks-before)
	require.Equal(t, 0, w.count("select count(*) from followers f, sandbox_networks n where f.network = n.network and f.final < n.height - 3"))
}
