package workers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
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
