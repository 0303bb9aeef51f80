package api

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
	"causeway/ledger"
)

// credit books a transfer of a payin: 100 less a rate fee of 1 and a network fee of 2.
func (s *shop) credit(payin, txid string, final bool) {
	s.t.Helper()
	id := uuid.MustParse(payin)
	t := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Txid: txid, Token: "USDT", PayinID: &id, Status: pay.TransferCredited,
		Credits: 1,
		Amount:  dec("100"), Credited: dec("100"), RateFee: dec("1"), NetworkFee: dec("2")}
	s.exec(`insert into transfers (id, network, txid, token, position, address, amount, payin_id, status, credits)
		values (?, 'Tron', ?, 'USDT', 0, 'a', 100, ?, 'credited', 1)`, t.ID, txid, id)
	entries := []ledger.Entry{ledger.PayinCredited(s.merchant, "USDT", t)}
	if final {
		entries = append(entries, ledger.PayinFinalised(s.merchant, "USDT", t))
	}
	if _, err := ledger.Post(s.t.Context(), s.db, entries...); err != nil {
		s.t.Fatal(err)
	}
}

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

// withMovements has one final and one locked credit of 97 net each.
func withMovements(t *testing.T) (s *shop, id string) {
	s = newShop(t)
	_, created := s.payin()
	id = created.at("data.internal_reference").(string)
	s.credit(id, "tx-1", true)
	s.credit(id, "tx-2", false)
	return s, id
}

// Money of a deactivated token stays in sight: statements would not add up to balances.
func TestBalancesOfATokenThatIsNoLongerActive(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §10: GET /v1/balances")
	s, _ := withMovements(t)
	s.exec("update tokens set active = false where balance_key in ('USDT', 'OKB')")
	for range 2 { // the keys of the active tokens are shared
		s.get("/v1/balances").wants(t, map[string]any{
			"balances.USDT": "194.00000000", "available.USDT": "97.00000000", "locked.USDT": "97.00000000", "balances.OKB": nil,
			"balances.BTC": "0.00000000",
		})
	}
	_, s.key = s.newKey()
	s.get("/v1/balances").wants(t, map[string]any{"balances.USDT": nil})
}

func TestBalances(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §10: GET /v1/balances", "api-v1 §Other operations: GET /v1/balances (balances:read)", "addendum §6: total = available + locked")
	s, _ := withMovements(t)
	s.exec("update tokens set active = false where symbol = 'OKB'")
	got := s.get("/v1/balances")
	got.wants(t, map[string]any{
		"message": "balances_retrieved_success", "balances.USDT": "194.00000000", "available.USDT": "97.00000000", "locked.USDT": "97.00000000",
		"balances.BTC": "0.00000000", "locked.BTC": "0.00000000", "balances.OKB": nil,
	})
	keys := s.count("select count(distinct balance_key) from tokens where active")
	for _, group := range []string{"balances", "available", "locked"} {
		if n := len(got.at(group).(map[string]any)); n != keys {
			t.Errorf("%s has %d keys, want %d", group, n, keys)
		}
	}
}

// unserved is the catalogue of an installation serving no network any more.
type unserved struct{ *store.Store }

func (u unserved) Catalogue(ctx context.Context) (*store.Catalogue, error) {
	c, err := u.Store.Catalogue(ctx)
	if err == nil {
		c.Tokens = nil
	}
	return c, err
}

// TestMovementsOfNetworksThatAreNotServed: a movement is still found by its balance.
func TestMovementsOfNetworksThatAreNotServed(t *testing.T) {
	t.Parallel()
	s, _ := withMovements(t)
	s.operations.Queries.Catalogues = NewCatalogues(unserved{s.store}, s.clock)
	s.get("/v1/statements?balance=USDT").wants(t, map[string]any{"meta.total": 6, "statements.0.crypto_currency": "USDT"})
	s.get("/v1/statements/summary?balance=USDT").wants(t, map[string]any{"summary.0.balance": "USDT"})
	if _, got := s.call("GET", "/v1/statements?balance=NOPE", ""); got.code() != "invalid_format" {
		t.Errorf("%v", got)
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Versioning: breaking · Amounts of statements are strings",
		"api-v1 §Other operations: GET /v1/statements, GET /v1/statements/summary (statements:read)")
	s, id := withMovements(t)
	got := s.get("/v1/statements")
	got.wants(t, map[string]any{
		"message": "statements_retrieved_success", "meta.total": 6, "meta.total_pages": 1, "meta.per_page": 50,
		"statements.0.type": "FEE", "statements.0.direction": "out", "statements.0.amount": "2.00000000",
		"statements.0.balance_after": "194.00000000",
		"statements.2.type":          "DEPOSIT", "statements.2.direction": "in", "statements.2.amount": "100.00000000",
		"statements.2.balance_after": "197.00000000",
		"statements.2.balance":       "USDT", "statements.2.crypto_currency": "USDT", "statements.2.network": "Tron", "statements.2.txid": "tx-2",
		"statements.2.reference_id": "order-0000001", "statements.2.internal_reference": id, "statements.5.txid": "tx-1",
	})
	if fields := got.at("statements.0").(map[string]any); len(fields) != 12 {
		t.Errorf("fields %v", fields)
	}
	for query, want := range map[string]int{
		"type=DEPOSIT": 2, "type=rate&direction=OUT": 2, "direction=in": 2, "balance=USDT": 6, "balance=BTC": 0, "network=Tron": 6,
		"network=Polygon": 0,
		"min_amount=2":    4, "max_amount=2": 4, "min_amount=1.5&max_amount=99.99": 2, "min_amount=0": 6, "reference_id=order-0000001": 6,
		"reference_id=other":                     0,
		"date_from=" + dayBefore(s.clock(), 365): 6, "date_to=2020-01-01": 0, "per_page=4": 6, "type=WITHDRAWAL": 0,
	} {
		got := s.get("/v1/statements?" + query)
		if got.at("meta.total") != float64(want) {
			t.Errorf("%s: %v movements, want %d", query, got.at("meta.total"), want)
		}
	}
	s.get("/v1/statements?type=deposit&min_amount=1.50&date_from="+dayBefore(s.clock(), 1)).wants(t, map[string]any{
		"meta.filters.type": "DEPOSIT", "meta.filters.min_amount": "1.50", "meta.filters.date_from": nil})
	if rest := s.get("/v1/statements?per_page=4&page=2").list("statements"); len(rest) != 2 {
		t.Errorf("the second page has %d", len(rest))
	}
	_, s.key = s.newKey()
	if got := s.get("/v1/statements"); got.at("meta.total") != 0.0 || got.at("statements") == nil {
		t.Errorf("another merchant sees %v", got)
	}
}

func TestStatementsShowPayouts(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: A payout moves minus")
	s, _ := withMovements(t)
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: s.merchant, ReferenceID: "out-1", Asset: "USDT", Network: "Tron",
		Amount: dec("10"), Debit: dec("10")}
	s.exec(`insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit, rate_fee, network_fee,
			pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status, txid)
		values (?, ?, 'k', 'out-1', 'w', 'USDT', 'USDT', 'Tron', 'crypto_amount', 10, 10, 0, 0, false, false, 0, 'USD', '', 'sent', 'tx-out')`, p.ID, s.merchant)
	if _, err := ledger.Post(t.Context(), s.db, ledger.PayoutHeld(p)); err != nil {
		t.Fatal(err)
	}
	s.get("/v1/statements?reference_id=out-1").wants(t, map[string]any{
		"meta.total": 1, "statements.0.type": "WITHDRAWAL", "statements.0.direction": "out", "statements.0.txid": "tx-out",
		"statements.0.internal_reference": p.ID.String(), "statements.0.balance_after": "184.00000000",
	})
}

func TestStatementFilterRefusals(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_pagination", "api-v1 §Request-level errors: invalid_format",
		"api-v1 §Request-level errors: invalid_date_range", "api-v1 §Request-level errors: date_range_too_wide",
		"api-v1 §Request-level errors: invalid_amount", "api-v1 §Request-level errors: invalid_reference_id",
		"addendum §10: GET /v1/statements filters", "addendum §13: A range of statements without")
	s := newShop(t)
	for query, want := range map[string]struct{ code, field string }{
		"page=-1":                                 {"invalid_pagination", ""},
		"per_page=101":                            {"invalid_pagination", ""},
		"type=EXCHANGE":                           {"invalid_format", "type"},
		"type=ROYALTY":                            {"invalid_format", "type"},
		"direction=up":                            {"invalid_format", "direction"},
		"balance=usdt":                            {"invalid_format", "balance"},
		"network=trc20":                           {"invalid_format", "network"},
		"date_from=2026-02-30":                    {"invalid_format", "date_from"},
		"date_to=yesterday":                       {"invalid_format", "date_to"},
		"min_amount=1e3":                          {"invalid_amount", "min_amount"},
		"max_amount=-1":                           {"invalid_amount", "max_amount"},
		"min_amount=2&max_amount=1":               {"invalid_amount", "max_amount"},
		"reference_id=" + longText(256):           {"invalid_reference_id", ""},
		"date_from=2026-01-02&date_to=2026-01-01": {"invalid_date_range", ""},
		"date_from=2025-01-01&date_to=2026-01-02": {"date_range_too_wide", ""}, // 367 days
		"date_from=" + dayBefore(s.clock(), 366):  {"date_range_too_wide", ""}, // with today
	} {
		for _, path := range []string{"/v1/statements?", "/v1/statements/summary?"} {
			if want.code == "invalid_pagination" && path != "/v1/statements?" {
				continue
			}
			status, got := s.call("GET", path+query, "")
			field, _ := got.at("error.details.field").(string)
			if status != 400 || got.code() != want.code || field != want.field {
				t.Errorf("%s%.50s: %d %v", path, query, status, got)
			}
		}
	}
	_, got := s.call("GET", "/v1/statements?date_from=2020-01-01&date_to=2026-01-02", "")
	got.wants(t, map[string]any{"error.details.max_days": 366})
	s.get("/v1/statements?date_from=2025-01-01&date_to=2026-01-01") // 366 days
	s.get("/v1/statements?date_from=" + dayBefore(s.clock(), 365))
	s.get("/v1/statements/summary?date_from=" + dayBefore(s.clock(), -10) + "&per_page=0")
}

// dayBefore returns a day as date filters say it, in UTC-03:00.
func dayBefore(now time.Time, days int) string {
	return now.In(pay.DayZone).AddDate(0, 0, -days).Format(time.DateOnly)
}

func longText(n int) string { return fmt.Sprintf("%0*d", n, 1) }

func TestStatementsSummary(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §10: GET /v1/statements/summary")
	s, _ := withMovements(t)
	got := s.get("/v1/statements/summary?per_page=1&page=-1")
	if got["message"] != "statements_summary_retrieved_success" || len(got.list("summary")) != 3 {
		t.Fatalf("%v", got)
	}
	got.wants(t, map[string]any{
		"summary.0.type": "DEPOSIT", "summary.0.direction": "in", "summary.0.count": 2, "summary.0.total_amount": "200.00000000",
		"summary.0.balance": "USDT", "summary.0.crypto_currency": "USDT",
		"summary.1.type": "FEE", "summary.1.total_amount": "4.00000000", "summary.2.type": "RATE", "summary.2.total_amount": "2.00000000",
	})
	if got := s.get("/v1/statements/summary?direction=in"); len(got.list("summary")) != 1 {
		t.Errorf("%v", got)
	}
}
