package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

// quoted asks for a quote; the parameters come in pairs.
func (s *shop) quoted(operation, amount string, changes ...string) reply {
	s.t.Helper()
	q := url.Values{"operation": {operation}, "network": {"Ethereum"}, "token": {"USDT"}, "amount": {amount}}
	for i := 0; i < len(changes); i += 2 {
		q.Set(changes[i], changes[i+1])
	}
	return s.get("/v1/quote?" + q.Encode())
}

// A quote of a payout is equal to the payout's result, with either feetakenfromamount, or to the code of its refusal.
func TestQuotesOfPayoutsAreWhatPayoutsCome(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Quote: It is worked out", "api-v1 §Quote: A payout has two options", "api-v1 §Quote: What the operation would refuse",
		"api-v1 §Quote: With currency")
	s := newShop(t, holding("1000"))
	s.fund(s.merchant, "USDT", "100000")
	s.fund(s.merchant, "ETH", "100")
	s.exec(`update merchants set payment_rate = 1.5, preferred_fiat = 'EUR' where id = ?`, s.merchant)
	s.exec(`insert into merchant_networks (merchant_id, network, payment_rate, user_pays_payment_network_fee) values (?, 'Polygon', 0.333333, false)`, s.merchant)
	s.exec(`update tokens set network_fee = 0.0003, fee_currency = 'ETH' where symbol = 'USDT' and network = 'Base'`)
	s.exec(`update tokens set fee_currency = 'NOPE' where symbol = 'USDT' and network = 'Optimism'`)
	s.exec(`update tokens set max_withdrawal = 500 where symbol = 'USDT' and network = 'Polygon'`)
	s.exec(`update tokens set withdrawals = false where network = 'Celo'`)
	s.exec(`update tokens set active = false where symbol = 'TRX'`)
	s.exec(`update prices set price = 2999.99999 where base = 'ETH'`)
	s.exec(`delete from prices where quote = 'JPY'`)
	serial, accepted := 0, 0
	for _, c := range []struct{ network, token, amount, currency string }{
		{"Ethereum", "USDT", "10", ""}, {"erc20", "USDT", "10.000999", ""}, {"Polygon", "USDT", "10", ""}, {"Base", "USDT", "10", ""},
		{"Ethereum", "ETH", "0.123456789", ""},
		{"Ethereum", "USDT", "100", "brl"}, {"Base", "USDT", "54", "BRL"}, {"Ethereum", "ETH", "1000", "USD"},
		{"Ethereum", "USDT", "2", ""}, {"Ethereum", "USDT", "3", ""},
		{"Ethereum", "USDT", "0.99", ""}, {"Polygon", "USDT", "500.01", ""}, {"Polygon", "USDT", "500", ""}, {"Celo", "USDT", "10", ""},
		{"Ethereum", "BTC", "1", ""},
		{"Ethereum", "NOPE", "1", ""}, {"Ethereum", "USDT", "0.0000001", ""}, {"Ethereum", "USDT", "0.0000001", "USD"},
		{"Ethereum", "USDT", "10", "JPY"},
		{"Optimism", "USDT", "10", ""}, {"Tron", "TRX", "10", ""}, {"Ethereum", "USDT", "999999999999999999999999999999.99", ""},
	} {
		changes := []string{"network", c.network, "token", c.token}
		order := []string{"network", quote(c.network), "crypto_currency", quote(c.token), "crypto_amount", quote(c.amount)}
		if c.currency != "" {
			changes = append(changes, "currency", c.currency)
			order = append(order, "process_by", `"fiat_amount"`, "fiat_currency", quote(c.currency), "fiat_amount", quote(c.amount))
		}
		q := s.quoted("payout", c.amount, changes...)
		for i, flag := range []string{"0", "1"} {
			serial++
			_, ran := s.call(http.MethodPost, "/v1/payout",
				item(fmt.Sprintf("quoted-%d", serial), append(order, "feetakenfromamount", quote(flag))...))
			option := reply(q.at(fmt.Sprintf("options.%d", i)).(map[string]any))
			option.wants(t, map[string]any{"feetakenfromamount": flag})
			if option["accepted"] != true {
				code := ran.at("results.0.error.code")
				if ran.code() == "insufficient_total_balance" {
					t.Errorf("%v: %v", c, ran)
				}
				option.wants(t, map[string]any{"reason": code, "gross": nil, "net": nil, "rate_fee": nil})
				continue
			}
			if ran.code() == "insufficient_total_balance" { // a quote does not look at it
				continue
			}
			accepted++
			ran.wants(t, map[string]any{"results.0.status": "created", "results.0.crypto_amount": option["net"],
				"results.0.fiat_amount": option["fiat_amount"],
				"results.0.network_fee": q["network_fee"], "results.0.fiat_currency": q["fiat_currency"], "results.0.network": q["network"]})
			n := s.count(`select count(*) from payouts where id = ? and debit = ? and rate_fee = ? and debit - amount - rate_fee = ? and percent_rate = ? and pays_network_fee = ?`,
				ran.at("results.0.internal_reference"), option["gross"], option["rate_fee"], option["network_fee"], q["percent_rate"], q["pays_network_fee"])
			if n != 1 {
				t.Errorf("%v: the payout is not as quoted: %v", c, q)
			}
		}
		anyOption := q.at("options.0.accepted") == true || q.at("options.1.accepted") == true
		if q["accepted"] != anyOption || (q["reason"] == nil) != anyOption {
			t.Errorf("%v: %v", c, q)
		}
	}
	if accepted < 15 {
		t.Errorf("only %d were created", accepted)
	}
}

// A quote of a payin is equal to the payin made, or to the code of its refusal.
func TestQuotesOfPayins(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Quote: A payin has one option", "api-v1 §Quote: What the operation would refuse")
	s := newShop(t)
	s.exec(`update merchants set receipt_rate = 0.5, user_pays_receipt_network_fee = true where id = ?`, s.merchant)
	s.exec(`update tokens set min_receipt = 5, max_receipt = 1000 where symbol = 'USDT' and network = 'Tron'`)
	s.exec(`update tokens set deposits = false where symbol = 'USDC' and network = 'Base'`)
	s.exec(`update tokens set active = false where symbol = 'TRX'`)
	s.exec(`delete from prices where quote = 'JPY'`)
	for i, c := range []struct{ network, token, amount, currency, net string }{
		{"Tron", "USDT", "100", "", "98.5"}, {"trc20", "USDT", "10.1234567", "", "9.072839"}, {"Tron", "USDT", "540", "brl", "98.5"},
		{"Tron", "USDT", "4.99", "", ""},
		{"Tron", "USDT", "1000.01", "", ""}, {"Tron", "USDT", "1", "USD", ""}, {"Tron", "USDT", "2000", "USD", ""},
		{"Tron", "NOPE", "10", "", ""}, {"Tron", "usdt", "10", "", ""}, {"Tron", "BTC", "10", "", ""},
		{"Base", "USDC", "10", "", ""}, {"Tron", "TRX", "10", "", ""}, {"Tron", "USDT", "0.0000001", "", ""}, {"Tron", "USDT", "10", "JPY", ""},
	} {
		changes := []string{"network", c.network, "token", c.token}
		order := []string{"network", quote(c.network), "crypto_currency", quote(c.token), "crypto_amount", quote(c.amount), "fiat_amount",
			"", "reference_id", quote(fmt.Sprintf("quoted-%05d", i))}
		if c.currency != "" {
			changes = append(changes, "currency", c.currency)
			order = append(order, "process_by", `"fiat_amount"`, "fiat_currency", quote(c.currency), "fiat_amount", quote(c.amount))
		}
		q := s.quoted("payin", c.amount, changes...)
		status, made := s.payin(order...)
		if status != http.StatusOK {
			q.wants(t, map[string]any{"accepted": false, "reason": made.code(), "reason_message": made.at("error.message"), "options.0.net": nil, "options.1": nil})
			if c.net != "" {
				t.Errorf("%v: %v", c, made)
			}
			continue
		}
		q.wants(t, map[string]any{"accepted": true, "reason": nil, "operation": "payin", "crypto_amount": made.at("data.crypto_amount"),
			"fiat_currency":      made.at("data.fiat_currency"),
			"options.0.accepted": true, "options.0.gross": made.at("data.crypto_amount"),
			"options.0.fiat_amount": made.at("data.fiat_amount"), "options.0.net": c.net,
			"options.0.feetakenfromamount": nil, "options.0.network_fee": "1", "options.1": nil, "min_amount": "5", "max_amount": "1000", "pays_network_fee": true, "percent_rate": "0.5", "network_fee": "1"})
		if n := s.count(`select count(*) from payins where id = ? and percent_rate = ? and network_fee = ?`,
			made.at("data.internal_reference"), q["percent_rate"], q["network_fee"]); n != 1 {
			t.Errorf("%v: the payin is not as quoted: %v", c, q)
		}
	}
}

// A whole answer, and the faults of a query.
func TestQuoteAnswer(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Quote: GET /v1/quote (prices:read)", "api-v1 §Quote: The answer is")
	s := newShop(t)
	s.exec(`update prices set updated_at = '2026-05-06 07:08:09+00', pinned = true where base = 'USDT' and quote = 'USD'`)
	before := s.contents()
	s.quoted("payout", "100").wants(t, map[string]any{
		"message": "quote_retrieved_success", "operation": "payout", "network": "Ethereum", "crypto_currency": "USDT",
		"fiat_currency": "USD", "process_by": "crypto_amount",
		"accepted": true, "reason": nil, "crypto_amount": "100", "min_amount": "1", "max_amount": "unlimited", "percent_rate": "0",
		"network_fee": "2", "pays_network_fee": true,
		"price": "1", "price_updated_at": "2026-05-06 07:08:09", "options.0.gross": "102", "options.0.net": "100", "options.1.gross": "100",
		"options.1.net":      "98",
		"options.1.rate_fee": "0", "options.1.network_fee": "2", "options.1.fiat_amount": "98.00000000",
	})
	s.quoted("payout", "5", "token", "TON", "network", "ton").wants(t, map[string]any{"accepted": true})
	s.quoted("payin", "5", "token", "TON", "network", "ton").wants(t, map[string]any{"accepted": true})
	for _, operation := range []string{"payin", "payout"} {
		q := s.quoted(operation, "5", "token", "uSdt")
		if said, _ := q.at("reason_message").(string); q.at("accepted") != false || !strings.HasSuffix(said, " USDT must be written so, not uSdt.") {
			t.Errorf("a token in the wrong case: %v", q)
		}
	}
	s.quoted("payin", "5", "token", "NOPE").wants(t, map[string]any{"accepted": false, "min_amount": nil, "percent_rate": nil, "price": nil,
		"options.0": nil})
	for query, field := range map[string]string{
		"": "operation", "operation=refund": "operation", "operation=PAYOUT": "operation", "network=": "network",
		"network=Nowhere": "network", "token=": "token", "amount=": "amount",
		"amount=0": "amount", "amount=0.000": "amount", "amount=-1": "amount", "amount=1e3": "amount", "amount=.5": "amount",
		"amount=1,5": "amount", "amount=%201": "amount",
		"amount=1%22,%22x%22:%221": "amount", "amount=" + "9999999999999999999999999999999": "amount", "currency=XXX": "currency",
		"currency=USDT": "currency",
	} {
		full := url.Values{"operation": {"payout"}, "network": {"Tron"}, "token": {"USDT"}, "amount": {"1"}}
		if query == "" {
			full = url.Values{}
		}
		changed, _ := url.ParseQuery(query)
		for name, values := range changed {
			full[name] = values
		}
		status, r := s.call(http.MethodGet, "/v1/quote?"+full.Encode(), "")
		if status != 400 || r.code() != "invalid_parameters" || r.at("error.details.fields."+field) == nil {
			t.Errorf("%s: %d %v", query, status, r)
		}
	}
	for _, method := range []string{"HEAD", "POST", "PUT"} {
		if a := ask(t, s.front, request(method, "/v1/quote?operation=payout", s.key, "")); a.status != 404 {
			t.Errorf("%s: %d", method, a.status)
		}
	}
	if s.contents() != before {
		t.Error("something was recorded")
	}
}
