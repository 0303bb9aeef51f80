package api

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// A withdrawal above the rule waits before it is there, a file as a whole, and a rule that was replaced or lifted holds for a day.
func TestWithdrawalsAboveTheRule(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("10000"))
	rule := func(above string) {
		t.Helper()
		var r *store.SecondRule
		if above != "" {
			r = &store.SecondRule{Above: decimal.RequireFromString(above), Fiat: "USD"}
		}
		if err := s.store.SetSecondRule(t.Context(), s.merchant, r); err != nil {
			t.Fatal(err)
		}
	}
	waits := func(what string, want int, amounts ...string) {
		t.Helper()
		before := s.count("select count(*) from panel_seconds s join payouts p on p.id = s.payout_id and p.seal = s.seal")
		form := uuid.New()
		asked := make([]*pay.Withdrawal, len(amounts))
		for i, amount := range amounts {
			asked[i] = s.withdrawal()
			asked[i].Form, asked[i].Amount = form, amount
			if len(amounts) > 1 {
				asked[i].Line = i + 1
			}
		}
		for range 2 { // the form sent again changes nothing
			done, err := s.withdrawals().Record(t.Context(), asked)
			if err != nil || done[0].Err != nil || (done[0].Second != "") != (want > 0) {
				t.Fatalf("%s is answered %+v: %v", what, done, err)
			}
			if got := s.count("select count(*) from panel_seconds s join payouts p on p.id = s.payout_id and p.seal = s.seal") - before; got != want {
				t.Errorf("%s: %d wait", what, got)
			}
		}
	}
	waits("no rule", 0, "100")
	rule("150")
	waits("below the rule", 0, "100")
	waits("above the rule", 1, "200")
	waits("together above the rule", 2, "100", "60")
	rule("1000")
	waits("above the rule that was replaced", 1, "200")
	s.exec("update panel_second_rules set ended_at = now() - interval '1 day' where ended_at is not null")
	waits("below the new rule", 0, "200")
	rule("50")
	waits("above the stricter one", 1, "100")
	rule("")
	rule("")
	waits("above the lifted one", 1, "100")
	s.exec("update panel_second_rules set ended_at = now() - interval '1 day'")
	waits("a day later", 0, "100")
	rule("5000")
	n := s.withdrawal()
	if why, err := s.withdrawals().second(t.Context(), &Catalogue{Rates: pricing.NewRates(nil, time.Now())}, []*pay.Withdrawal{n}, []Withdrawn{{Payout: &pay.Payout{Token: "USDT"}}}); err != nil || why == "" {
		t.Errorf("without a price %q: %v", why, err)
	}
	if s.count("select count(*) from panel_seconds where not exists (select from payouts p where p.id = payout_id)") != 0 {
		t.Error("a payout is missing")
	}
}

// A rest of a form whose first part waits, waits too. What waits may not be confirmed against the rule of the address book.
func TestTheRestOfAFormWaitsToo(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	first, rest := s.withdrawal(), s.withdrawal()
	rest.Form, first.Line, rest.Line = first.Form, 1, 2
	if err := s.store.SetSecondRule(t.Context(), s.merchant, &store.SecondRule{Fiat: "USD"}); err != nil {
		t.Fatal(err)
	}
	id, err := s.withdraws(first)
	if err != nil {
		t.Fatal(err)
	}
	s.exec("delete from panel_second_rules")
	done, err := s.withdrawals().Record(t.Context(), []*pay.Withdrawal{first, rest})
	if err != nil || done[1].Err != nil || done[1].Second == "" {
		t.Fatalf("the rest is answered %+v: %v", done, err)
	}
	if waiting, err := s.store.WaitingSeconds(t.Context(), s.merchant); err != nil || len(waiting) != 2 {
		t.Errorf("%d wait: %v", len(waiting), err)
	}
	p, err := s.store.Payout(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.withdrawals().Allowed(t.Context(), p); err != nil {
		t.Error(err)
	}
	if err := s.store.SetBookRule(t.Context(), s.merchant, true); err != nil {
		t.Fatal(err)
	}
	if err := s.withdrawals().Allowed(t.Context(), p); !errors.Is(err, errNotInBook) {
		t.Errorf("against the rule of the book: %v", err)
	}
}
