package api

import (
	"net/http"
	"testing"

	"causeway/internal/proof/contract"
)

// breakWrites makes the database refuse every insert into, and update of, a table.
func (s *shop) breakWrites(table string) {
	s.t.Helper()
	s.exec(`create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken by the test'; end $$`)
	s.exec(`create trigger broken before insert or update on ` + table + ` for each row execute function broken()`)
}

func TestPayinThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: database_transaction_failed")
	s := newShop(t)
	s.breakWrites("addresses")
	status, got := s.payin()
	if status != 500 || got.code() != "database_transaction_failed" {
		t.Errorf("%d %v", status, got)
	}
	if n := s.count("select count(*) from payins"); n != 0 {
		t.Errorf("%d payins", n)
	}
}

// A payout under a daily limit is never made without being counted: while the day's counter is away it is refused, and
// the same reference may be sent later (api-v1 §Payout item errors).
func TestSpendingThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout item errors: daily_payout_limit_unavailable", "api-v1 §Limits: Daily limit")
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "100")
	s.payOut(item("before")) // of no limit
	s.exec(`update keys set daily_limit_usd = 50 where id = ?`, s.keyID)
	s.breakWrites("daily_spend")
	refused := func(body string, headers ...string) {
		t.Helper()
		a := s.payOut(body, headers...)
		decodeReply(t, a.text).wants(t, map[string]any{"results.0.error.code": "daily_payout_limit_unavailable", "summary.failed": 1})
		if a.status != http.StatusBadRequest {
			t.Errorf("%d %s", a.status, a.text)
		}
	}
	refused(item("counted"))
	refused(item("counted"), keyHeader, "a key")
	refused(item("before")) // the limit is looked at before the reference
	decodeReply(t, s.payOut(item("poor", "crypto_amount", `"87"`)).text).wants(t, map[string]any{"results.0.error.code": "insufficient_balance"})
	s.exec(`drop trigger broken on daily_spend; alter table daily_spend rename to gone`)
	r := decodeReply(t, s.payOut(batchOf(item("counted"), item("second"))).text)
	r.wants(t, map[string]any{
		"results.0.error.code": "daily_payout_limit_unavailable", "results.0.reference_id": "counted",
		"results.1.error.code": "daily_payout_limit_unavailable",
	})
	if n := s.count(`select count(*) from payouts`); n != 1 || s.balance("USDT") != "88" {
		t.Errorf("%d payouts, %s left", n, s.balance("USDT"))
	}
	s.exec(`alter table gone rename to daily_spend`)
	if a := s.payOut(item("counted")); a.status != http.StatusOK {
		t.Errorf("sent later: %s", a.text)
	}
	if n := s.count(`select count(*) from daily_spend where usd = 12`); n != 1 {
		t.Error("the payout was not counted")
	}
}

func TestWalletThatCannotBeRecorded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: assign_failed")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 5")
	s.breakWrites("wallets")
	if status, got := s.wallet("tron", "c-1"); status != 500 || got.code() != "assign_failed" {
		t.Errorf("%d %v", status, got)
	}
	if n := s.count("select count(*) from addresses"); n != 0 {
		t.Errorf("%d addresses", n)
	}
}

func TestWalletConfigThatCannotBeSaved(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: config_update_failed")
	s := newShop(t)
	s.breakWrites("merchants")
	status, got := s.call(http.MethodPut, "/v1/fixed-wallets/config", `{"webhook_url":"https://hooks.test/x"}`)
	if status != 500 || got.code() != "config_update_failed" {
		t.Errorf("%d %v", status, got)
	}
	if url := s.get("/v1/fixed-wallets/config").at("config.webhook_url"); url != nil {
		t.Errorf("webhook_url is %v", url)
	}
}

func TestStatementsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: database_error")
	s := newShop(t)
	s.exec("alter table postings rename to gone")
	s.exec("alter table list_counts rename to gone_too")
	for _, path := range []string{"/v1/statements", "/v1/statements/summary"} {
		if status, got := s.call(http.MethodGet, path, ""); status != 500 || got.code() != "database_error" || got.at("error.details") != nil {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
}

// Creating says nothing was processed; reading says a dependency is away.
func TestCatalogueThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: error_fetching_active_currencies", "api-v1 §System errors: service_unavailable",
		"api-v1 §GET /v1/summary: record_not_found (404")
	s := newShop(t)
	s.allow("wallets_mode = 'global', wallets_limit = 5")
	s.exec("alter table tokens rename to gone")
	payer := newShop(t)
	payer.payOut(item("r-1")).is(t, 500, "error_fetching_active_currencies")
	if n := payer.count("select count(*) from payouts"); n != 0 {
		t.Errorf("%d payouts", n)
	}
	if status, got := s.payin(); status != 500 || got.code() != "error_fetching_active_currencies" {
		t.Errorf("payin: %d %v", status, got)
	}
	for _, path := range []string{"/v1/summary", "/v1/summary/tokens", "/v1/summary/fiats", "/v1/balances", "/v1/get-currencies",
		"/v1/get-price?currency1=USDT&currency2=USD", "/v1/statements", "/v1/fixed-wallets", "/v1/fixed-wallets/supported"} {
		if status, got := s.call(http.MethodGet, path, ""); status != 503 || got.code() != "service_unavailable" {
			t.Errorf("%s: %d %v", path, status, got)
		}
	}
	if status, got := s.wallet("tron", "c-1"); status != 503 || got.code() != "service_unavailable" {
		t.Errorf("wallet: %d %v", status, got)
	}
	s.exec("alter table gone rename to tokens")
	s.get("/v1/summary")
}

// Without a database nobody is told of a wrong key, and nobody is blocked for one.
func TestDatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: internal_error")
	s := newShop(t)
	s.exec("alter table keys rename to gone")
	for range 20 {
		if status, got := s.call(http.MethodGet, "/v1/balances", ""); status != 500 || got.code() != "internal_error" {
			t.Fatalf("%d %v", status, got)
		}
	}
	s.exec("alter table gone rename to keys")
	s.get("/v1/balances")
}

func TestSignatureHeaders(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Authentication and access: signature_headers_missing", "api-v1 §Authentication and access: signature_timestamp_invalid",
		"api-v1 §Authentication and access: signature_timestamp_out_of_range", "api-v1 §Authentication and access: signature_nonce_length_invalid",
		"api-v1 §Authentication and access: signature_nonce_charset_invalid", "api-v1 §Authentication and access: signature_invalid",
		"api-v1 §Limits: Nonce", "api-v1 §Limits: Timestamp of a signature")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	front := s.open()
	_, key := s.newKey("signs = true")
	for _, c := range []struct{ header, value, code string }{
		{"X-Service-Signature", "", "signature_headers_missing"},
		{"X-Service-Timestamp", "", "signature_headers_missing"},
		{"X-Service-Nonce", "", "signature_headers_missing"},
		{"X-Service-Timestamp", "17600000x0", "signature_timestamp_invalid"},
		{"X-Service-Timestamp", "-1760000000", "signature_timestamp_invalid"},
		{"X-Service-Timestamp", " 1760000000", "signature_timestamp_invalid"},
		{"X-Service-Timestamp", "1760000000", "signature_timestamp_out_of_range"},
		{"X-Service-Timestamp", "99999999999999999999", "signature_timestamp_out_of_range"},
		{"X-Service-Nonce", "fifteen-letters", "signature_nonce_length_invalid"},
		{"X-Service-Nonce", "a nonce with spaces in it", "signature_nonce_charset_invalid"},
		{"X-Service-Nonce", "nonce-of-16.point", "signature_nonce_charset_invalid"},
		{"X-Service-Signature", "00", "signature_invalid"},
	} {
		r := signedAt(s.clock(), request("GET", "/v1/balances", key, ""), nonces(), "")
		r.Header.Set(c.header, c.value)
		ask(t, front, r).is(t, 401, c.code)
	}
	ask(t, front, signedAt(s.clock(), request("GET", "/v1/balances", key, ""), nonces(), "")).is(t, 200, "")
}
