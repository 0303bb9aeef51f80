package panel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/api"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/web/panel"
	"causeway/ledger"
)

var _ panel.Refunds = (*api.Refunds)(nil)

// fakeAddresses is a fake of the networks: an address is any text of 20 characters or more.
type fakeAddresses struct{}

func (fakeAddresses) Validate(_, address string) (string, error) {
	if len(address) < 20 {
		return "", pay.ErrNoDestination
	}
	return address, nil
}

func (fakeAddresses) Match(_, address string) string { return address }

func (fakeAddresses) Tag(string, string) (string, bool) { return "", false }

// refundsOf are the API's own refunds.
func refundsOf(s *store.Store) *api.Refunds {
	return &api.Refunds{Pages: func(link string) string { return "https://pay.example/pay/refund/" + link },
		Payouts: &api.Payouts{Store: s, Catalogues: api.NewCatalogues(s, nil), Recorder: api.NewRecorder(s, nil, nil), Addresses: fakeAddresses{},
			Seals: vault.NewSealer("payout", make([]byte, vault.KeySize))}}
}

// paidPayin is a payin of 10 USDT on Tron that was paid with 12. Its merchant has 100 USDT.
func (f *floor) paidPayin(merchant uuid.UUID) uuid.UUID {
	f.Helper()
	id := uuid.Must(uuid.NewV7())
	for _, act := range []string{
		`insert into payins (id, merchant_id, reference_id, wallet, token, asset, network, process_by, amount, fiat_currency, percent_rate, pays_network_fee, network_fee,
			minimum_payment, webhook_url, status, received, expires_at) values ('%[1]s', '%[2]s', 'order-%[1]s', 'Taddressofthepayin000000000000000', 'USDT', 'USDT', 'Tron',
			'crypto_amount', 10, 'USD', 0, false, 0, 100, '', 'completed', 12, now())`,
		`insert into transfers (id, network, txid, token, position, sender, address, amount, status, payin_id, credited, counted, credits, height)
			values (gen_random_uuid(), 'Tron', 'tx-%[1]s', 'USDT', 0, 'x', 'Taddressofthepayin000000000000000', 12, 'final', '%[1]s', 12, 12, 1, 7)`,
		`insert into addresses (family, match, address, position, payin_id) values ('tron', 'Taddressofthepayin000000000000000', 'Taddressofthepayin000000000000000', 1, '%[1]s')`,
		`update merchants set user_pays_withdrawal_network_fee = false where id = '%[2]s'`,
	} {
		_, err := f.db.ExecContext(f.Context(), fmt.Sprintf(act+" -- %[1]s %[2]s", id, merchant))
		f.must(err)
	}
	_, err := ledger.Post(f.Context(), f.db, ledger.UnclaimedAssigned(merchant, "USDT", &pay.Transfer{ID: uuid.New(), Network: "Tron", Amount: decimal.NewFromInt(100)}))
	f.must(err)
	return id
}

const refundTo = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"

// TestARefundInThePanel: the figures are shown before a code is taken, a form pays once, and never more than came is paid.
func TestARefundInThePanel(t *testing.T) {
	t.Parallel()
	f := open(t)
	payin := f.paidPayin(f.shop)
	path := "payins/" + payin.String()
	ann, vic, eve := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.shop, "vic@example.com", people.Viewer), f.member(f.other, "eve@example.com", people.Owner)
	if _, page := vic.get(path); !strings.Contains(page, "of 12 that came on Tron") || strings.Contains(page, "refund/check") {
		t.Errorf("a viewer sees %s", page)
	}
	code := ann.coded()
	eve.coded()
	ask := []string{"token", "USDT", "part", "overpaid", "wallet", refundTo}
	ours := f.paidPayin(f.shop)
	_, err := f.db.NewRaw("update payins set key_id = 'panel:ann@example.com' where id = ?", ours).Exec(t.Context())
	f.must(err)
	if got, page := ann.do("payins/"+ours.String()+"/refund/check", ask...); got != http.StatusOK || !strings.Contains(page, "Recipient gets") {
		t.Errorf("a refund of a payin of the panel is answered %d %s", got, page)
	}
	if got, _ := eve.do("payins/"+ours.String()+"/refund/check", ask...); got != http.StatusNotFound {
		t.Errorf("another merchant's refund of it is answered %d", got)
	}
	if got, _ := eve.do(path+"/refund/check", ask...); got != http.StatusNotFound {
		t.Errorf("another merchant's payin is answered %d", got)
	}
	for want, wrong := range map[string][]string{
		"more than may still be refunded": {"token", "USDT", "amount", "12.1"}, "above zero": {"token", "USDT", "amount", "x"},
		"Nothing of this is final": {"token", "USDC", "part", "all"}, "A memo belongs to an address": {"token", "USDT", "part", "all", "memo", "12345678"},
		"20 to 120 characters": {"token", "USDT", "part", "all", "wallet", "short"}, "an address of this service": {"token", "USDT", "part", "all", "wallet", "Taddressofthepayin000000000000000"},
	} {
		if _, page := ann.do(path+"/refund/check", wrong...); !strings.Contains(page, want) {
			t.Errorf("%v is answered %s, not %q", wrong, page, want)
		}
	}
	_, page := ann.do(path+"/refund/check", ask...)
	if hidden(page, "amount") != "2" || hidden(page, "shown_debit") != "2" || !strings.Contains(page, "Recipient gets") {
		t.Fatalf("the figures are answered %s", page)
	}
	form := []string{"form", hidden(page, "form"), "token", "USDT", "amount", "2", "wallet", refundTo, "shown_amount", "2", "shown_debit", "2"}
	if _, page := ann.do(path+"/refund", append(form, "code", "000000")...); !strings.Contains(page, "The code is wrong") {
		t.Errorf("a wrong code is answered %s", page)
	}
	if _, page := ann.do(path+"/refund", append(form, "code", code())...); !strings.Contains(page, "The refund was recorded") {
		t.Errorf("the refund is answered %s", page)
	}
	for range 2 {
		if _, page := ann.do(path+"/refund", form...); !strings.Contains(page, "not made again") || !strings.Contains(page, "10 USDT") {
			t.Errorf("the form again is answered %s", page)
		}
	}
	form[7] = strings.Repeat("another", 4)
	if _, page := ann.do(path+"/refund", form...); !strings.Contains(page, "used for another refund") {
		t.Errorf("the form with another address is answered %s", page)
	}
	var payouts []pay.Payout
	f.must(f.db.NewSelect().Model(&payouts).Scan(t.Context()))
	if len(payouts) != 1 || payouts[0].KeyID != "panel:ann@example.com" || payouts[0].Amount.String() != "2" || payouts[0].WebhookURL != "" {
		t.Errorf("%+v", payouts)
	}
}

// TestALinkInThePanel: it is shown for a proof, ends when it is revoked, and another merchant has none of it.
func TestALinkInThePanel(t *testing.T) {
	t.Parallel()
	f := open(t)
	payin := f.paidPayin(f.shop)
	path := "payins/" + payin.String()
	ann, eve := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.other, "eve@example.com", people.Owner)
	code := ann.coded()
	eve.coded()
	_, page := ann.do(path+"/refund/check", "token", "USDT", "part", "all", "description", "Sorry")
	if hidden(page, "amount") != "12" || !strings.Contains(page, "where the payer says") {
		t.Fatalf("the figures are answered %s", page)
	}
	if _, page := ann.do(path+"/refund", "form", hidden(page, "form"), "token", "USDT", "amount", "12", "description", "Sorry", "code", code()); !strings.Contains(page, "The refund was recorded") {
		t.Fatalf("the link is answered %s", page)
	}
	var q pay.Refund
	f.must(f.db.NewSelect().Model(&q).Scan(t.Context()))
	at := "refunds/" + q.ID.String()
	if got, page := ann.do(at + "/link"); got != http.StatusOK || !strings.Contains(page, "https://pay.example/pay/refund/"+q.ID.String()+".") {
		t.Errorf("the link is answered %d %s", got, page)
	}
	for _, act := range []string{"/link", "/revoke"} {
		if got, _ := eve.do(at + act); got != http.StatusNotFound {
			t.Errorf("another merchant's %s is answered %d", act, got)
		}
	}
	if _, page := ann.do(at + "/revoke"); !strings.Contains(page, "The link was revoked") || !strings.Contains(page, "revoked") {
		t.Errorf("revoking is answered %s", page)
	}
	for _, act := range []string{"/link", "/revoke"} {
		if _, page := ann.do(at + act); !strings.Contains(page, "the link has ended") {
			t.Errorf("%s of a revoked link is answered %s", act, page)
		}
	}
	ann.do("book/rule", "only", "1")
	if _, page := ann.do(path+"/refund/check", "token", "USDT", "part", "all"); !strings.Contains(page, "address book only") {
		t.Errorf("under the rule of the book a link is answered %s", page)
	}
	var audited int
	f.must(f.db.NewRaw("select count(*) from audit where action in ('person.refund', 'person.refund_link', 'person.refund_revoke')").Scan(t.Context(), &audited))
	if audited != 3 {
		t.Errorf("%d audit rows", audited)
	}
}

// TestARefundOfAnOperator: the merchant reads it in its own audit, and may show its link and revoke it. Another merchant sees nothing of it.
func TestARefundOfAnOperator(t *testing.T) {
	t.Parallel()
	f := open(t)
	payin := f.paidPayin(f.shop)
	made, err := f.admin.PromiseRefund(f.Context(), payin.String(), admin.RefundOrder{ID: uuid.Must(uuid.NewV7()), Amount: "overpaid"})
	f.must(err)
	ann, eve := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.other, "eve@example.com", people.Owner)
	code := ann.coded()
	eve.coded()
	if _, page := ann.get("payins/" + payin.String()); !strings.Contains(page, "the payer says where to") {
		t.Errorf("the payin shows %s", page)
	}
	if _, page := ann.get("audit"); !strings.Contains(page, "refund.link") || !strings.Contains(page, made.ID.String()) {
		t.Errorf("the audit shows %s", page)
	}
	if _, page := eve.get("audit"); strings.Contains(page, "refund.link") {
		t.Errorf("another merchant's audit shows %s", page)
	}
	path := "refunds/" + made.ID.String()
	for _, act := range []string{"/link", "/revoke"} {
		if got, _ := eve.do(path + act); got != http.StatusNotFound {
			t.Errorf("another merchant's %s is answered %d", act, got)
		}
	}
	if _, page := ann.do(path+"/link", "proof", code()); !strings.Contains(page, "https://pay.example/pay/refund/"+made.ID.String()) {
		t.Errorf("the link is answered %s", page)
	}
	if _, page := ann.do(path+"/revoke", "proof", code()); !strings.Contains(page, "The link was revoked") {
		t.Errorf("revoked, and %s", page)
	}
	if err := f.admin.RevokeRefund(f.Context(), made.ID); err == nil {
		t.Error("it is revoked twice")
	}
}
