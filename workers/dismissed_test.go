package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// A payout with a final decision of its network against it is told until a person dismisses it, however long it takes and whatever
// came after it; the number of unnamed ones is told.
//
// Covers operator §Admin: A payout against which its network has decided
func TestAContraryPayoutIsToldUntilItIsDismissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p, other := w.payout("Ethereum", "USDT", "5", destination), w.payout("Ethereum", "USDT", "7", destination)
	w.work()
	w.mine("Ethereum", 6)
	w.exec("insert into contrary_transactions (network, txid, payout_id, seen_at) values ('Ethereum', 'old', ?, now() - interval '1 year')", p.ID)
	told := "Payout " + p.ID.String() + " is completed, and its network has not paid it after all: what had ended it was undone, and old on Ethereum is final."
	require.Contains(t, w.troubles(), told)
	require.NotContains(t, w.troubles(), "more of that kind")
	w.exec("insert into contrary_transactions (network, txid, payout_id) select 'Ethereum', 'new ' || i, ? from generate_series(1, 22) i", other.ID)
	require.Contains(t, w.troubles(), "3 earlier ones like these have not been dismissed either.")

	a := &admin.Admin{Store: w.store, Actor: "ann"}
	shown, err := a.DismissPayout(t.Context(), other.ID.String())
	require.NoError(t, err)
	require.False(t, shown.Contrary)
	require.Contains(t, w.troubles(), told)
	shown, err = a.DismissPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, shown.State)
	require.Empty(t, w.troubles())
	_, err = a.DismissPayout(t.Context(), p.ID.String())
	require.ErrorAs(t, err, new(admin.Refusal))
	require.Equal(t, 2, w.count("select count(*) from audit where action = 'payout.dismiss' and actor = 'ann'"))
	require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}
