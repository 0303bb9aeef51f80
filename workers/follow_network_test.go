package workers_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/workers/follow"
)

// failingScanner is a node with something going wrong before it, through no failure of the node.
type failingScanner struct {
	chains.Scanner
	fails func() error
}

// Head implements chains.Scanner.
func (f *failingScanner) Head(ctx context.Context, last int64) (chains.Head, error) {
	if err := f.fails(); err != nil {
		return chains.Head{}, err
	}
	return f.Scanner.Head(ctx, last)
}

// The reason for a fruitless step is shown with its network until one succeeds; being told to stop is no failure.
func TestWhyANetworkIsNotFollowedIsShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, _ := w.registry.Network("Tron")
	scanner := &failingScanner{Scanner: n.Scanner}
	n.Scanner = scanner
	for _, c := range []struct {
		fails func() error
		shown string
	}{
		{func() error { return errors.New("a balance is missing") }, "head of Tron: a balance is missing"},
		{func() error { panic("an index") }, "panic: an index"},
		{func() error { return chains.ErrDown }, "head of Tron: " + chains.ErrDown.Error()},
	} {
		scanner.fails = c.fails
		w.follow(t.Context())
		require.Equal(t, c.shown, w.followerError("Tron"))
		scanner.fails = func() error { return nil }
		w.follow(t.Context())
		require.Empty(t, w.followerError("Tron"))
	}
	stopping, stop := context.WithCancel(t.Context())
	scanner.fails = func() error { stop(); return context.Canceled }
	w.follow(stopping)
	require.Empty(t, w.followerError("Tron"))
	scanner.fails = func() error { return nil }
	w.follow(t.Context())
	require.Empty(t, w.followerError("Tron"))
}

// shortScanner returns a few blocks at once, as where each is large.
type shortScanner struct {
	chains.Scanner
	most int
}

// Blocks implements chains.Scanner.
func (s *shortScanner) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	return s.Scanner.Blocks(ctx, from, min(limit, s.most))
}

// A connector that returns fewer blocks than there are is asked for the rest at once, with payments to us among them or not. One block
// short of the head waits for the next look: the node that told the head may be ahead of the other.
func TestTheRestOfTheBlocksIsReadAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.mine("Tron", 2)
	w.workers.Follow.Pace = follow.Pace{Busy: time.Hour, Idle: time.Hour}
	p := w.payin("Tron", "USDT", "5")
	n, _ := w.registry.Network("Tron")
	scanner := &shortScanner{n.Scanner, 4}
	n.Scanner = scanner
	_, err := w.chain.Mine(t.Context(), "Tron", 6)
	require.NoError(t, err)
	w.pays("Tron", "USDT", p.Wallet, "5")
	_, err = w.chain.Mine(t.Context(), "Tron", 6)
	require.NoError(t, err)
	due := func() int {
		return w.count("select count(*) from jobs where kind = 'network.follow' and run_at <= now()")
	}
	for _, want := range []int{1, 1, 0} { // nothing of ours, our payin, and the head
		w.follow(t.Context())
		require.Equal(t, want, due())
	}
	scanner.most = 1
	_, err = w.chain.Mine(t.Context(), "Tron", 2)
	require.NoError(t, err)
	w.follow(t.Context())
	require.Zero(t, due())
}

// lateScanner has a block mined before it reads any, and keeps how many it was asked for.
type lateScanner struct {
	chains.Scanner
	mine   func()
	limits []int
}

// Blocks implements chains.Scanner.
func (s *lateScanner) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	s.limits = append(s.limits, limit)
	s.mine()
	return s.Scanner.Blocks(ctx, from, limit)
}

// A step asks for the blocks up to its head, and for none if the head is followed. A block that comes meanwhile, with a payment to us, is the
// next step's.
func TestAStepAsksUpToItsHead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.mine("Tron", 2)
	p := w.payin("Tron", "USDT", "5")
	n, _ := w.registry.Network("Tron")
	scanner := &lateScanner{Scanner: n.Scanner}
	n.Scanner = scanner
	mine := func(blocks int) func() {
		return func() {
			_, err := w.chain.Mine(t.Context(), "Tron", blocks)
			require.NoError(t, err)
		}
	}
	height := func() int { return w.count("select max(height) from chain_blocks where network = 'Tron'") }
	w.follow(t.Context())
	require.Empty(t, scanner.limits)
	before := height()
	mine(3)()
	scanner.mine = func() {
		w.pays("Tron", "USDT", p.Wallet, "5")
		mine(1)()
	}
	w.follow(t.Context())
	require.Equal(t, []int{3}, scanner.limits)
	require.Equal(t, before+3, height())
	scanner.mine = func() {}
	w.follow(t.Context())
	require.Equal(t, []int{3, 1}, scanner.limits)
	require.Equal(t, before+4, height())
	require.Equal(t, 1, w.count("select count(*) from transfers where payin_id is not null"))
}
