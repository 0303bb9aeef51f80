package store_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// A simulated installation has its fixed price again after a pin is cleared, however often it was pinned. With live
// sources it has none, since they drop the fixed table.
func TestAClearedPinGivesTheFixedPriceBack(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	now := func() *pay.Price {
		p, err := s.PriceForUpdate(t.Context(), "BTC", "USD")
		require.NoError(t, err)
		return p
	}
	pin := func(price int64) {
		require.NoError(t, s.PinPrice(t.Context(), &pay.Price{Base: "BTC", Quote: "USD", Price: decimal.NewFromInt(price)}))
		require.Equal(t, []any{"operator", true}, []any{now().Source, now().Pinned})
	}
	was := now()
	require.Equal(t, "fixed", was.Source)
	pin(1)
	pin(2)
	require.NoError(t, s.ClearPrice(t.Context(), now()))
	require.Equal(t, []any{"fixed", false, was.Price.String()}, []any{now().Source, now().Pinned, now().Price.String()})
	has, err := s.HasFixedPrices(t.Context())
	require.NoError(t, err)
	require.True(t, has)

	pin(3)
	_, err = s.DropFixedPrices(t.Context())
	require.NoError(t, err)
	require.Equal(t, "3", now().Price.String())
	require.NoError(t, s.ClearPrice(t.Context(), now()))
	require.Nil(t, now(), "live sources bring the next price")
}

// A price of no table is gone when it is cleared.
func TestAClearedPinOverNothingIsGone(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	p := &pay.Price{Base: "BTC", Quote: "BRL", Price: decimal.NewFromInt(300000)}
	require.NoError(t, s.PinPrice(t.Context(), p))
	require.NoError(t, s.ClearPrice(t.Context(), p))
	found, err := s.PriceForUpdate(t.Context(), "BTC", "BRL")
	require.NoError(t, err)
	require.Nil(t, found)
}
