package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// A payin whose token is switched off is paid; the assigned transfer completes this payin and tells its webhook.
//
// Covers addendum §13: An unclaimed transfer that is assigned
func TestAssignedToItsOwnPayin(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		amount string
		status pay.PayinStatus
		told   string
	}{
		"all":  {"25", pay.PayinCompleted, "payment_confirmed:success"},
		"part": {"10", pay.PayinFailed, "payment_updated:failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			p := w.payin("Tron", "TRX", "25")
			w.exec("update tokens set active = false where symbol = 'TRX'")
			w.pays("Tron", "TRX", p.Wallet, want.amount)
			w.mine("Tron", 2)
			w.expires(p)
			w.assignsTheOne()
			got := w.payinNow(p.ID)
			require.Equal(t, want.status, got.Status)
			w.equal(want.amount, got.Received)
			require.Equal(t, []string{"payment_failed:failed", want.told}, w.receiver.everything("")[:2])
			var records int
			require.NoError(t, w.db.NewRaw("select count(*) from payins").Scan(t.Context(), &records))
			require.Equal(t, 1, records)
			w.mine("Tron", 4)
			w.equal(want.amount, w.balance("TRX").Available)
		})
	}
}
