package ledger_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/store"
)

// TestWhatIsOutdatedIsNotRecorded: payouts that were checked by other revisions than those of now are not decided, not even as refused.
func TestWhatIsOutdatedIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := oneWorld(t, 1)
	m, asset, one := w.merchants[0], w.assets[0], decimal.NewFromInt(1)
	w.fund(t, m, asset, "100")
	now, err := w.store.Revisions(t.Context())
	require.NoError(t, err)
	for _, seen := range []store.Revisions{
		{Catalogue: now.Catalogue - 1, Access: now.Access}, {Catalogue: now.Catalogue, Access: now.Access + 1}, {Access: now.Access - 1},
	} {
		items := []store.PayoutItem{itemOf(w, m, asset, "r", one), itemOf(w, m, asset, "s", decimal.NewFromInt(1000))}
		_, err := w.store.RecordConfirmed(t.Context(), items, seen)
		require.ErrorIs(t, err, store.ErrUnconfirmed)
	}
	require.Zero(t, w.count(t, "select count(*) from payouts"))
	got, err := w.store.RecordConfirmed(t.Context(), []store.PayoutItem{itemOf(w, m, asset, "r", one)}, now)
	require.NoError(t, err)
	require.Equal(t, "created", got[0].Outcome)
	require.Equal(t, "99", w.balance(t, t, m, asset).Available.String())
}
