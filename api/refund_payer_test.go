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
	link := s.linkOf("amount", `"all"`, "feetakenfromamount", `1`)
	if p := s.promised(link); p.Status != pay.RefundOpen || p.Order != "order-0000001" || p.Merchant != "Shop" || s.balance("USDT") != "100" {
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
