package pay_test

import (
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// TestPayoutMoves is the whole table of addendum §7: no other move is allowed, and nothing leaves completed or refunded.
//
// Covers addendum §7: created → pending
func TestPayoutMoves(t *testing.T) {
	t.Parallel()
	allowed := map[pay.PayoutStatus][]pay.PayoutStatus{
		"queued": {"signed", "failed"},
		"signed": {"sent", "completed", "failed"},
		"sent":   {"completed", "failed"},
		"failed": {"refunded"},
	}
	all := []pay.PayoutStatus{"queued", "signed", "sent", "completed", "failed", "refunded"}
	for _, from := range append(all, "", "unknown") {
		for _, to := range append(all, "", "unknown") {
			if want := slices.Contains(allowed[from], to); from.May(to) != want {
				t.Errorf("a payout may move from %q to %q: %v", from, to, !want)
			}
		}
	}
	for _, s := range all {
		want := string(s)
		if s == pay.PayoutQueued || s == pay.PayoutSigned || s == pay.PayoutSent {
			want = "pending"
		}
		if s.Public() != want {
			t.Errorf("%s is %s on the wire, not %s", s, s.Public(), want)
		}
		if decided := s == pay.PayoutCompleted || s == pay.PayoutFailed || s == pay.PayoutRefunded; s.Ended() != decided {
			t.Errorf("%s has ended: %v", s, s.Ended())
		}
	}
}

// TestPayinMoves is the whole table of addendum §8, with transfers mined again after a reversal.
//
// Covers addendum §8: created → pending
func TestPayinMoves(t *testing.T) {
	t.Parallel()
	allowed := map[pay.PayinStatus][]pay.PayinStatus{
		"pending":   {"completed", "failed", "reversed"},
		"failed":    {"completed", "reversed"},
		"completed": {"reversed"},
		"reversed":  {"completed", "pending", "failed"},
	}
	all := []pay.PayinStatus{"pending", "completed", "failed", "reversed"}
	for _, from := range append(all, "", "unknown") {
		for _, to := range append(all, "", "unknown") {
			if want := slices.Contains(allowed[from], to); from.May(to) != want {
				t.Errorf("a payin may move from %q to %q: %v", from, to, !want)
			}
		}
	}
}

// Covers api-v1 §Payin: pending
// Covers api-v1 §Limits: minimum_payment
func TestPayinIsEnough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount, minimum, received string
		enough                    bool
		status                    string
	}{
		{"10", "100", "0", false, "partial"},
		{"10", "100", "9.99999999", false, "partial"},
		{"10", "100", "10", true, "exact"},
		{"10", "100", "10.00000001", true, "overpaid"},
		{"10", "97.5", "9.75", true, "partial"},
		{"10", "97.5", "9.74999999", false, "partial"},
		{"0.00000001", "100", "0.00000001", true, "exact"},
	} {
		p := &pay.Payin{Amount: decimal.RequireFromString(c.amount), MinimumPayment: decimal.RequireFromString(c.minimum),
			Received: decimal.RequireFromString(c.received)}
		if p.Enough() != c.enough {
			t.Errorf("%+v: enough is %v", c, p.Enough())
		}
		got := ""
		if s := p.PaymentStatus(&pay.PayinTransfers{Shown: []pay.Transfer{{Status: pay.TransferSeen}, {Status: pay.TransferFinal}}}); s != nil {
			got = *s
		}
		if got != c.status || p.PaymentStatus(&pay.PayinTransfers{Shown: []pay.Transfer{{Status: pay.TransferSeen}, {Status: pay.TransferDropped}}}) != nil {
			t.Errorf("%+v: payment status %q", c, got)
		}
	}
}
