package api

import (
	"fmt"
	"reflect"
	"testing"

	"causeway/internal/proof/contract"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Account summary: GET /v1/summary answers", "api-v1 §Account summary: user_info", "api-v1 §Account summary: summary_stats",
		"api-v1 §Account summary: accepted_tokens[]", "api-v1 §What the service does: Queries answer", "api-v1 §Versioning: added · balance_key")
	s := newShop(t)
	s.exec("update tokens set active = false where symbol = 'OKB'")
	s.exec("update tokens set max_receipt = 5000.50, network_fee = 0.001, fee_currency = 'ETH' where symbol = 'USDT' and network = 'Ethereum'")
	s.exec("update fiats set accepted = false where code = 'AUD'")
	s.exec("update merchants set receipt_rate = 1.50")
	got := s.get("/v1/summary")
	tokens, fiats := s.count("select count(*) from tokens where active"), s.count("select count(*) from fiats where accepted")
	got.wants(t, map[string]any{
		"message": "summary_retrieved_success", "data.user_info.minimum_payment": "100", "data.user_info.receipt_rate": "1.5",
		"data.user_info.payment_rate": "0", "data.user_info.user_pays_payment_network_fee": true,
		"data.user_info.user_pays_receipt_network_fee": false,
		"data.summary_stats.total_tokens":              tokens, "data.summary_stats.total_fiats": fiats, "data.summary_stats.total_network_overrides": 0,
	})
	if rates, isList := got.at("data.network_rates").([]any); !isList || len(rates) != 0 {
		t.Errorf("without overrides network_rates is %v", got.at("data.network_rates"))
	}
	if len(got.list("data.accepted_tokens")) != tokens || len(got.list("data.accepted_fiats")) != fiats {
		t.Error("the lists are not as long as their totals")
	}
	token := map[string]any{}
	for _, item := range got.list("data.accepted_tokens") {
		if one := item.(map[string]any); one["symbol"] == "USDT" && one["network"] == "Ethereum" {
			token = one
		}
	}
	reply(token).wants(t, map[string]any{
		"contract_address": "0xdAC17F958D2ee523a2206206994597C13D831ec7", "variant": "native", "balance_key": "USDT",
		"min_receipt": "1", "max_receipt": "5000.5", "min_withdrawal": "1", "max_withdrawal": "unlimited", "network_fee": "3",
	})
}

// A fee set in another currency is converted, or not told: the configured number would be read in the token.
//
// Covers addendum §13: network_fee of the summary is in the token
func TestSummaryTellsNoFeeInAnotherUnit(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.exec("update tokens set network_fee = 0.001, fee_currency = 'ETH' where symbol = 'USDT' and network = 'Ethereum'")
	s.exec("delete from prices where base = 'ETH'")
	found := false
	for _, item := range s.get("/v1/summary/tokens").list("tokens") {
		one := item.(map[string]any)
		fee, told := one["network_fee"]
		switch here := one["symbol"] == "USDT" && one["network"] == "Ethereum"; {
		case here && (!told || fee != nil):
			t.Errorf("without a price the fee is %v, told: %v", fee, told)
		case !here && one["symbol"] == "USDT" && fee == nil:
			t.Errorf("%v on %v has no fee", one["symbol"], one["network"])
		default:
			found = found || here
		}
	}
	if !found {
		t.Error("the token is not listed")
	}
}

func TestSummaryOverrides(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Account summary: network_rates")
	s := newShop(t)
	s.exec("update merchants set payment_rate = 2, minimum_payment = 95.5")
	s.exec("insert into merchant_networks (merchant_id, network, receipt_rate, user_pays_receipt_network_fee) values (?0, 'Tron', 0.25, true)", s.merchant)
	s.exec("insert into merchant_networks (merchant_id, network) values (?0, 'Polygon')", s.merchant) // says nothing
	s.get("/v1/summary").wants(t, map[string]any{
		"data.user_info.minimum_payment": "95.5", "data.summary_stats.total_network_overrides": 1,
		"data.network_rates.Tron.receipt_rate": "0.25", "data.network_rates.Tron.payment_rate": "2",
		"data.network_rates.Tron.user_pays_receipt_network_fee": true, "data.network_rates.Tron.user_pays_payment_network_fee": nil,
		"data.network_rates.Polygon": nil,
	})
}

func TestAcceptedLists(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §10: GET /v1/summary/tokens", "addendum §10: GET /v1/get-currencies", "api-v1 §Account summary: accepted_fiats[]",
		"api-v1 §Other operations: GET /v1/get-currencies", "api-v1 §Other operations: GET /v1/summary/tokens, GET /v1/summary/fiats")
	s := newShop(t)
	s.exec("update fiats set accepted = false where code = 'AUD'")
	tokens := s.get("/v1/summary/tokens")
	if tokens["message"] != "tokens_retrieved_success" || len(tokens.list("tokens")) != s.count("select count(*) from tokens") {
		t.Errorf("%v", tokens["message"])
	}
	s.get("/v1/summary/fiats").wants(t, map[string]any{"message": "fiats_retrieved_success", "fiats.0.code": "ARS", "fiats.0.symbol": "$"})
	got := s.get("/v1/get-currencies")
	got.wants(t, map[string]any{"message": "currencies_retrieved_success", "tokens.0": "ADA", "fiats.0": "ARS"})
	if len(got.list("tokens")) != s.count("select count(distinct symbol) from tokens") || len(got.list("fiats")) != 9 {
		t.Errorf("%v", got)
	}
	for _, code := range append(got.list("tokens"), got.list("fiats")...) {
		s.get(fmt.Sprintf("/v1/get-price?currency1=%s&currency2=EUR", code))
	}
	summary := s.get("/v1/summary")
	if !reflect.DeepEqual(tokens.at("tokens"), summary.at("data.accepted_tokens")) ||
		!reflect.DeepEqual(s.get("/v1/summary/fiats").at("fiats"), summary.at("data.accepted_fiats")) {
		t.Error("the summary says something else")
	}
}

func TestGetPrice(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: missing_parameters", "api-v1 §Request-level errors: invalid_currency",
		"api-v1 §Business errors: price_not_found", "addendum §10: GET /v1/get-price", "api-v1 §Other operations: GET /v1/get-price (prices:read)")
	s := newShop(t)
	s.exec("update prices set price = 63250.109, updated_at = '2026-05-01 12:00:00+00' where base = 'BTC'")
	s.exec("update prices set price = 0 where base = 'DOGE'")
	s.exec("delete from prices where base = 'OKB'")
	for query, want := range map[string][3]string{
		"currency1=BTC&currency2=USD":  {"63.250,10", "BTC", "USD"},
		"currency1=BTC&currency2=usd":  {"63.250,10", "BTC", "USD"},
		"currency1=BTC&currency2=BRL":  {"341.550,58", "BTC", "BRL"},
		"currency1=BTC&currency2=USDT": {"63.250,10", "BTC", "USDT"},
		"currency1=TRX&currency2=USD":  {"0,25000000", "TRX", "USD"},
		"currency1=USD&currency2=BTC":  {"0,000015810249", "USD", "BTC"},
		"currency1=BRL&currency2=USD":  {"0,18518518", "BRL", "USD"},
		"currency1=USD&currency2=USD":  {"1,00", "USD", "USD"},
	} {
		s.get("/v1/get-price?"+query).wants(t, map[string]any{
			"message": "price_retrieved_success", "price": want[0], "currency1": want[1], "currency2": want[2]})
	}
	s.get("/v1/get-price?currency1=BTC&currency2=USD").wants(t, map[string]any{"updated_at": "2026-05-01 12:00:00"})
	for query, want := range map[string]struct {
		status int
		code   string
	}{
		"":                              {400, "missing_parameters"},
		"currency1=BTC":                 {400, "missing_parameters"},
		"currency1=&currency2=USD":      {400, "missing_parameters"},
		"currency1=btc&currency2=USD":   {400, "invalid_currency"},
		"currency1=BTC&currency2=XXX":   {400, "invalid_currency"},
		"currency1=DOGE&currency2=USD":  {404, "price_not_found"},
		"currency1=DOGE&currency2=DOGE": {404, "price_not_found"},
		"currency1=OKB&currency2=BTC":   {404, "price_not_found"},
	} {
		status, got := s.call("GET", "/v1/get-price?"+query, "")
		if status != want.status || got.code() != want.code {
			t.Errorf("%s: %d %v", query, status, got)
		}
	}
}
