package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

// aRefund is an acceptable refund, by a link, of the payin of paidShop.
var aRefund = map[string]string{
	"payin": `"order-0000001"`, "reference_id": `"refund-0001"`, "amount": `"4"`, "feetakenfromamount": `0`, "webhook_url": `"https://hooks.test/x"`,
}

const payersWallet = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"

// refund sends POST /v1/refund; headers come in pairs.
func (s *shop) refund(changes ...string) answer {
	s.t.Helper()
	return s.ask(http.MethodPost, "/v1/refund", with(aRefund, changes...))
}

// faults wants the fault of a field.
func (a answer) faults(t *testing.T, field string) {
	t.Helper()
	if a.is(t, http.StatusBadRequest, "invalid_parameters"); decodeReply(t, a.text).at("error.details.fields."+field) == nil {
		t.Errorf("%s: %s", field, a.text)
	}
}

// paidShop is a shop whose payin of 10 USDT on Tron was paid with 12: order-0000001. The shop has 100 USDT.
func paidShop(t testing.TB, changes ...option) (*shop, uuid.UUID) {
	t.Helper()
	s := newShop(t, append([]option{holding("100")}, changes...)...)
	s.exec("update merchants set user_pays_payment_network_fee = false")
	s.operations.Refunds.Pages = func(link string) string { return "https://pay.test/pay/refund/" + link }
	_, created := s.payin()
	id := uuid.MustParse(fmt.Sprint(created.at("data.internal_reference")))
	s.came(id, "USDT", "12", "final")
	s.exec("update payins set status = 'completed', received = 12 where id = ?", id)
	return s, id
}

// came writes a transfer to a payin, as a follower does.
func (s *shop) came(payin uuid.UUID, token, amount, status string) {
	s.t.Helper()
	s.exec(`insert into transfers (id, network, txid, token, position, sender, address, amount, status, payin_id, credited, counted, credits, height)
		select gen_random_uuid(), network, 'tx-' || gen_random_uuid(), ?, 0, 'x', wallet, ?::numeric, ?, id, ?::numeric, ?::numeric, 1, 7 from payins where id = ?`,
		token, amount, status, amount, amount, payin)
}

// left is what may still be refunded of a payin.
func (s *shop) left() string {
	s.t.Helper()
	return fmt.Sprint(s.get("/v1/payin-refunds/order-0000001").at("refundable.0.refundable"))
}

func TestRefundFields(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: POST /v1/refund (payout:write) takes", "api-v1 §Business errors: nothing_to_refund",
		"api-v1 §Business errors: refund_exceeds_payin", "api-v1 §Business errors: refund_not_payable")
	s, payin := paidShop(t)
	for _, c := range []struct{ field, raw string }{
		{"payin", ""}, {"payin", `7`}, {"reference_id", ""}, {"reference_id", `"` + strings.Repeat("r", 251) + `"`}, {"amount", ""}, {"amount", `"ALL"`}, {"amount", `"0"`},
		{"amount", `-1`}, {"amount", `"1e3"`}, {"feetakenfromamount", ""}, {"feetakenfromamount", `2`}, {"webhook_url", ""}, {"webhook_url", `"http://10.0.0.1/"`},
		{"crypto_currency", `7`}, {"wallet", `"short"`}, {"wallet", `7`}, {"memo", `"12345678"`}, {"memo", `"x"`}, {"description", `"` + strings.Repeat("d", 501) + `"`},
		{"expires_at", `0`}, {"expires_at", `2592001`},
	} {
		s.refund(c.field, c.raw).faults(t, c.field)
	}
	s.refund("wallet", quote(payersWallet), "expires_at", `60`).faults(t, "expires_at")
	for _, c := range []struct {
		changes      []string
		status       int
		code, reason string
	}{
		{[]string{"payin", `"order-0000002"`}, 404, "record_not_found", ""},
		{[]string{"crypto_currency", `"USDC"`}, 400, "nothing_to_refund", ""},
		{[]string{"amount", `"12.000001"`}, 400, "refund_exceeds_payin", ""},
		{[]string{"amount", `"1.1234567"`}, 400, "refund_not_payable", "invalid_crypto_amount"},
		{[]string{"amount", `"0.000001"`}, 400, "refund_not_payable", "limit_exceeded"},
		{[]string{"wallet", quote(payersWallet), "memo", `"12345678"`}, 400, "refund_not_payable", "invalid_format"},
		{[]string{"wallet", quote("nobody-has-such-an-address")}, 400, "refund_not_payable", "invalid_format"},
	} {
		got := s.refund(c.changes...)
		got.is(t, c.status, c.code)
		if c.reason != "" && got.body.Error.Details["reason"] != c.reason {
			t.Errorf("%v: %s", c.changes, got.text)
		}
	}
	s.exec("update addresses set match = ? where payin_id = ?", payersWallet, payin)
	if got := s.refund("wallet", quote(payersWallet)); got.status != 400 || !strings.Contains(got.text, "an address of this service") {
		t.Errorf("to our own address: %s", got.text)
	}
	if n := s.count("select count(*) from refunds") + s.count("select count(*) from payouts"); n != 0 {
		t.Errorf("%d rows were recorded", n)
	}
	if s.left() != "12" {
		t.Errorf("%s is left", s.left())
	}
}

// TestRefundToAWallet: it is a payout with its fees and its reference, and the payin has it.
func TestRefundToAWallet(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: A refund with a wallet is a payout", "api-v1 §Refunds: A reference_id that the account has used for another refund",
		"api-v1 §Refunds: GET /v1/refund/{reference} (payout:read)", "api-v1 §Refunds: GET /v1/payin-refunds/{reference} (payout:read)",
		"api-v1 §Refunds: overpaid is what came beyond")
	s, payin := paidShop(t)
	s.exec("update merchants set payment_rate = 10, user_pays_payment_network_fee = false where id = ?", s.merchant)
	s.get("/v1/payin-refunds/"+payin.String()).wants(t, map[string]any{"refundable.0.arrived": "12", "refundable.0.overpaid": "2", "refundable.0.refundable": "12"})
	got := s.refund("amount", `"overpaid"`, "wallet", quote(payersWallet))
	got.is(t, 200, "")
	reply := decodeReply(t, got.text)
	reply.wants(t, map[string]any{"refund.status": "pending", "refund.crypto_amount": "2", "refund.wallet": payersWallet, "refund.payin": payin.String(), "refund.refund_url": nil})
	payout := fmt.Sprint(reply.at("refund.payout"))
	s.get("/v1/check-payout/"+payout).wants(t, map[string]any{"payment.reference_id": "refund-0001", "payment.crypto_amount": "2", "payment.percent_rate": "10"})
	if s.balance("USDT") != "97.8" {
		t.Errorf("%s is left on the balance", s.balance("USDT"))
	}
	s.get("/v1/payin-refunds/order-0000001").wants(t, map[string]any{"refundable.0.refunded": "2", "refundable.0.refundable": "10", "refundable.0.overpaid": "0",
		"refunds.0.payout": payout})
	s.refund("wallet", quote(payersWallet)).is(t, 400, "duplicate_reference_id")
	s.refund("reference_id", `"r2"`, "amount", `"overpaid"`).is(t, 400, "nothing_to_refund")
	less := s.refund("reference_id", `"r2"`, "amount", `"all"`, "feetakenfromamount", `1`, "wallet", quote(payersWallet))
	less.is(t, 200, "")
	decodeReply(t, less.text).wants(t, map[string]any{"refund.crypto_amount": "10", "refund.feetakenfromamount": "1"})
	s.get("/v1/list-payout?reference_id=r2").wants(t, map[string]any{"payments.0.crypto_amount": "9"})
	s.refund("reference_id", `"refund-0003"`, "amount", `"0.5"`).is(t, 400, "refund_exceeds_payin")
	s.refund("reference_id", `"refund-0003"`, "amount", `"all"`).is(t, 400, "nothing_to_refund")
	s.get("/v1/refund/r2").wants(t, map[string]any{"refund.status": "pending"})
	s.exec("update payouts set status = 'completed', txid = 'abc' where id = ?", payout)
	s.get("/v1/refund/refund-0001").wants(t, map[string]any{"refund.status": "completed", "refund.txid": "abc"})
}

// TestWhatCountsAsRefunded: open links and payouts do, until the debit is back; and what is not final is not refundable.
func TestWhatCountsAsRefunded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: Refundable is what came")
	s, payin := paidShop(t)
	s.came(payin, "USDT", "50", "credited")
	s.came(payin, "USDT", "50", "dropped")
	s.refund("amount", `"7"`, "wallet", quote(payersWallet)).is(t, 200, "")
	s.refund("amount", `"5"`, "reference_id", `"refund-0002"`).is(t, 200, "")
	for _, c := range []struct{ change, left string }{
		{"update payouts set status = 'failed'", "0"},
		{"update payouts set status = 'refunded'", "7"},
		{"insert into contrary_transactions (network, txid, payout_id) select network, 'x', id from payouts", "0"},
		{"delete from contrary_transactions", "7"},
		{"update refunds set expires_at = now() where payout_id is null", "12"},
	} {
		s.exec(c.change)
		if got := s.left(); got != c.left {
			t.Errorf("after %s %s is left, want %s", c.change, got, c.left)
		}
	}
}

// TestARefundOfAnUnfinishedPayin: what was given back completes nothing.
func TestARefundOfAnUnfinishedPayin(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: A payin of which something is refunded")
	s, payin := paidShop(t)
	s.refund("amount", `"1"`).is(t, 200, "")
	if n := s.count("select count(*) from payins where given_back"); n != 0 {
		t.Error("a completed payin is marked")
	}
	s.exec("update payins set status = 'pending', received = 6 where id = ?", payin)
	s.refund("amount", `"1"`, "reference_id", `"refund-0002"`).is(t, 200, "")
	if n := s.count("select count(*) from payins where given_back"); n != 1 {
		t.Error("a pending payin is not marked")
	}
}

// TestRefundLinks: only who may pay out sees one, and it ends when it is revoked.
func TestRefundLinks(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: A refund without a wallet has a link", "api-v1 §Refunds: POST /v1/refund/{reference}/revoke (payout:write)",
		"api-v1 §Business errors: refund_not_open", "api-v1 §Refunds: The link is in refund_url")
	s, _ := paidShop(t)
	got := decodeReply(t, s.refund("description", `"Sorry"`).text)
	got.wants(t, map[string]any{"refund.status": "open", "refund.payout": nil, "refund.description": "Sorry"})
	link := fmt.Sprint(got.at("refund.refund_url"))
	s.get("/v1/refund/refund-0001").wants(t, map[string]any{"refund.refund_url": link})
	s.exec("update keys set scopes = '{payout:read}'")
	s.exec("update revisions set version = version + 1 where name = 'access'")
	s.get("/v1/refund/refund-0001").wants(t, map[string]any{"refund.refund_url": nil, "refund.status": "open"})
	s.exec("update keys set scopes = '{payout:read,payout:write}'")
	s.exec("update revisions set version = version + 1 where name = 'access'")
	for range 2 {
		s.ask("POST", "/v1/refund/refund-0001/revoke", "").is(t, 200, "")
		s.get("/v1/refund/refund-0001").wants(t, map[string]any{"refund.refund_url": nil, "refund.status": "revoked"})
	}
	s.refund("reference_id", `"refund-0002"`, "amount", `"12"`, "wallet", quote(payersWallet)).is(t, 200, "")
	s.ask("POST", "/v1/refund/refund-0002/revoke", "").is(t, 409, "refund_not_open")
	s.refund("reference_id", `"refund-0002"`).is(t, 400, "refund_exceeds_payin")
}

// TestRefundsAreOnesOwn: another merchant has neither the payin nor its refunds.
func TestRefundsAreOnesOwn(t *testing.T) {
	t.Parallel()
	s, payin := paidShop(t)
	id := fmt.Sprint(decodeReply(t, s.refund().text).at("refund.internal_reference"))
	_, s.key = s.newKey()
	s.refund("payin", quote(payin.String())).is(t, 404, "record_not_found")
	for _, target := range []string{"/v1/refund/" + id, "/v1/refund/refund-0001", "/v1/payin-refunds/" + payin.String(), "/v1/payin-refunds/order-0000001"} {
		s.ask("GET", target, "").is(t, 404, "record_not_found")
	}
	s.ask("POST", "/v1/refund/"+id+"/revoke", "").is(t, 404, "record_not_found")
	if n := s.count("select count(*) from refunds where revoked_at is null"); n != 1 {
		t.Errorf("%d refunds", n)
	}
}

// TestRefundOnce: a key is answered again with the same body and link, which is in no table. A refusal frees the key.
func TestRefundOnce(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Refunds: With an Idempotency-Key")
	s, _ := paidShop(t)
	once := func(key string, changes ...string) answer {
		return s.ask("POST", "/v1/refund", with(aRefund, changes...), "Idempotency-Key", key)
	}
	once("k1", "amount", `"13"`).is(t, 400, "refund_exceeds_payin")
	first := once("k1")
	first.is(t, 200, "")
	if !strings.Contains(first.text, "https://pay.test/pay/refund/") {
		t.Errorf("no link in %s", first.text)
	}
	if again := once("k1"); again.text != first.text || again.header.Get(replayedHeader) != "true" {
		t.Errorf("again: %s, want %s", again.text, first.text)
	}
	if n := s.count("select count(*) from idempotency_keys where convert_from(body, 'UTF8') like '%pay.test%'"); n != 0 {
		t.Error("the link is in the database")
	}
	paid := once("k2", "reference_id", `"refund-0002"`, "wallet", quote(payersWallet))
	paid.is(t, 200, "")
	if again := once("k2", "reference_id", `"refund-0003"`); again.text != paid.text || again.header.Get(differsHeader) != "true" {
		t.Errorf("again: %s, want %s", again.text, paid.text)
	}
	if n := s.count("select count(*) from payouts"); n != 1 {
		t.Errorf("%d payouts", n)
	}
}

// TestRefundsAtOnce: many at a time never come to more than arrived, and a network that takes back is not overtaken.
func TestRefundsAtOnce(t *testing.T) {
	t.Parallel()
	s, payin := paidShop(t)
	const clerks = 6
	codes := make(chan int, clerks)
	for i := range clerks {
		go func() {
			changes := []string{"reference_id", fmt.Sprintf(`"refund-1%03d"`, i), "amount", `"5"`}
			if i%2 == 0 {
				changes = append(changes, "wallet", quote(payersWallet))
			}
			codes <- s.refund(changes...).status
		}()
	}
	made := 0
	for range clerks {
		if <-codes == 200 {
			made++
		}
	}
	if made != 2 || s.left() != "2" {
		t.Errorf("%d refunds of 5 are made of 12, and %s is left", made, s.left())
	}
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range []string{"select id from payins where id = ? for update", "update transfers set status = 'dropped' where payin_id = ?"} {
		if _, err := tx.ExecContext(t.Context(), act, payin); err != nil {
			t.Fatal(err)
		}
	}
	late := make(chan answer, 1)
	go func() {
		late <- s.refund("reference_id", `"refund-2000"`, "amount", `"2"`, "wallet", quote(payersWallet))
	}()
	testkit.Eventually(t, 10*time.Second, func() bool {
		return s.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
	}, "the refund does not wait for the payin")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	(<-late).is(t, 400, "nothing_to_refund")
}

// TestARefundWithoutMoney: nothing stays of it, and it can be made later.
func TestARefundWithoutMoney(t *testing.T) {
	t.Parallel()
	s, _ := paidShop(t)
	s.payOut(item("all-the-money", "crypto_amount", `"95"`))
	got := s.refund("amount", `"12"`, "wallet", quote(payersWallet))
	got.is(t, 400, "refund_not_payable")
	if got.body.Error.Details["reason"] != "insufficient_balance" || s.count("select count(*) from refunds") != 0 {
		t.Errorf("%s", got.text)
	}
	s.fund(s.merchant, "USDT", "20")
	s.refund("amount", `"12"`, "wallet", quote(payersWallet)).is(t, 200, "")
	s.refund("reference_id", `"all-the-money"`, "amount", `"1"`).is(t, 400, "refund_exceeds_payin")
}
