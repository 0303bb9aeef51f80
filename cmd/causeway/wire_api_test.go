package main

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// TestNoAddressBeforeANetworkIsFollowed: a live network gives out no address before its first step, wherever it begins,
// since a payment there may never be seen; a simulated network, and a followed one, do.
//
// Covers addendum §8: A real network is followed from its head on
func TestNoAddressBeforeANetworkIsFollowed(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	var networks []*chains.Network
	for _, n := range []chains.Network{{Kind: "evm", StartAt: -1, Network: pay.Network{Name: "Ethereum"}},
		{Kind: "evm", StartAt: 21_000_000, Network: pay.Network{Name: "Base"}}, {Kind: chains.Sandbox, Network: pay.Network{Name: "Polygon"}}} {
		networks = append(networks, &n)
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
	require.False(t, supports("Base"), "the blocks from its start on may not be there any more, or not yet")
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	_, err = front.Supports(gone, "Ethereum")
	require.ErrorIs(t, err, context.Canceled, "that it could not be asked is no answer")
	_, err = db.NewRaw("insert into chain_blocks values ('Ethereum', 7, 'h', 'p')").Exec(t.Context())
	require.NoError(t, err)
	require.True(t, supports("Ethereum"))
}

// TestTheContractThatIsWatchedIsTold: where the networks file names another contract than the catalogue, payers are told the
// watched one, and no payout goes to it.
func TestTheContractThatIsWatchedIsTold(t *testing.T) {
	t.Parallel()
	ethereum, _ := pay.NetworkNamed("Ethereum")
	registry, err := chains.NewRegistry(&chains.Network{Network: *ethereum, Kind: "evm"})
	require.NoError(t, err)
	own := "0x1111111111111111111111111111111111111111"
	live := []*chains.Configured{{Name: "Ethereum", Tokens: map[string]chains.Token{"USDT": {Contract: own, Decimals: 6}}}}
	books := store.New(testkit.DB(t))
	told := map[string]string{}
	c, err := offered{books, registry, live}.Catalogue(t.Context())
	require.NoError(t, err)
	for _, token := range c.Tokens {
		told[token.Symbol] = token.Contract
	}
	tokens, err := books.Tokens(t.Context())
	require.NoError(t, err)
	for _, token := range tokens {
		if token.Network == "Ethereum" && token.Symbol != "USDT" {
			require.Equal(t, token.Contract, told[token.Symbol], token.Symbol)
		}
	}
	require.Equal(t, own, told["USDT"])
	require.NotEmpty(t, told["USDC"])
}
