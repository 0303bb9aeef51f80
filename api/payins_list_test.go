package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/proof/contract"
)

// received records a transfer to a payin as the follower of a network does.
func (s *shop) received(payin, txid, token, amount, counted, status string, height any, credits int) {
	s.t.Helper()
	s.exec(`insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, height, credits, credited, counted, seen_at)
		values (?, 'Tron', ?, ?, 0, 'a', ?, ?, ?, ?, ?, ?, ?, '2026-05-01 12:00:00+00')`,
		uuid.Must(uuid.NewV7()), txid, token, amount, payin, status, height, credits, amount, counted)
}

func TestPayinRecord(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payin record: payments[]", "api-v1 §Payin record: txid", "api-v1 §Payin record: payment_status",
		"api-v1 §Payin record: received_amount", "api-v1 §Payin record: reversal", "api-v1 §Payin record: minimum_payment",
		"api-v1 §Payin record: invoice_currency, invoice_amount", "addendum §8: payments[] and received_amount", "api-v1 §General conventions: 3",
		"api-v1 §Payin record: internal_reference, reference_id, wallet, network", "api-v1 §Payin record: crypto_currency, crypto_amount",
		"api-v1 §Payin record: fiat_currency, fiat_amount", "api-v1 §Payin record: process_by, percent_rate, network_fee",
		"api-v1 §Payin record: webhook_url", "api-v1 §Payin record: is_wallet_fixed", "api-v1 §Payin record: customer_info",
		"addendum §13: The creation of a payin answers fiat_amount", "api-v1 §Payin record: created_at, updated_at, expires_at",
		"api-v1 §Other operations: GET /v1/check-payin/{reference}", "api-v1 §Payin creation response: expires_at is not",
		"api-v1 §Versioning: added · Payins can be reversed")
	s := newShop(t)
	_, created := s.payin("reference_id", `"ref/with slash"`)
	id := created.at("data.internal_reference").(string)
	s.exec(`update payins set percent_rate = 0.5, pays_network_fee = true, network_fee = 1.25, created_at = '2026-05-01 10:00:00.9+00', updated_at = '2026-05-01 10:00:01+00',
		expires_at = '2026-05-01 14:00:00+00' where id = ?`, id)
	fresh := s.get("/v1/check-payin/" + id)
	if listed := s.get("/v1/list-payin"); !reflect.DeepEqual(listed.at("deposits.0"), fresh.at("deposit")) {
		t.Errorf("listed as %v, checked as %v", listed.at("deposits.0"), fresh.at("deposit"))
	}
	fresh.wants(t, map[string]any{
		"deposit.internal_reference": id, "deposit.reference_id": "ref/with slash", "deposit.wallet": created.at("data.wallet"),
		"deposit.network":         "Tron",
		"deposit.crypto_currency": "USDT", "deposit.crypto_amount": "10", "deposit.fiat_currency": "USD", "deposit.process_by": "crypto_amount",
		"deposit.created_at": "2026-05-01 10:00:00", "deposit.updated_at": "2026-05-01 10:00:01", "deposit.expires_at": "2026-05-01 14:00:00",
		"deposit.received_amount": "0", "deposit.payment_status": nil, "deposit.txid": nil, "deposit.reversal": nil,
		"deposit.invoice_currency": "USDT", "deposit.invoice_amount": "10", "deposit.fiat_amount": "10.00000000",
		"deposit.is_wallet_fixed": false, "deposit.customer_info": nil, "deposit.webhook_url": "https://hooks.test/in",
		"deposit.network_fee": "1.25", "deposit.percent_rate": "0.5",
	})
	if fields := fresh.at("deposit").(map[string]any); len(fields) != 27 {
		t.Errorf("%d fields: %v", len(fields), fields)
	}

	s.received(id, "tx-1", "USDT", "4", "4", "final", 90, 1)
	s.received(id, "tx-2", "TRX", "8", "2", "credited", 95, 1)
	s.received(id, "tx-3", "USDT", "1.5", "0", "seen", 100, 0)
	s.received(id, "tx-4", "USDT", "1", "0", "seen", nil, 0)
	s.received(id, "tx-5", "USDT", "1", "0", "dropped", nil, 1)
	s.received(id, "tx-6", "USDT", "1", "0", "dropped", nil, 0)
	s.exec("insert into followers (network, head) values ('Tron', 100)")
	s.exec(`update payins set received = 6, reversed_at = '2026-05-02 01:02:03+00', reversal = '{"USDT": "0.5"}' where id = ?`, id)
	got := s.get("/v1/check-payin/" + url.PathEscape("ref/with slash"))
	got.wants(t, map[string]any{
		"deposit.internal_reference": id, "deposit.received_amount": "6", "deposit.payment_status": "partial",
		"deposit.txid":            `["tx-1","tx-2","tx-5"]`,
		"deposit.payments.0.txid": "tx-1", "deposit.payments.0.amount": "4", "deposit.payments.0.timestamp": "2026-05-01 12:00:00",
		"deposit.payments.0.converted_to": nil, "deposit.payments.0.network": "Tron",
		"deposit.payments.1.token": "TRX", "deposit.payments.1.converted_to.token": "USDT", "deposit.payments.1.converted_to.amount": "2",
		"deposit.unconfirmed_payments.0.confirmations": 1, "deposit.unconfirmed_payments.0.required_confirmations": 2,
		"deposit.unconfirmed_payments.0.amount": "1.5", "deposit.unconfirmed_payments.1.confirmations": 0,
		"deposit.reversal.reversed_at": "2026-05-02 01:02:03", "deposit.reversal.partial": true, "deposit.reversal.amounts.USDT": "0.5",
	})
	var hashes []string
	if err := json.Unmarshal([]byte(got.at("deposit.txid").(string)), &hashes); err != nil || len(hashes) != 3 {
		t.Errorf("txid decodes to %v: %v", hashes, err)
	}
	if n := len(got.list("deposit.payments")) + len(got.list("deposit.unconfirmed_payments")); n != 4 {
		t.Errorf("%d payments", n)
	}
	if _, kept := created.at("data").(map[string]any)["expires_at"]; kept {
		t.Error("the answer to the creation has expires_at")
	}
	s.exec("insert into wallets (id, merchant_id, family, customer_info, wallet, status) values (?0, ?1, 'tron', 'c', 'T', 'STATUS_ASSIGNED')", id, s.merchant)
	s.exec("update payins set wallet_id = ?0, customer_info = 'c' where id = ?0", id)
	s.get("/v1/check-payin/"+id).wants(t, map[string]any{"deposit.is_wallet_fixed": true, "deposit.customer_info": "c"})
	_, sent := s.payin("reference_id", `"fiat-0000001"`, "fiat_amount", `"010.123456789"`)
	sent.wants(t, map[string]any{"data.fiat_amount": "010.123456789"})
	s.get("/v1/check-payin/fiat-0000001").wants(t, map[string]any{"deposit.fiat_amount": "10.12345678"})
}

// TestAReferenceInCapitalsIsTheMerchants: an id of ours is written in small letters.
func TestAReferenceInCapitalsIsTheMerchants(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	_, first := s.payin()
	id := first.at("data.internal_reference").(string)
	capitals := strings.ToUpper(id)
	s.get("/v1/check-payin/"+capitals).wants(t, map[string]any{"deposit.internal_reference": id})
	_, second := s.payin("reference_id", quote(capitals))
	s.get("/v1/check-payin/"+capitals).wants(t, map[string]any{"deposit.internal_reference": second.at("data.internal_reference")})
	s.get("/v1/check-payin/"+id).wants(t, map[string]any{"deposit.internal_reference": id})
}

func TestCheckPayinLooksOnlyAtOwnPayins(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_reference_id", "api-v1 §Business errors: record_not_found", "addendum §8: check-payin takes")
	s := newShop(t)
	_, created := s.payin()
	id := created.at("data.internal_reference").(string)
	for reference, want := range map[string]struct {
		status int
		code   string
	}{
		id: {200, ""}, "order-0000001": {200, ""},
		"123456789": {400, "invalid_reference_id"}, "1234567890": {404, "record_not_found"},
		fmt.Sprintf("%0756d", 1): {404, "record_not_found"}, fmt.Sprintf("%0757d", 1): {400, "invalid_reference_id"},
		uuid.NewString(): {404, "record_not_found"}, uuid.Nil.String(): {404, "record_not_found"},
		"order-0000001%00": {404, "record_not_found"}, "order-%ff-0000001": {404, "record_not_found"},
		strings.Repeat("%ff", 10): {404, "record_not_found"}, strings.Repeat("%ff", 9): {400,
			"invalid_reference_id"}, "order-000000'": {404, "record_not_found"},
	} {
		status, got := s.call("GET", "/v1/check-payin/"+reference, "")
		if status != want.status || got.code() != want.code {
			t.Errorf("%.40s: %d %v", reference, status, got)
		}
	}
	_, s.key = s.newKey()
	for _, reference := range []string{id, "order-0000001"} {
		status, got := s.call("GET", "/v1/check-payin/"+reference, "")
		if status != 404 || got.at("error.details.resource") != "deposit" {
			t.Errorf("another merchant's %s: %d %v", reference, status, got)
		}
	}
}

// An unreadable reference is nobody's, though a reference can equal its replacement text.
//
// Covers addendum §8: check-payin takes
// Covers addendum §13: A reference in a path
func TestAReferenceThatIsNoText(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	if status, got := s.payin("reference_id", `"order-\ufffd-0000001"`); status != 200 {
		t.Fatal(status, got)
	}
	for reference, found := range map[string]bool{
		"order-%EF%BF%BD-0000001": true, "order-%FF-0000001": false, "order-%00-0000001": false, "order-%C0-0000001": false,
	} {
		status, got := s.call("GET", "/v1/check-payin/"+reference, "")
		if found != (status == 200) || !found && (got.code() != "record_not_found" || got.at("error.details.resource") != "deposit") {
			t.Errorf("%s: %d %v", reference, status, got)
		}
	}
}

func TestListPayin(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §GET /v1/list-payin: Parameters are", "api-v1 §GET /v1/list-payin: 200:", "api-v1 §GET /v1/list-payin: API payins",
		"api-v1 §Request-level errors: invalid_status_filter", "api-v1 §Payin record: status", "api-v1 §Versioning: added · Payins can be reversed")
	s := newShop(t)
	for i, change := range []string{
		"created_at = '2026-05-01 02:59:59+00'", // 30 April in UTC-03:00
		"created_at = '2026-05-01 03:00:00+00', status = 'completed'",
		"created_at = '2026-05-02 02:59:59.9+00', status = 'failed'",
		"created_at = '2026-05-02 03:00:00+00', status = 'reversed'",
		"created_at = '2026-05-02 03:00:00+00', network = 'Polygon'",
	} {
		reference := fmt.Sprintf("list-%d", i)
		if status, got := s.payin("reference_id", `"`+reference+`"`); status != 200 {
			t.Fatal(got)
		}
		s.exec("update payins set "+change+" where reference_id = ?", reference)
	}
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"", []string{"list-4", "list-3", "list-2", "list-1", "list-0"}},
		{"status=Completed", []string{"list-1"}},
		{"status=REVERSED", []string{"list-3"}},
		{"status=pending", []string{"list-4", "list-0"}},
		{"date_from=2026-05-01&date_to=2026-05-01", []string{"list-2", "list-1"}},
		{"date_to=2026-04-30", []string{"list-0"}},
		{"date_from=2026-05-02", []string{"list-4", "list-3"}},
		{"date_to=9999-12-31&date_from=0001-01-01&per_page=1", []string{"list-4"}},
		{"network=Polygon", []string{"list-4"}},
		{"crypto_currency=BTC", nil},
		{"reference_id=list-2", []string{"list-2"}},
		{"reference_id=list-2'%20or%20'1'='1", nil},
		{"per_page=2&page=2", []string{"list-2", "list-1"}},
		{"page=99999999999999999999", nil},
	} {
		got := s.get("/v1/list-payin?" + c.query)
		var references []string
		for i := range got.list("deposits") {
			references = append(references, got.at(fmt.Sprintf("deposits.%d.reference_id", i)).(string))
		}
		if fmt.Sprint(references) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", c.query, references, c.want)
		}
	}
	for status, total := range map[string]int{"pending": 2, "completed": 1, "failed": 1, "reversed": 1} {
		s.get("/v1/list-payin?status="+status).wants(t, map[string]any{"meta.filters.status": status, "deposits.0.status": status,
			"meta.total": total})
	}
	got := s.get("/v1/list-payin?per_page=2&page=1")
	got.wants(t, map[string]any{
		"message": "deposits_retrieved_success", "meta.total": 5, "meta.total_pages": 3, "meta.current_page": 1, "meta.per_page": 2,
		"summary.total_pending": 2, "summary.total_completed": 1, "summary.total_failed": 1, "summary.total_reversed": 1,
	})
	if status, got := s.call("GET", "/v1/list-payin?status=refunded", ""); status != 400 || got.code() != "invalid_status_filter" {
		t.Errorf("%d %v", status, got)
	}
	_, s.key = s.newKey()
	if got := s.get("/v1/list-payin"); got.at("deposits") == nil || len(got.list("deposits")) != 0 {
		t.Errorf("another merchant sees %v", got)
	}
}
