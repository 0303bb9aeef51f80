package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"causeway/internal/proof/contract"
)

// aPayin is an acceptable request; the reference is new each time order clones it.
var aPayin = map[string]string{
	"crypto_currency": `"USDT"`, "network": `"Tron"`, "process_by": `"crypto_amount"`, "crypto_amount": `"10"`,
	"webhook_url": `"https://hooks.test/in"`, "reference_id": `"order-0000001"`,
}

func (s *shop) payin(changes ...string) (int, reply) {
	s.t.Helper()
	return s.call(http.MethodPost, "/v1/payin", with(aPayin, changes...))
}

func TestPayinBody(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_parameters", "api-v1 §POST /v1/payin: The body is one payin", "api-v1 §POST /v1/payin: Two or more",
		"api-v1 §POST /v1/payin: An empty body")
	s := newShop(t)
	one := with(aPayin)
	for body, reason := range map[string]string{
		"": "invalid_or_empty_data", "null": "invalid_or_empty_data", "[]": "invalid_or_empty_data", "{}": "invalid_or_empty_data",
		"7": "invalid_or_empty_data", `"x"`: "invalid_or_empty_data", "[null]": "invalid_or_empty_data", "[[]]": "invalid_or_empty_data",
		"[" + one + "," + one + "]": "batch_not_allowed_use_single_object",
	} {
		status, got := s.call(http.MethodPost, "/v1/payin", body)
		if status != 400 || got.code() != "invalid_parameters" || got.at("error.details.reason") != reason {
			t.Errorf("%s: %d %v", body, status, got)
		}
	}
	if status, got := s.call(http.MethodPost, "/v1/payin", "["+one+"]"); status != 200 {
		t.Errorf("a list of one: %d %v", status, got)
	}
}

func TestPayinFields(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payin request object: process_by", "api-v1 §Payin request object: reference_id", "api-v1 §Payin request object: expires_at",
		"api-v1 §Payin request object: memo", "api-v1 §Payin request object: customer_info", "api-v1 §Payin request object: crypto_amount",
		"api-v1 §Limits: expires_at", "api-v1 §Versioning: removed")
	s := newShop(t)
	long := strings.Repeat("é", 201)
	for _, c := range []struct{ field, raw string }{
		{"crypto_currency", ""}, {"crypto_currency", `5`}, {"crypto_currency", `""`},
		{"process_by", ""}, {"process_by", `"usd"`}, {"process_by", `["crypto_amount"]`},
		{"reference_id", ""}, {"reference_id", `"  "`}, {"reference_id", `12345`}, {"reference_id", `"` + strings.Repeat("r", 256) + `"`},
		{"network", ""}, {"network", `{}`},
		{"webhook_url", ""}, {"webhook_url", `"https://hooks.test/` + strings.Repeat("a", 756) + `"`}, {"webhook_url", `"not a url"`},
		{"customer_info", `"two words"`}, {"customer_info", `"` + long + `"`}, {"customer_info", `7`}, {"customer_info", "\"a\\u00a0b\""},
		{"expires_at", `0`}, {"expires_at", `-1`}, {"expires_at", `86401`}, {"expires_at", `1.5`}, {"expires_at", `"10"`},
		{"expires_at", `1e2`}, {"expires_at", `true`}, {"memo", `"1234567"`}, {"memo", `"1234567890123456"`}, {"memo", `"12345678a"`}, {"memo", `12345678`},
		{"fiat_currency", `1`}, {"fiat_currency", `"XXX"`},
		{"crypto_amount", `"0"`}, {"crypto_amount", `"0.000"`}, {"crypto_amount", `-1`}, {"crypto_amount", `"+1"`}, {"crypto_amount", `" 1"`},
		{"crypto_amount", `".5"`}, {"crypto_amount", `"5."`}, {"crypto_amount", `1e3`}, {"crypto_amount", `1e1000000000`},
		{"crypto_amount", `"0x10"`}, {"crypto_amount", `"1_000"`}, {"crypto_amount", `"1,5"`}, {"crypto_amount", `"NaN"`}, {"crypto_amount", `"−1"`}, {"crypto_amount", `"１"`},
		{"crypto_amount", `"` + strings.Repeat("1", 31) + `"`}, {"crypto_amount", `true`}, {"crypto_amount", `[]`}, {"crypto_amount", `""`},
		{"fiat_amount", `"1,5"`}, {"fiat_amount", `0`},
	} {
		status, got := s.payin(c.field, c.raw)
		if status != 400 || got.code() != "invalid_parameters" || got.at("error.details.fields."+c.field) == nil {
			t.Errorf("%s %.60s: %d %v", c.field, c.raw, status, got)
		}
	}
	if n := s.count("select count(*) from payins"); n != 0 {
		t.Errorf("%d payins were recorded", n)
	}
}

func TestPayinWebhookURL(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payin request object: webhook_url", "api-v1 §POST /v1/payin: An unsafe webhook_url")
	s := newShop(t)
	for _, address := range []string{"http://example.com/x", "https://u:p@hooks.test/x", "https://8.8.8.8:8443/x", "https://10.0.0.1/x",
		"https://localhost/x", "https://[2606:4700::1111]/x", "https://2130706433/x", "https://127.1/x", "https://0x7f.1/x"} {
		status, got := s.payin("webhook_url", `"`+address+`"`)
		if status != 400 || got.code() != "invalid_parameters" {
			t.Errorf("%s: %d %v", address, status, got)
		}
		got.wants(t, map[string]any{"error.details.field": "webhook_url", "error.details.reason": "unsafe_url"})
	}
}

// The codes of api-v1 §Request-level errors and §Business errors, each with its cause.
func TestPayinRefusals(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: crypto_amount_required", "api-v1 §Request-level errors: fiat_amount_required",
		"api-v1 §Request-level errors: fiat_currency_required", "api-v1 §Request-level errors: invalid_parameters_for_process_by",
		"api-v1 §Business errors: invalid_network_or_deposits_disabled", "api-v1 §Business errors: unsupported_token_or_deposits_disabled",
		"api-v1 §Business errors: token_network_mismatch", "api-v1 §Business errors: token_not_supported_or_inactive",
		"api-v1 §Business errors: memo_required", "api-v1 §Business errors: crypto_amount_does_not_correspond_to_fiat_amount_provided",
		"api-v1 §System errors: price_not_available_for_conversion", "api-v1 §System errors: price_not_available_for_validation",
		"api-v1 §Payin request object: crypto_currency", "api-v1 §Payin request object: network", "api-v1 §Payin request object: fiat_currency")
	for _, c := range []struct {
		code    string
		status  int
		before  string // SQL
		changes []string
	}{
		{"crypto_amount_required", 400, "", []string{"crypto_amount", ""}},
		{"crypto_amount_required", 400, "", []string{"crypto_amount", "null"}},
		{"fiat_amount_required", 400, "", []string{"process_by", `"fiat_amount"`, "fiat_currency", `"USD"`}},
		{"fiat_currency_required", 400, "", []string{"process_by", `"fiat_amount"`, "fiat_amount", `5`}},
		{"invalid_network_or_deposits_disabled", 400, "", []string{"network", `"Nowhere"`}},
		{"invalid_network_or_deposits_disabled", 400, "update tokens set deposits = false where network = 'Tron'", nil},
		{"unsupported_token_or_deposits_disabled", 400, "", []string{"crypto_currency", `"usdt"`}},
		{"unsupported_token_or_deposits_disabled", 400, "update tokens set deposits = false where network = 'Tron' and symbol = 'USDT'", nil},
		{"token_network_mismatch", 400, "", []string{"crypto_currency", `"BTC"`}},
		{"token_not_supported_or_inactive", 400, "update tokens set active = false where network = 'Tron' and symbol = 'USDT'", nil},
		{"memo_required", 400, "", []string{"network", `"TON"`}},
		{"invalid_parameters_for_process_by", 400, "", []string{"crypto_amount", `"0.0000001"`}},
		{"invalid_parameters_for_process_by", 400, "",
			[]string{"process_by", `"fiat_amount"`, "fiat_amount", `"0.0000001"`, "fiat_currency", `"USD"`}},
		{"invalid_parameters_for_process_by", 400, "",
			[]string{"process_by", `"fiat_amount"`, "fiat_amount", `"` + strings.Repeat("9", 30) + `"`, "fiat_currency", `"USD"`,
				"crypto_currency", `"TRX"`}},
		{"price_not_available_for_conversion", 503, "update prices set price = 0 where base = 'USDT'",
			[]string{"process_by", `"fiat_amount"`, "fiat_amount", `"5"`, "fiat_currency", `"USD"`}},
		{"price_not_available_for_validation", 503, "delete from prices where base = 'USDT'", []string{"fiat_amount", `"10"`}},
		{"price_not_available_for_conversion", 503,
			"update tokens set fee_currency = 'XXX' where symbol = 'USDT'; update merchants set user_pays_receipt_network_fee = true", nil},
		{"crypto_amount_does_not_correspond_to_fiat_amount_provided", 400, "", []string{"fiat_amount", `"100"`}},
	} {
		t.Run(c.code, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			if c.before != "" {
				s.exec(c.before)
			}
			status, got := s.payin(c.changes...)
			if status != c.status || got.code() != c.code {
				t.Errorf("%v: %d %v, want %d %s", c.changes, status, got, c.status, c.code)
			}
			if n := s.count("select count(*) from payins"); n != 0 {
				t.Errorf("%d payins were recorded", n)
			}
		})
	}
}

// Both edges of ±30 % are inside: at a price of 4 the value of 10 is 40.
func TestPayinAmountsMustCorrespond(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: crypto_amount_does_not_correspond_to_fiat_amount_provided", "api-v1 §Limits: crypto_amount against fiat_amount",
		"api-v1 §Payin request object: fiat_amount")
	s := newShop(t)
	s.exec("update prices set price = 4 where base = 'USDT'")
	for i, c := range []struct {
		crypto string
		status int
	}{
		{"7", 200}, {"6.999999", 400}, {"13", 200}, {"13.000001", 400}, {"10", 200}, {"13.0000001", 200}, // the last is cut to 13
	} {
		status, got := s.payin("crypto_amount", `"`+c.crypto+`"`, "fiat_amount", `40`, "reference_id", fmt.Sprintf(`"edge-%d"`, i))
		if status != c.status {
			t.Errorf("%s for 40: %d %v", c.crypto, status, got)
		}
	}
}

func TestPayinLimits(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: amount_out_of_limits", "api-v1 §Business errors: value_below_minimum",
		"api-v1 §Business errors: value_above_maximum", "api-v1 §POST /v1/payin: Limits: with process_by",
		"api-v1 §POST /v1/payin: With fiat_amount it is", "api-v1 §Limits: Amounts of a token")
	s := newShop(t)
	s.exec("update tokens set min_receipt = 2.5, max_receipt = 100 where symbol = 'USDT' and network = 'Tron'")
	s.exec("update prices set price = 3 where base = 'USDT'")
	for _, amount := range []string{"2.499999", "100.000001"} {
		status, got := s.payin("crypto_amount", amount)
		got.wants(t, map[string]any{
			"error.code": "amount_out_of_limits", "error.details.crypto_amount": amount, "error.details.crypto_currency": "USDT",
			"error.details.min_allowed": "2.5", "error.details.max_allowed": "100", "error.details.process_by": "crypto_amount",
		})
		if status != 400 || got.at("error.details.message") == nil {
			t.Errorf("%s: %d %v", amount, status, got)
		}
	}
	byFiat := func(amount string) reply {
		_, got := s.payin("process_by", `"fiat_amount"`, "fiat_amount", amount, "fiat_currency", `"usd"`)
		return got
	}
	byFiat("7.4").wants(t, map[string]any{
		"error.code": "value_below_minimum", "error.details.reason": "below_minimum", "error.details.crypto_currency": "USDT",
		"error.details.fiat_currency": "USD", "error.details.fiat_amount": "7.4", "error.details.crypto_amount": "2.466666",
		"error.details.min_crypto": "2.5", "error.details.max_crypto": "100", "error.details.min_fiat": "7.5", "error.details.max_fiat": "300",
	})
	byFiat("300.1").wants(t, map[string]any{"error.code": "value_above_maximum", "error.details.reason": "above_maximum"})
	s.exec("update tokens set max_receipt = null where symbol = 'USDT' and network = 'Tron'")
	byFiat("1").wants(t, map[string]any{"error.details.max_crypto": "unlimited", "error.details.max_fiat": "unlimited"})
	if status, got := s.payin("crypto_amount", "2.5"); status != 200 {
		t.Errorf("the minimum itself: %d %v", status, got)
	}
}

func TestPayinCreated(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payin creation response: {message: deposit_created", "api-v1 §Payin creation response: crypto_amount is cut",
		"api-v1 §POST /v1/payin: 200:")
	s := newShop(t)
	s.exec("update merchants set preferred_fiat = 'BRL', receipt_rate = 1.5, user_pays_receipt_network_fee = true, minimum_payment = 95")
	s.exec("insert into merchant_networks (merchant_id, network, receipt_rate) values (?, 'Tron', 0.75)", s.merchant)
	for _, c := range []struct {
		name    string
		changes []string
		data    map[string]any
	}{
		{"cut, preferred fiat, computed value", []string{"crypto_amount", `"10.12345678900"`, "network", `"trc-20"`},
			map[string]any{"crypto_amount": "10.123456", "fiat_amount": "54.66666240", "fiat_currency": "BRL", "network": "Tron"}},
		{"the value sent", []string{"fiat_amount", `"9.50"`, "fiat_currency", `"usd"`},
			map[string]any{"crypto_amount": "10", "fiat_amount": "9.50", "fiat_currency": "USD"}},
		{"by fiat, as a number; the other amount is ignored",
			[]string{"process_by", `"fiat_amount"`, "fiat_amount", `10.75`, "fiat_currency", `"BRL"`, "crypto_amount", `"rubbish"`},
			map[string]any{"crypto_amount": "1.99074074", "fiat_amount": "10.75", "fiat_currency": "BRL", "network": "BinanceSmartChain"}},
	} {
		if c.data["network"] == "BinanceSmartChain" {
			c.changes = append(c.changes, "network", `"BNB chain"`)
		}
		status, got := s.payin(append(c.changes, "reference_id", `" `+c.name+` "`)...)
		if status != 200 || got["message"] != "deposit_created_successfully" {
			t.Fatalf("%s: %d %v", c.name, status, got)
		}
		data := reply(got["data"].(map[string]any))
		data.wants(t, c.data)
		data.wants(t, map[string]any{"reference_id": c.name, "status": "created", "crypto_currency": "USDT"})
		if len(data) != 9 {
			t.Errorf("%s: fields %v", c.name, data)
		}
	}
	_, got := s.payin("expires_at", "86400", "customer_info", `"c-1"`, "memo", `"12345678"`)
	id := got.at("data.internal_reference").(string)
	record := s.get("/v1/check-payin/" + id)
	record.wants(t, map[string]any{
		"message": "deposit_retrieved_success", "deposit.percent_rate": "0.75", "deposit.network_fee": "1", "deposit.minimum_payment": "95",
		"deposit.status": "pending", "deposit.wallet": got.at("data.wallet"), "deposit.process_by": "crypto_amount",
	})
	if n := s.count("select count(*) from payins where id = ? and expires_at = created_at + interval '1 day' and memo is null and customer_info = 'c-1'", id); n != 1 {
		t.Error("the payin was kept otherwise")
	}
	if n := s.count("select count(*) from addresses where payin_id = ? and family = 'tron' and address = ? and match = 'match:' || address and position > 0", id, got.at("data.wallet")); n != 1 {
		t.Error("its address was kept otherwise")
	}
}

func TestPayinWithoutPriceHasNoFiatAmount(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payin creation response: fiat_amount is what")
	s := newShop(t)
	s.exec("delete from prices where base = 'USDT'")
	status, got := s.payin()
	if status != 200 || got.at("data.fiat_amount") != nil || got.at("data.fiat_currency") != "USD" {
		t.Errorf("%d %v", status, got)
	}
}

func TestPayinResendIsToldSoWhateverHasChanged(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: duplicate_reference_id", "api-v1 §POST /v1/payin: Idempotency-Key plays no part",
		"api-v1 §POST /v1/payin: duplicate_reference_id then means")
	s := newShop(t)
	if status, got := s.payin("fiat_amount", "10"); status != 200 {
		t.Fatal(got)
	}
	s.exec("update prices set price = 0 where base = 'USDT'")
	if status, got := s.payin("fiat_amount", "10"); status != 400 || got.code() != "duplicate_reference_id" {
		t.Errorf("%d %v", status, got)
	}
	_, s.key = s.newKey()
	if status, got := s.payin(); status != 200 {
		t.Errorf("another merchant's reference is its own: %d %v", status, got)
	}
}

func TestPayinOfTheLargestAmount(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	largest := strings.Repeat("9", 30) + "." + strings.Repeat("9", 30)
	status, got := s.payin("crypto_currency", `"BTC"`, "network", `"Bitcoin"`, "crypto_amount", largest, "fiat_currency", `"ARS"`)
	if status != 200 || got.at("data.crypto_amount") != strings.Repeat("9", 30)+".99999999" {
		t.Fatalf("%d %v", status, got)
	}
	record := s.get("/v1/check-payin/order-0000001")
	record.wants(t, map[string]any{"deposit.crypto_amount": got.at("data.crypto_amount"), "deposit.fiat_amount": got.at("data.fiat_amount")})
}
