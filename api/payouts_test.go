package api

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

func TestPayoutIsCreatedDebitedAndRung(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §POST /v1/payout: Answer:", "api-v1 §POST /v1/payout: The body is one payout", "api-v1 §Payout creation result: A created item",
		"api-v1 §Payout creation result: internal_reference", "api-v1 §Payout creation result: network_fee", "api-v1 §Payout creation result: status",
		"api-v1 §Payout creation result: memo", "addendum §7: pending: debited", "api-v1 §General conventions: 2")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.exec(`update merchants set payment_rate = 1.5, preferred_fiat = 'BRL' where id = ?`, s.merchant)
	a := s.payOut(item("r-1", "wallet", `"  `+evmWallet+` "`, "customer_info", `"c-1"`, "memo", `"12345678"`, "network", `"erc-20"`))
	id := strings.Split(strings.Split(a.text, `"internal_reference":"`)[1], `"`)[0]
	want := `{"message":"payment_processing_completed","summary":{"total_requested":1,"successful":1,"failed":0},"results":[` +
		`{"index":0,"reference_id":"r-1","internal_reference":"` + id + `","crypto_amount":"10","fiat_amount":"54.00000000",` +
		`"crypto_currency":"USDT","fiat_currency":"BRL","network_fee":"2","wallet":"` + evmWallet + `","memo":null,` +
		`"network":"Ethereum","process_by":"crypto_amount","status":"created"}]}`
	if a.status != 200 || a.text != want {
		t.Errorf("%d %s\nwant %s", a.status, a.text, want)
	}
	if got := s.balance("USDT"); got != "87.85" {
		t.Errorf("%s is left, want 100 - 10 - 0.15 - 2", got)
	}
	if n := s.count(`select count(*) from jobs where kind = 'payout.broadcast' and ref = ?`, id); n != 1 {
		t.Errorf("%d jobs", n)
	}
	testkit.Eventually(t, time.Minute, func() bool { return s.rung.has(id) }, "the ring")
}

// statements counts the statements sent to the database through bun.
type statements struct{ n atomic.Int32 }

func (s *statements) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	s.n.Add(1)
	return ctx
}
func (s *statements) AfterQuery(context.Context, *bun.QueryEvent) {}

func TestPayoutTakesFewRoundTrips(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "1000")
	line := s.behind("nothing is lost")
	s.payOut(item("warm")) // each statement is prepared once
	s.payOut(batchOf(item("warm-1"), item("warm-2")))
	for name, c := range map[string]struct {
		body string
		most int32
	}{
		"one":     {item("t-0"), 2},
		"refused": {item("t-1", "crypto_amount", `"5000"`), 2},
		"list":    {batchOf(item("t-2"), item("t-3")), 3},
	} {
		before := line.asked.Load()
		s.payOut(c.body)
		if n := line.asked.Load() - before; n == 0 || n > c.most {
			t.Errorf("%s: %d round trips", name, n)
		}
	}
}

func TestPayoutBodies(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: json_parse_failed", "api-v1 §Request-level errors: invalid_payment_list",
		"api-v1 §Request-level errors: max_payouts_exceeded", "api-v1 §POST /v1/payout: More than 50", "api-v1 §Limits: Payouts in a request",
		"addendum §13: The body of POST /v1/payout", "api-v1 §What the service does: Payouts send")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	many := func(n int) string {
		var items []string
		for i := range n {
			items = append(items, item(fmt.Sprintf("m-%d-%d", n, i)))
		}
		return batchOf(items...)
	}
	for body, want := range map[string]string{
		``:                "400 invalid_payment_list",
		`[]`:              "400 invalid_payment_list",
		` [ ] `:           "400 invalid_payment_list",
		`7`:               "400 invalid_payment_list",
		`"x"`:             "400 invalid_payment_list",
		`true`:            "400 invalid_payment_list",
		`null`:            "400 json_parse_failed",
		` false `:         "400 json_parse_failed",
		`{`:               "400 json_parse_exception",
		`{"a":1,"A":2}`:   "400 json_parse_exception",
		`{}`:              "400 invalid_parameters 0.wallet",
		`[{}]`:            "400 invalid_parameters 0.wallet",
		`[1]`:             "400 invalid_parameters 0.item",
		`[null]`:          "400 invalid_parameters 0.item",
		`[[]]`:            "400 invalid_parameters 0.item",
		many(51):          "400 max_payouts_exceeded",
		many(50):          "200 ",
		item("alone"):     "200 ",
		" " + item("one"): "200 ",
	} {
		a := s.payOut(body)
		got := fmt.Sprintf("%d %s", a.status, a.body.Error.Code)
		for _, field := range []string{"0.item", "0.wallet"} {
			if strings.Contains(a.text, `"`+field+`"`) {
				got += " " + field
			}
		}
		if got != want {
			t.Errorf("%.40s: %s, want %s", body, got, want)
		}
	}
	if n := s.count(`select count(*) from payouts`); n != 52 {
		t.Errorf("%d payouts", n)
	}
}

// refusal sums up one item's refusal: "400 code field,field".
func (a answer) refusal(t *testing.T) string {
	t.Helper()
	r := decodeReply(t, a.text)
	path := "results.0.error."
	if r.code() != "" {
		path = "error."
	}
	code, _ := r.at(path + "code").(string)
	fields, _ := r.at(path + "details.fields").(map[string]any)
	out := fmt.Sprintf("%d %s", a.status, code)
	for name := range fields {
		out += " " + name
	}
	if path == "error." {
		out += " (top)"
	}
	return out
}

func TestPayoutFieldValidation(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: invalid_parameters", "api-v1 §Payout request object: wallet", "api-v1 §Payout request object: process_by",
		"api-v1 §Payout request object: reference_id", "api-v1 §Payout request object: feetakenfromamount",
		"api-v1 §Payout request object: webhook_url", "api-v1 §Payout request object: customer_info", "api-v1 §Payout request object: memo",
		"api-v1 §Limits: wallet", "api-v1 §Limits: reference_id", "api-v1 §Limits: webhook_url", "api-v1 §Limits: customer_info",
		"api-v1 §Limits: memo", "addendum §7: Errors of an item", "addendum §13: A whole number")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100000")
	long := func(n int) string { return quote(strings.Repeat("x", n)) }
	for i, c := range []struct{ field, raw, want string }{
		{"wallet", ``, "wallet"}, {"wallet", `null`, "wallet"}, {"wallet", `7`, "wallet"}, {"wallet", `"0x12345678901234567"`, "wallet"},
		{"wallet", long(121), "wallet"}, {"wallet", `"                              "`, "wallet"},
		{"crypto_currency", ``, "crypto_currency"}, {"crypto_currency", `""`, "crypto_currency"}, {"crypto_currency", `[]`, "crypto_currency"},
		{"process_by", `"fiat"`, "process_by"}, {"process_by", ``, "process_by"},
		{"reference_id", ``, "reference_id"}, {"reference_id", `""`, "reference_id"}, {"reference_id", `1.5`, "reference_id"},
		{"reference_id", `true`, "reference_id"}, {"reference_id", long(256), "reference_id"}, {"reference_id", long(255), ""},
		{"reference_id", `123`, ""}, {"reference_id", quote(strings.Repeat("é", 255)), ""},
		{"network", ``, "network"}, {"network", `1`, "network"}, {"network", `""`, "network"},
		{"feetakenfromamount", ``, "feetakenfromamount"}, {"feetakenfromamount", `2`, "feetakenfromamount"},
		{"feetakenfromamount", `true`, "feetakenfromamount"}, {"feetakenfromamount", `"1"`, ""}, {"feetakenfromamount", `"0"`, ""},
		{"feetakenfromamount", `1.0`, ""}, {"feetakenfromamount", `0.00`, ""}, {"feetakenfromamount", `1.1`, "feetakenfromamount"},
		{"feetakenfromamount", `"1.0"`, "feetakenfromamount"}, {"feetakenfromamount", `1e0`, "feetakenfromamount"},
		{"reference_id", `12.0`, "reference_id"},
		{"webhook_url", ``, "webhook_url"}, {"webhook_url", `"http://example.com/x"`, "webhook_url"},
		{"webhook_url", `"https://127.0.0.1/"`, "webhook_url"},
		{"webhook_url", `"https://u:p@hooks.test/x"`, "webhook_url"}, {"webhook_url", `"https://8.8.8.8:8443/x"`, "webhook_url"},
		{"webhook_url", `"https://8.8.8.8:443/x"`, ""},
		{"webhook_url", `"https://hooks.test/` + strings.Repeat("a", 756-19) + `"`, ""},
		{"webhook_url", `"https://hooks.test/` + strings.Repeat("a", 757-19) + `"`, "webhook_url"},
		{"fiat_currency", `7`, "fiat_currency"}, {"fiat_currency", `"usd"`, ""},
		{"customer_info", long(201), "customer_info"}, {"customer_info", long(200), ""}, {"customer_info", `"a b"`, "customer_info"},
		{"memo", `"1234567"`, "memo"}, {"memo", `"12345678"`, ""}, {"memo", `"123456789012345"`, ""}, {"memo", `"1234567890123456"`, "memo"},
		{"memo", `"12345a78"`, "memo"}, {"memo", `12345678`, "memo"}, {"memo", `null`, ""},
	} {
		want := "200 "
		if c.want != "" {
			want = "400 invalid_parameters 0." + c.want + " (top)"
		}
		if got := s.payOut(item(fmt.Sprintf("v-%d", i), c.field, c.raw)).refusal(t); got != want {
			t.Errorf("%s %.30s: %s, want %s", c.field, c.raw, got, want)
		}
	}
}

func TestPayoutRefusalsInTheirOrder(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout item errors: invalid_network_or_withdrawals_disabled",
		"api-v1 §Payout item errors: unsupported_token_or_withdrawals_disabled", "api-v1 §Payout item errors: token_network_mismatch",
		"api-v1 §Payout item errors: token_not_active", "api-v1 §Payout item errors: memo_required",
		"api-v1 §Payout item errors: invalid_crypto_amount", "api-v1 §Payout item errors: invalid_fiat_amount",
		"api-v1 §Payout item errors: fiat_currency_required", "api-v1 §Payout item errors: fiat_currency_not_accepted",
		"api-v1 §Payout item errors: invalid_format", "api-v1 §Payout item errors: network_unavailable", "api-v1 §Payout item errors: limit_exceeded",
		"api-v1 §Payout item errors: amount_does_not_cover_fees", "api-v1 §Payout item errors: price_unavailable",
		"api-v1 §Payout item errors: insufficient_balance", "addendum §7: The order: validation", "addendum §7: The (no ref) codes",
		"api-v1 §Payout request object: network", "api-v1 §Payout request object: crypto_currency", "api-v1 §Payout item errors: Codes with (no ref)")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100000")
	s.exec(`update tokens set withdrawals = false where network = 'Celo'`)
	s.exec(`update tokens set withdrawals = false where symbol = 'USDC' and network = 'Base'`)
	s.exec(`update tokens set withdrawals = false where symbol = 'BNB'`)
	s.exec(`update tokens set active = false where symbol = 'TRX'`)
	s.exec(`update tokens set max_withdrawal = 500 where symbol = 'USDT' and network = 'Polygon'`)
	s.exec(`update tokens set fee_currency = 'NOPE' where symbol = 'USDT' and network = 'Base'`)
	s.exec(`update fiats set accepted = false where code = 'EUR'`)
	s.exec(`delete from prices where quote = 'JPY'`)
	byFiat := []string{"process_by", `"fiat_amount"`, "fiat_currency", `"BRL"`, "fiat_amount", `"54"`}
	for i, c := range []struct {
		want    string
		noRef   bool
		changes []string
	}{
		{"invalid_network_or_withdrawals_disabled", true, []string{"network", `"Nowhere"`, "crypto_currency", `"NOPE"`}},
		{"invalid_network_or_withdrawals_disabled", true, []string{"network", `"Celo"`}},
		{"unsupported_token_or_withdrawals_disabled", true, []string{"crypto_currency", `"usdt"`, "crypto_amount", `"0"`}},
		{"unsupported_token_or_withdrawals_disabled", true, []string{"crypto_currency", `"BNB"`}},
		{"unsupported_token_or_withdrawals_disabled", true, []string{"crypto_currency", `"USDC"`, "network", `"Base"`}},
		{"token_network_mismatch", true, []string{"crypto_currency", `"BTC"`, "crypto_amount", `"x"`}},
		{"token_not_active", false, []string{"crypto_currency", `"TRX"`, "network", `"tron"`, "crypto_amount", `"x"`}},
		{"memo_required", true, []string{"crypto_currency", `"TON"`, "network", `"ton"`, "crypto_amount", `"x"`}},
		{"invalid_crypto_amount", true, []string{"crypto_amount", ``, "fiat_currency", `"EUR"`}},
		{"invalid_fiat_amount", true, append(byFiat[:4:4], "fiat_amount", `"0.00"`)},
		{"invalid_fiat_amount", true, append(byFiat[:4:4], "fiat_amount", `"0.000001"`)},
		{"fiat_currency_required", true, append(byFiat[:2:2], "fiat_amount", `"54"`, "wallet", quote(tronWallet))},
		{"fiat_currency_not_accepted", false, []string{"fiat_currency", `"EUR"`, "wallet", quote(tronWallet)}},
		{"fiat_currency_not_accepted", false, []string{"fiat_currency", `"XXX"`}},
		{"price_unavailable", false, append(byFiat[:2:2], "fiat_currency", `"JPY"`, "fiat_amount", `"54"`)},
		{"price_unavailable", false, []string{"network", `"Base"`}},
		{"invalid_format", false, []string{"wallet", quote(tronWallet), "crypto_amount", `"0.1"`}},
		{"invalid_format", false, []string{"wallet", quote(strings.ToUpper(hotWallet[2:]))}},
		{"invalid_format", false, []string{"wallet", quote("0x" + strings.ToUpper(hotWallet[2:]))}},
		{"invalid_format", false, []string{"wallet", quote(strings.ToLower(tetherOnEth))}},
		{"network_unavailable", false, []string{"crypto_currency", `"SOL"`, "network", `"sol"`}},
		{"limit_exceeded", false, []string{"crypto_amount", `"0.99"`}},
		{"limit_exceeded", false, []string{"crypto_amount", `"2.99"`, "feetakenfromamount", `1`}},
		{"limit_exceeded", false, []string{"crypto_amount", `"500.01"`, "network", `"matic"`}},
		{"amount_does_not_cover_fees", false, []string{"crypto_amount", `"2"`, "feetakenfromamount", `1`}},
		{"insufficient_balance", false, []string{"crypto_amount", `"99999"`}},
	} {
		r := decodeReply(t, s.payOut(item(fmt.Sprintf("o-%d", i), c.changes...)).text)
		if got := r.at("results.0.error.code"); got != c.want {
			t.Errorf("%v: %v, want %s", c.changes, got, c.want)
		}
		if named := r.at("results.0.reference_id") != nil; named == c.noRef {
			t.Errorf("%s: reference_id is there: %v", c.want, named)
		}
	}
	if n := s.count(`select count(*) from payouts`); n != 0 {
		t.Errorf("%d payouts", n)
	}
}

func TestPayoutAmountForms(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout item errors: invalid_crypto_amount", "api-v1 §Payout request object: crypto_amount", "addendum §6: Zero in any spelling")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100000")
	for _, raw := range []string{
		`0`, `-1`, `"+1"`, `" 1"`, `"1 "`, `".5"`, `"5."`, `1e3`, `"1e1000000000"`, `"0x10"`, `"1_000"`, `"1,5"`, `"NaN"`, `"−1"`, `"１"`,
		`"Infinity"`, `-0`, `true`, `[]`, `{}`, `null`, `"0.0000001"`, `"` + strings.Repeat("9", 31) + `"`, `"1.` + strings.Repeat("0", 31) + `"`,
		`1E2`, strings.Repeat("9", 100_000),
	} {
		if got := s.payOut(item("a-1", "crypto_amount", raw)).refusal(t); got != "400 invalid_crypto_amount" {
			t.Errorf("%.40s: %s", raw, got)
		}
	}
	for i, c := range []struct{ raw, net string }{{`10.1234567`, "10.123456"}, {`"00011"`, "11"}, {`"12.500000"`, "12.5"}, {`1000.0`, "1000"}} {
		r := decodeReply(t, s.payOut(item(fmt.Sprintf("n-%d", i), "crypto_amount", c.raw)).text)
		r.wants(t, map[string]any{"results.0.crypto_amount": c.net})
	}
	huge := s.payOut(item("h-1", "crypto_amount", `"`+strings.Repeat("9", 30)+`.`+strings.Repeat("9", 30)+`"`))
	huge.is(t, 400, "insufficient_total_balance")
}
