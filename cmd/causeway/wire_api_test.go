package main

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/testkit"
	"causeway/pay"
	"causeway/store"
)

// TestNoAddressBeforeANetworkIsFollowed: a network that is followed from its head on gives out no address before its first
// step, since what would be paid there is never seen; one that is followed from a block on, and one that was followed, do.
//
// Covers addendum §8: A real network is followed from its head on
func TestNoAddressBeforeANetworkIsFollowed(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	var networks []*chains.Network
	for name, start := range map[string]int64{"Ethereum": -1, "Polygon": 0} {
		n, ok := pay.NetworkNamed(name)
		require.True(t, ok)
		networks = append(networks, &chains.Network{Network: *n, StartAt: start})
	}
	registry, err := chains.NewRegistry(networks...)
	require.NoError(t, err)
	front := frontAddresses{registry, store.New(db), &sync.Map{}}
	supports := func(network string) bool {
		supported, err := front.Supports(t.Context(), network)
		require.NoError(t, err)
		return supported
	}
	require.True(t, supports("Polygon"))
	require.False(t, supports("Bitcoin"))
	require.False(t, supports("Ethereum"))
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	_, err = front.Supports(gone, "Ethereum")
	require.ErrorIs(t, err, context.Canceled, "that it could not be asked is no answer")
	_, err = db.NewRaw("insert into chain_blocks values ('Ethereum', 7, 'h', 'p')").Exec(t.Context())
	require.NoError(t, err)
	require.True(t, supports("Ethereum"))
}
