package api

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// linkOf makes a refund with a link, and returns what names it.
func (s *shop) linkOf(changes ...string) string {
	s.t.Helper()
	got := s.refund(changes...)
	got.is(s.t, 200, "")
	return strings.TrimPrefix(fmt.Sprint(decodeReply(s.t, got.text).at("refund.refund_url")), "https://pay.test/pay/refund/")
}

// gives is a payer who confirms what he was shown; no error for a refund that is paid.
func (s *shop) gives(link, wallet string, shown ...string) error {
	figure := decimal.Zero
	if len(shown) > 0 {
		figure = decimal.RequireFromString(shown[0])
	}
	return s.operations.Refunds.Give(context.WithoutCancel(s.t.Context()), link, pay.Destination{Wallet: wallet}, figure)
}

func (s *shop) promised(link string) *pay.Promised {
	s.t.Helper()
	p, err := s.operations.Refunds.Promised(s.t.Context(), link)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func refusedAs(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), code) {
		t.Errorf("%v, want %s", err, code)
	}
}

// TestAPayerSaysWhereTo: once, and it is a payout of the merchant.
func TestAPayerSaysWhereTo(t *testing.T) {
	t.Parallel()
	s, _ := paidShop(t)
	s.exec("update merchants set payment_rate = 10 where id = ?", s.merchant)
	s.exec("insert into merchant_looks (merchant_id, colour, support) values (?, '0f766e', 'help@shop.test')", s.merchant)
	link := s.linkOf("amount", `"all"`, "feetakenfromamount", `1`)
	if p := s.promised(link); p.Look != (pay.Look{Colour: "0f766e", Support: "help@shop.test"}) || p.Status != pay.RefundOpen || p.Order != "order-0000001" || p.Merchant != "Shop" || s.balance("USDT") != "100" {
		t.Errorf("%+v", p)
	}
	would, err := s.operations.Refunds.Rehearse(t.Context(), link, pay.Destination{Wallet: payersWallet})
	if err != nil || would.Amount.String() != "10.8" || would.Debit.String() != "12" {
		t.Fatalf("%+v, %v", would, err)
	}
	refusedAs(t, s.gives(link, payersWallet, "10.9"), "figures_changed")
	if err := s.gives(link, payersWallet, "10.8"); err != nil {
		t.Fatal(err)
	}
	refusedAs(t, s.gives(link, payersWallet), "refund_not_open")
	p := s.promised(link)
	if p.Status != pay.RefundPending || p.Payout.Wallet != payersWallet || p.Payout.WebhookURL != "https://hooks.test/x" || p.Payout.KeyID != s.keyID {
		t.Errorf("%+v %+v", p, p.Payout)
	}
	s.get("/v1/refund/refund-0001").wants(t, map[string]any{"refund.status": "pending", "refund.wallet": payersWallet, "refund.refund_url": nil})
	s.get("/v1/list-payout").wants(t, map[string]any{"meta.total": 1, "payments.0.reference_id": "refund-0001"})
	if s.balance("USDT") != "88" || s.left() != "0" {
		t.Errorf("%s is on the balance, %s may be refunded", s.balance("USDT"), s.left())
	}
}

// TestOnePayoutForALink: however many confirm it at once, and to wherever.
func TestOnePayoutForALink(t *testing.T) {
	t.Parallel()
	s, _ := paidShop(t)
	link := s.linkOf("amount", `"all"`)
	const browsers = 5
	paid := make(chan error, browsers)
	for i := range browsers {
		go func() { paid <- s.gives(link, []string{payersWallet, "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF"}[i%2]) }()
	}
	made := 0
	for range browsers {
		if err := <-paid; err == nil {
			made++
		} else {
			refusedAs(t, err, "refund_not_open")
		}
	}
	if n := s.count("select count(*) from payouts"); made != 1 || n != 1 || s.balance("USDT") != "88" {
		t.Errorf("%d are told it is paid, %d payouts, %s left", made, n, s.balance("USDT"))
	}
}

// TestLinksEnd: by the clock, revoked, with their key, and with their merchant's rights.
func TestLinksEnd(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: A link ends with")
	s, payin := paidShop(t)
	link := s.linkOf()
	for _, c := range []struct{ end, mend string }{
		{"update refunds set expires_at = now()", "update refunds set expires_at = now() + interval '1 hour'"},
		{"update refunds set revoked_at = now()", "update refunds set revoked_at = null"},
		{"update keys set revoked_at = now()", "update keys set revoked_at = null"},
		{"update keys set expires_at = now()", "update keys set expires_at = null"},
		{"update merchants set suspended = true", "update merchants set suspended = false"},
		{"update merchants set api_access = false", "update merchants set api_access = true"},
		{"update refunds set key_id = 'panel:gone@example.com'", "update refunds set key_id = (select id from keys)"},
	} {
		s.exec(c.end)
		refusedAs(t, s.gives(link, payersWallet), "refund_not_open")
		if p := s.promised(link); p.Status != pay.RefundRevoked && p.Status != pay.RefundExpired {
			t.Errorf("after %s the link is %s", c.end, p.Status)
		}
		s.exec(c.mend)
	}
	s.exec("update transfers set status = 'dropped' where payin_id = ?", payin)
	refusedAs(t, s.gives(link, payersWallet), "nothing_to_refund")
	s.exec("update transfers set status = 'final', credited = 3 where payin_id = ?", payin)
	refusedAs(t, s.gives(link, payersWallet), "refund_exceeds_payin")
	if n := s.count("select count(*) from payouts"); n != 0 {
		t.Errorf("%d payouts", n)
	}
	s.exec("update transfers set credited = 4 where payin_id = ?", payin)
	if err := s.gives(link, payersWallet); err != nil {
		t.Error(err)
	}
}

// TestForgedLinks: another id, another seal, and the seal of a payout name nothing.
func TestForgedLinks(t *testing.T) {
	t.Parallel()
	s, _ := paidShop(t)
	link := s.linkOf()
	id, seal, _ := strings.Cut(link, ".")
	other := s.linkOf("reference_id", `"refund-0002"`)
	for _, forged := range []string{"", id, id + ".", "." + seal, strings.ToUpper(id) + "." + seal, id + "." + strings.ToUpper(seal), id + "." + seal + "A", id + "." + seal[:40],
		uuid.NewString() + "." + seal, other[:36] + "." + seal, link + "."} {
		if _, err := s.operations.Refunds.Promised(t.Context(), forged); err == nil {
			t.Errorf("%s opens a refund", forged)
		}
		if s.gives(forged, payersWallet) == nil {
			t.Errorf("%s is paid", forged)
		}
	}
}

// TestAPromiseWithoutMoney: nothing is recorded, and the link stays good; and what an address may not be.
func TestAPromiseWithoutMoney(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: A refund without a wallet has a link", "api-v1 §Refunds: Its wallet may be no address of this service")
	s, payin := paidShop(t)
	link := s.linkOf("amount", `"12"`)
	s.payOut(item("refund-0001", "crypto_amount", `"95"`)).is(t, 200, "")
	refusedAs(t, s.gives(link, payersWallet), "insufficient_balance")
	if p := s.promised(link); p.Status != pay.RefundOpen {
		t.Errorf("%+v", p)
	}
	s.fund(s.merchant, "USDT", "50")
	refusedAs(t, s.gives(link, "short"), "invalid_format")
	refusedAs(t, s.gives(link, strings.Repeat("0", 34)), "invalid_format")
	s.exec("update addresses set match = ? where payin_id = ?", payersWallet, payin)
	refusedAs(t, s.gives(link, payersWallet), "invalid_format")
	if err := s.gives(link, "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF"); err != nil {
		t.Fatal(err)
	}
	s.get("/v1/list-payout?reference_id=refund-0001~2").wants(t, map[string]any{"meta.total": 1, "payments.0.crypto_amount": "12"})
}

// TestRefundsOfThePanel: at the panel's rate, once for a form however often it is sent at once, and a second person is waited for, also
// where the payer says where to.
func TestRefundsOfThePanel(t *testing.T) {
	t.Parallel()
	s, payin := paidShop(t)
	s.exec("update merchants set withdrawal_rate = 5, user_pays_withdrawal_network_fee = false where id = ?", s.merchant)
	s.exec("insert into people (id, email, name, password) values (?, 'ann@example.com', 'Ann', '')", s.merchant)
	s.exec("insert into members (merchant_id, person_id, role) values (?, ?, 'finance')", s.merchant, s.merchant)
	form := func(amount, wallet string) *pay.RefundForm {
		return &pay.RefundForm{Form: uuid.New(), Merchant: s.merchant, Email: "ann@example.com", Payin: payin, Token: "USDT", Amount: amount, Wallet: wallet}
	}
	r := &s.operations.Refunds
	f := form("2", payersWallet)
	would, err := r.RehearseForm(t.Context(), f)
	if err != nil || would.Payout.Debit.String() != "2.1" || would.Second != "" {
		t.Fatalf("%+v, %v", would, err)
	}
	refusedAs(t, second(r.RecordForm(t.Context(), f)), "figures_changed")
	f.ShownAmount, f.ShownDebit = decimal.NewNullDecimal(dec("2")), decimal.NewNullDecimal(dec("2.1"))
	const clicks = 4
	paid := make(chan error, clicks)
	for range clicks {
		go func() { paid <- second(r.RecordForm(context.WithoutCancel(t.Context()), f)) }()
	}
	for range clicks {
		if err := <-paid; err != nil {
			t.Error(err)
		}
	}
	if n := s.count("select count(*) from payouts where key_id = 'panel:ann@example.com'"); n != 1 || s.balance("USDT") != "97.9" {
		t.Errorf("%d payouts, %s left", n, s.balance("USDT"))
	}
	s.get("/v1/list-payout").wants(t, map[string]any{"meta.total": 0})
	s.ask("GET", "/v1/refund/"+f.Reference(), "").is(t, 404, "record_not_found")
	s.get("/v1/payin-refunds/order-0000001").wants(t, map[string]any{"refundable.0.refunded": "2", "refunds.0": nil})
	link := form("4", "")
	made, err := r.RecordForm(t.Context(), link)
	if err != nil {
		t.Fatal(err)
	}
	address, err := r.LinkOf(t.Context(), s.merchant, made.Refund.ID)
	if err != nil {
		t.Fatal(err)
	}
	s.exec("insert into panel_second_rules (id, merchant_id, above, fiat) values (gen_random_uuid(), ?, 1, 'USD')", s.merchant)
	name := strings.TrimPrefix(address, "https://pay.test/pay/refund/")
	s.exec("update members set role = 'viewer'")
	refusedAs(t, s.gives(name, payersWallet), "refund_not_open")
	s.exec("update members set role = 'finance'")
	if err := s.gives(name, payersWallet); err != nil {
		t.Fatal(err)
	}
	if n := s.count(`select count(*) from panel_seconds s join payouts p on p.id = s.payout_id and p.seal = s.seal where s.form = ? and s.made_by = 'ann@example.com'
		and p.id = (select payout_id from refunds where id = s.form)`, made.Refund.ID); n != 1 {
		t.Errorf("%d payouts wait for a second person", n)
	}
	s.exec("insert into panel_rules (merchant_id, book_only) values (?, true)", s.merchant)
	refusedAs(t, second(r.RehearseForm(t.Context(), form("1", ""))), "address_not_in_book")
	refusedAs(t, second(r.RehearseForm(t.Context(), form("1", payersWallet))), "address_not_in_book")
}

// second is the error of an answer that does not matter.
func second[T any](_ T, err error) error { return err }
