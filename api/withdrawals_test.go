package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/ledger"
)

// withdrawal is one of 100 USDT on Tron by a person of the shop.
func (s *shop) withdrawal() *pay.Withdrawal {
	return &pay.Withdrawal{Form: uuid.New(), Merchant: s.merchant, Email: "ann@example.com", Network: "Tron", Token: "USDT",
		Wallet: "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", Amount: "100"}
}

func (s *shop) withdrawals() *Withdrawals { return &Withdrawals{&s.operations.Payouts} }

func (s *shop) withdraws(n *pay.Withdrawal) (uuid.UUID, error) {
	done, err := s.withdrawals().Record(s.t.Context(), []*pay.Withdrawal{n})
	if err == nil {
		err = done[0].Err
	}
	if err != nil {
		return uuid.Nil, err
	}
	return done[0].Payout.ID, nil
}

func (s *shop) rehearses(n *pay.Withdrawal) (*pay.Payout, error) {
	would, err := s.withdrawals().Rehearse(s.t.Context(), []*pay.Withdrawal{n})
	if err != nil {
		return nil, err
	}
	return would[0].Payout, would[0].Err
}

func (s *shop) made(n *pay.Withdrawal) (*pay.Payout, error) {
	was, err := s.withdrawals().Made(s.t.Context(), []*pay.Withdrawal{n})
	if err != nil {
		return nil, err
	}
	return was[0], nil
}

// A withdrawal costs the withdrawal rate and its switch of the network fee, and holds the whole debit.
//
// Covers api-v1 §Account summary: withdrawal_rate
// Covers api-v1 §Account summary: user_pays_withdrawal_network_fee, user_pays_deposit_network_fee
func TestWithdrawalRate(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	s.exec("update merchants set payment_rate = 7, withdrawal_rate = 1.5, user_pays_payment_network_fee = true, user_pays_withdrawal_network_fee = false where id = ?", s.merchant)
	n := s.withdrawal()
	told, err := s.rehearses(n)
	if err != nil || told.RateFee.String() != "1.5" || told.Debit.String() != "101.5" || told.PaysNetworkFee {
		t.Fatalf("rehearsed %+v: %v", told, err)
	}
	if s.balance("USDT") != "1000" {
		t.Error("a rehearsal has held money")
	}
	id, err := s.withdraws(n)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.store.Payout(t.Context(), id)
	if err != nil || p.KeyID != "panel:ann@example.com" || p.Debit.String() != "101.5" || p.Status != pay.PayoutQueued || p.WebhookURL != "" {
		t.Errorf("recorded %+v: %v", p, err)
	}
	if got := s.balance("USDT"); got != "898.5" {
		t.Errorf("%s is left", got)
	}
}

// One form is one payout, however often and however late it is sent.
func TestOneFormIsOneWithdrawal(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("150"))
	n := s.withdrawal()
	var ids []uuid.UUID
	for range 3 {
		id, err := s.withdraws(n)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if ids[0] != ids[1] || ids[1] != ids[2] || s.count("select count(*) from payouts") != 1 {
		t.Errorf("one form has recorded %v", ids)
	}
	if was, err := s.made(n); err != nil || was == nil || was.ID != ids[0] {
		t.Errorf("the form has made %+v: %v", was, err)
	}
	other := *n
	other.Wallet = "TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL"
	for _, ask := range []func() error{
		func() error { _, err := s.made(&other); return err },
		func() error { _, err := s.withdraws(&other); return err },
	} {
		if err := ask(); !errors.Is(err, errOtherForm) {
			t.Errorf("another withdrawal under the form answers %v", err)
		}
	}
	n.Form = uuid.New()
	if was, err := s.made(n); was != nil || err != nil {
		t.Errorf("a fresh form has made %+v: %v", was, err)
	}
	if _, err := s.withdraws(n); err == nil || !strings.Contains(err.Error(), errInsufficient.Code) {
		t.Errorf("more than there is answers %v", err)
	}
}

// A payout of the API under the reference of a form is none of the panel: the form is refused, and shows nothing.
func TestAReferenceOfTheAPIIsNoForm(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	n := s.withdrawal()
	s.payOut(strings.Replace(item("x"), `"x"`, `"`+pay.PanelReference(n.Form, 0)+`"`, 1)).is(t, 200, "")
	if was, err := s.made(n); was != nil || err != nil {
		t.Errorf("the form has made %+v: %v", was, err)
	}
	if _, err := s.withdraws(n); !errors.Is(err, errDuplicate) {
		t.Errorf("the form answers %v", err)
	}
}

// Fees may rise between the question and the record: nothing is recorded that costs more than was shown.
func TestNoWithdrawalCostsMoreThanWasShown(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	s.exec("update merchants set withdrawal_rate = 1, user_pays_withdrawal_network_fee = false where id = ?", s.merchant)
	for _, fees := range []bool{false, true} {
		n := s.withdrawal()
		n.FeesFrom = fees
		p, err := s.rehearses(n)
		if err != nil {
			t.Fatal(err)
		}
		n.ShownAmount, n.ShownDebit = decimal.NewNullDecimal(p.Amount), decimal.NewNullDecimal(p.Debit)
		s.exec("update merchants set withdrawal_rate = 2 where id = ?", s.merchant)
		now, err := s.rehearses(n)
		if !errors.Is(err, ErrDearer) || now == nil || now.RateFee.String() != "2" {
			t.Errorf("rehearsed %+v: %v", now, err)
		}
		if _, err := s.withdraws(n); !errors.Is(err, ErrDearer) || s.count("select count(*) from payouts") != 0 {
			t.Errorf("recorded: %v", err)
		}
		s.exec("update merchants set withdrawal_rate = 1 where id = ?", s.merchant)
	}
}

// Movements of the panel are in no statement of the API, its sums and its file; a refund is left out as well. The merchant's own
// statement has all of them.
func TestStatementsLeaveThePanelOut(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §10: Movements of withdrawals")
	s := newShop(t, holding("1000"))
	id, err := s.withdraws(s.withdrawal())
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.store.Payout(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Post(t.Context(), s.db, ledger.PayoutRefunded(p)); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"", "?type=WITHDRAWAL", "?type=WITHDRAWAL_REFUND", "?direction=out", "?page=2", "?min_amount=1", "?reference_id=" + p.ReferenceID} {
		body, err := json.Marshal(s.get("/v1/statements" + query).list("statements"))
		if err != nil || strings.Contains(string(body), "WITHDRAWAL") || strings.Contains(string(body), id.String()) {
			t.Errorf("statements%s answers %s", query, body)
		}
	}
	if body, err := json.Marshal(s.get("/v1/statements/summary")); err != nil || strings.Contains(string(body), "WITHDRAWAL") {
		t.Errorf("the summary answers %s", body)
	}
	asked := request(http.MethodGet, "/v1/statements", s.key, "")
	asked.Header.Set("Accept", "text/csv")
	if a := ask(t, s.front, asked); a.status != http.StatusOK || strings.Contains(a.text, "WITHDRAWAL") {
		t.Errorf("the file is %s", a.text)
	}
	own, err := ledger.MovementsBelow(t.Context(), s.store.Q, ledger.StatementFilter{Merchant: s.merchant, Panel: true}, nil, 100)
	if err != nil || len(own) < 2 || own[0].Movement != ledger.WithdrawalRefund {
		t.Errorf("the merchant's own statement has %+v: %v", own, err)
	}
	if n := s.count("select count(*) from list_count_differences('2020-01-01 00:00-03', now() + interval '1 day')"); n != 0 {
		t.Errorf("%d counts differ", n)
	}
}

// What is made in the panel is in no list, no count and no check of the API, also once it has moved.
//
// Covers api-v1 §GET /v1/check-payout/{internal_reference}: Unknown, another account's or the panel's
func TestTheAPIShowsNothingOfThePanel(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	id, err := s.withdraws(s.withdrawal())
	if err != nil {
		t.Fatal(err)
	}
	look := func(when string) {
		t.Helper()
		for _, query := range []string{"", "?status=pending", "?reference_id=panel-x", "?page=2", "?per_page=1"} {
			body, err := json.Marshal(s.get("/v1/list-payout" + query))
			if err != nil || strings.Contains(string(body), id.String()) || !strings.Contains(string(body), `"total":0`) {
				t.Errorf("%s list-payout%s answers %s", when, query, body)
			}
		}
		if status, body := s.call(http.MethodGet, "/v1/check-payout/"+id.String(), ""); status != http.StatusNotFound {
			t.Errorf("%s check-payout answers %d %v", when, status, body)
		}
		if n := s.count("select count(*) from list_count_differences('2020-01-01 00:00-03', 'infinity')"); n != 0 {
			t.Errorf("%s %d counts differ", when, n)
		}
	}
	look("queued:")
	s.exec("update payouts set status = 'failed' where id = ?", id)
	look("failed:")
	if s.count("select count(*) from list_changes where list = 'payouts'") != 0 {
		t.Error("it was counted")
	}
}

// A withdrawal is refused where a payout of the API would be, and for a suspended merchant.
func TestRefusedWithdrawals(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	for name, wrong := range map[string]func(*pay.Withdrawal){
		"no amount": func(n *pay.Withdrawal) { n.Amount = "" }, "below zero": func(n *pay.Withdrawal) { n.Amount = "-5" }, "an exponent": func(n *pay.Withdrawal) { n.Amount = "1e3" },
		"no token": func(n *pay.Withdrawal) { n.Token = "XYZ" }, "no network": func(n *pay.Withdrawal) { n.Network = "Nowhere" },
		"a short address": func(n *pay.Withdrawal) { n.Wallet = "T" }, "too much": func(n *pay.Withdrawal) { n.Amount = "999.999999" }, "a fraction of the smallest part": func(n *pay.Withdrawal) { n.Amount = "1.0000001" }, "a memo in vain": func(n *pay.Withdrawal) { n.Memo = "12345678" }, "a memo of letters": func(n *pay.Withdrawal) { n.Memo = "abc" },
		"another token": func(n *pay.Withdrawal) { n.Token, n.Network = "BTC", "Tron" },
	} {
		n := s.withdrawal()
		wrong(n)
		if _, err := s.withdraws(n); err == nil {
			t.Errorf("%s is recorded", name)
		} else if _, certain := Refused(err); !certain {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.exec("update merchants set suspended = true where id = ?", s.merchant)
	if _, err := s.withdraws(s.withdrawal()); err == nil {
		t.Error("a suspended merchant withdraws")
	}
	if s.count("select count(*) from payouts") != 0 {
		t.Error("something was recorded")
	}
}

// A file is decided line by line, each after those before it; a file sent again pays nothing twice, and records what is not there yet.
func TestTheLinesOfAFile(t *testing.T) {
	t.Parallel()
	s := newShop(t, holding("1000"))
	s.exec("update merchants set withdrawal_rate = 0, user_pays_withdrawal_network_fee = false where id = ?", s.merchant)
	form, lines := uuid.New(), make([]*pay.Withdrawal, 120)
	for i := range lines {
		lines[i] = s.withdrawal()
		lines[i].Form, lines[i].Line, lines[i].Amount = form, i+1, "10"
	}
	would, err := s.withdrawals().Rehearse(t.Context(), lines)
	if err != nil || would[99].Err != nil || !errors.Is(would[100].Err, errInsufficient) || s.balance("USDT") != "1000" {
		t.Fatalf("line 100 is %v, line 101 %v: %v", would[99].Err, would[100].Err, err)
	}
	few := lines[:60]
	few[7].Amount = "1.0000001"
	done, err := s.withdrawals().Record(t.Context(), few)
	if err != nil || !errors.Is(done[7].Err, errAmountFine) || done[6].Err != nil || done[59].Err != nil || s.balance("USDT") != "410" {
		t.Fatalf("recorded %v %v, %s is left: %v", done[7].Err, done[59].Err, s.balance("USDT"), err)
	}
	few[7].Amount = "10"
	again, err := s.withdrawals().Record(t.Context(), few)
	if err != nil || again[7].Err != nil || again[0].Payout.ID != done[0].Payout.ID || s.count("select count(*) from payouts") != 60 || s.balance("USDT") != "400" {
		t.Errorf("the file again records %d, %s is left: %v", s.count("select count(*) from payouts"), s.balance("USDT"), err)
	}
	few[3].Wallet = "TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL"
	if _, err := s.withdrawals().Record(t.Context(), few); !errors.Is(err, errOtherForm) {
		t.Errorf("the form with another line answers %v", err)
	}
}
