package api

import (
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// The colour and the support address of a request stand in place of the merchant's, on its page and on those of its payins.
//
// Covers api-v1 §Payment requests: colour (#rrggbb) and support
func TestTheLookOfARequest(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.exec("insert into merchant_looks (merchant_id, logo, colour, support) values (?, 'abc123', '111111', 'help@shop.test')", s.merchant)
	own := pay.Look{Logo: "abc123", Colour: "111111", Support: "help@shop.test"}
	tea, both := own, own
	tea.Colour = "0f766e"
	both.Colour, both.Support = "0f766e", "https://shop.test/help"
	for reference, c := range map[string]struct {
		fields []string
		want   pay.Look
		told   map[string]any
	}{
		"plain": {nil, own, map[string]any{"payment_request.colour": nil, "payment_request.support": nil}},
		"tea":   {[]string{"colour", `"0F766E"`, "support", `""`}, tea, map[string]any{"payment_request.colour": "#0f766e", "payment_request.support": nil}},
		"both": {[]string{"colour", `"#0f766e"`, "support", `"https://shop.test/help"`}, both,
			map[string]any{"payment_request.colour": "#0f766e", "payment_request.support": "https://shop.test/help"}},
	} {
		id := s.asked(append(c.fields, "reference_id", `"`+reference+`"`)...)
		s.get("/v1/payment-request/"+reference).wants(t, c.told)
		offered, err := s.operations.Requests.Offered(t.Context(), id)
		if err != nil || offered.Look != c.want {
			t.Errorf("%s: %+v, %v", reference, offered.Look, err)
		}
		s.payinLooks(s.mustChoose(id, "USDT", "Tron"), c.want)
	}
	if status, got := s.link("slug", `"tea"`, "colour", `"#0f766e"`, "support", `"https://shop.test/help"`); status != http.StatusOK {
		t.Fatal(got)
	}
	s.get("/v1/payment-link/tea").wants(t, map[string]any{"payment_link.colour": "#0f766e", "payment_link.support": "https://shop.test/help"})
	offered, err := s.links().Offered(t.Context(), "tea", decimal.NullDecimal{})
	if err != nil || offered.Look != both {
		t.Errorf("the link: %+v, %v", offered.Look, err)
	}
	_, payin, err := s.paysBy("tea", "25", "Tron", uuid.Nil)
	if err != nil {
		t.Fatal(err)
	}
	s.payinLooks(payin, both)
}

// payinLooks fails unless the page of a payin looks so.
func (s *shop) payinLooks(payin uuid.UUID, want pay.Look) {
	s.t.Helper()
	found, err := s.store.PayerPayins(s.t.Context(), payin)
	if err != nil || len(found) != 1 {
		s.t.Fatalf("%+v, %v", found, err)
	}
	if got := (pay.Look{Logo: found[0].Logo, Colour: found[0].Colour, Support: found[0].Support}); got != want {
		s.t.Errorf("the payin looks like %+v, want %+v", got, want)
	}
}
