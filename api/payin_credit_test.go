package api

import "testing"

// A payin keeps the row of the operator's table for its worth, and its record tells the confirmations a transfer to it needs.
//
// Covers addendum §8: Small amounts may be credited
// Covers addendum §8: The larger of what a payin asks for
func TestAPayinKeepsWhenItIsCredited(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for amount, want := range map[string]int{"10": 1, "10.01": 0} {
		_, created := s.payin("crypto_amount", `"`+amount+`"`, "reference_id", `"of-`+amount+`"`)
		id := created.at("data.internal_reference").(string)
		if n := s.count("select credit_after from payins where id = ?", id); n != want {
			t.Errorf("a payin of %s is credited after %d, want %d", amount, n, want)
		}
		s.received(id, "tx-"+amount, "USDT", "4", "0", "seen", 90, 0)
		s.exec("update transfers set credit_after = ? where payin_id = ?", want, id)
		s.get("/v1/check-payin/"+id).wants(t, map[string]any{"deposit.unconfirmed_payments.0.required_confirmations": 2 - want})
	}
}
