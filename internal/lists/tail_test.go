package lists_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/lists"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// If a delivery's transaction commits after the one of a later number, the delivery is not missed, and none is answered
// twice.
func TestNewDeliveriesInAnyOrderOfCommits(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	ctx := t.Context()
	shop, other := tailMerchant(t, s), tailMerchant(t, s)
	add := func(ctx context.Context, s *store.Store, merchant uuid.UUID) uuid.UUID {
		d := pay.Delivery{ID: uuid.Must(uuid.NewV7()), MerchantID: merchant, Subject: uuid.New(), Event: pay.PaymentConfirmed,
			URL: "https://x.test", Body: []byte("{}")}
		require.NoError(t, s.AddDeliveries(ctx, []pay.Delivery{d}))
		return d.ID
	}
	var tail lists.DeliveryTail
	fresh := func() (ids []uuid.UUID) {
		rows, err := lists.NewDeliveries(ctx, s, shop, &tail)
		require.NoError(t, err)
		for _, d := range rows {
			ids = append(ids, d.ID)
		}
		return ids
	}
	add(ctx, s, shop)
	require.Empty(t, fresh(), "what was there before")

	var early, late uuid.UUID
	require.NoError(t, s.InTx(ctx, func(tx *store.Store) error {
		early = add(ctx, tx, shop)
		late = add(ctx, s, shop) // commits at once
		add(ctx, s, other)
		require.Equal(t, []uuid.UUID{late}, fresh())
		return nil
	}))
	require.Equal(t, []uuid.UUID{early}, fresh())
	first, second := add(ctx, s, shop), add(ctx, s, shop)
	require.Equal(t, []uuid.UUID{first, second}, fresh())
	require.Empty(t, fresh())
}

func tailMerchant(t *testing.T, s *store.Store) uuid.UUID {
	t.Helper()
	m := &pay.Merchant{ID: uuid.Must(uuid.NewV7()), Name: "Shop", WebhookSecret: []byte("sealed"), InactivityDays: 180, RevokeNoticeDays: 30}
	require.NoError(t, s.AddMerchant(t.Context(), m))
	return m.ID
}
