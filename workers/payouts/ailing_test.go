package payouts

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
)

// TestAnAilingNodeHoldsFewWorkers: after a node did not answer, two ask it and the others fail at once, until it has
// answered; other networks notice nothing.
func TestAnAilingNodeHoldsFewWorkers(t *testing.T) {
	t.Parallel()
	var s nodes
	down := fmt.Errorf("prepare: %w", chains.ErrDown)
	for range 100 {
		require.True(t, s.enter("Ethereum"), "a node that was well")
	}
	s.leave("Ethereum", down, time.Second)
	require.False(t, s.enter("Ethereum"))
	require.True(t, s.enter("Tron"))
	for range 98 {
		s.leave("Ethereum", down, time.Second)
	}
	require.True(t, s.enter("Ethereum")) // with the last one of the hundred
	require.False(t, s.enter("Ethereum"))
	asked := false
	require.ErrorIs(t, s.ask("Ethereum", func() error { asked = true; return nil }), chains.ErrDown)
	require.False(t, asked)

	s.leave("Ethereum", errors.New("payouts of USDT are stopped"), time.Millisecond)
	require.True(t, s.enter("Ethereum"))
	require.False(t, s.enter("Ethereum"), "a failure before the node was asked shows nothing")
	s.leave("Ethereum", nil, time.Second)
	for range 10 {
		require.True(t, s.enter("Ethereum"), "it has answered")
	}
	s.leave("Ethereum", nil, slowNode+1)
	require.False(t, s.enter("Ethereum"), "it answers, slowly")
}

// TestAPanicHoldsNoPlaceAtANode: a panicked call no longer asks, so a node ailing afterwards is asked again.
func TestAPanicHoldsNoPlaceAtANode(t *testing.T) {
	t.Parallel()
	var s nodes
	for range askAiling {
		require.Panics(t, func() { _ = s.ask("Ethereum", func() error { panic("of a connector") }) })
	}
	require.ErrorIs(t, s.ask("Ethereum", func() error { return chains.ErrDown }), chains.ErrDown)
	asked := false
	require.NoError(t, s.ask("Ethereum", func() error { asked = true; return nil }))
	require.True(t, asked)
}
