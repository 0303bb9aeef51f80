package api

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// A person writes a destination tag as they were told it. Zeros make a memo of it, and the same form is known again by it. What is no tag
// is refused, and a memo of another network is taken as it is.
func TestAPersonsTagMayBeShort(t *testing.T) {
	t.Parallel()
	caller := &store.Caller{Merchant: pay.Merchant{ID: uuid.Must(uuid.NewV7())}}
	for written, memo := range map[string]string{"7": "00000007", "12345": "00012345", "00012345": "00012345", "4294967295": "4294967295", "0": "00000000"} {
		n := &pay.Withdrawal{Network: "Ripple", Token: "XRP", Amount: "1", Memo: written}
		d, problem := draftWithout(n, caller)
		require.Nil(t, problem, written)
		require.Equal(t, memo, *d.memo)
		d.payout.Memo, d.payout.Network, d.payout.Amount = d.memo, "Ripple", plainAmount("1")
		require.True(t, isOf(n, &d.payout), written)
	}
	for _, n := range []pay.Withdrawal{{Network: "Ripple", Memo: "4294967296"}, {Network: "Ripple", Memo: "12a"}, {Network: "Ripple", Memo: "-1"}, {Network: "TON", Memo: "12345"}} {
		n.Amount = "1"
		_, problem := draftWithout(&n, caller)
		require.Equal(t, errMemoText, problem, "%s on %s", n.Memo, n.Network)
	}
}
