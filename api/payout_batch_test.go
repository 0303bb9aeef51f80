package api

import (
	"fmt"
	"testing"

	"causeway/internal/proof/contract"
)

func TestBatchResultsStandInOrder(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout item errors: duplicate_reference_id_in_request", "api-v1 §Payout item errors: missing_required_fields",
		"api-v1 §Payout item errors: invalid_parameters", "api-v1 §POST /v1/payout: A reference twice within",
		"api-v1 §POST /v1/payout: 200 when all", "api-v1 §Payout creation result: One entry per item", "api-v1 §Payout creation result: index",
		"api-v1 §Payout creation result: A refused item has")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.fund(s.merchant, "ETH", "1")
	a := s.payOut(batchOf(
		item("b-0"),
		item("b-1", "crypto_currency", `"USDC"`, "network", `"Tron"`),
		item("b-2", "wallet", ``, "memo", `"1"`),
		item("b-0", "wallet", quote(tronWallet)),
		item("b-4", "crypto_currency", `"ETH"`, "crypto_amount", `"0.5"`),
		item("b-5", "memo", `"1"`),
		`[]`,
		item("b-7", "crypto_amount", `"0.5"`),
	))
	if a.status != 207 {
		t.Fatalf("%d %s", a.status, a.text)
	}
	r := decodeReply(t, a.text)
	r.wants(t, map[string]any{
		"message": "payment_processing_completed", "summary.total_requested": 8, "summary.successful": 2, "summary.failed": 6,
		"summary.not_processed": nil,
		"results.0.status":      "created", "results.0.index": 0, "results.0.reference_id": "b-0",
		"results.1.error.code": "token_network_mismatch", "results.1.index": 1, "results.1.reference_id": nil,
		"results.2.error.code": "missing_required_fields", "results.2.reference_id": "b-2",
		"results.2.error.details.fields.wallet": "is required", "results.2.error.details.fields.memo": "must be 8 to 15 digits",
		"results.3.error.code": "duplicate_reference_id_in_request", "results.3.reference_id": nil, "results.3.index": 3,
		"results.4.status": "created", "results.4.crypto_currency": "ETH", "results.4.fiat_amount": "1500.00000000",
		"results.5.error.code": "invalid_parameters", "results.5.reference_id": "b-5",
		"results.6.error.code": "invalid_parameters", "results.6.reference_id": nil, "results.6.error.details.fields.item": "must be an object",
		"results.7.error.code": "limit_exceeded", "results.7.reference_id": "b-7",
		"results.7.error.details.min_withdrawal": "1", "results.7.error.details.max_withdrawal": "unlimited",
	})
}

func TestBatchWithoutAValidItemIsRefusedAsAWhole(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §POST /v1/payout: When every item fails validation")
	s := newShop(t)
	a := s.payOut(batchOf(item("w-0", "wallet", `"short"`), `7`, item("w-2", "network", ``, "process_by", `"x"`), `null`))
	a.is(t, 400, "invalid_parameters")
	r := decodeReply(t, a.text)
	r.wants(t, map[string]any{"results": nil, "summary": nil})
	fields, _ := r.at("error.details.fields").(map[string]any)
	for _, name := range []string{"0.wallet", "1.item", "2.network", "2.process_by", "3.item"} {
		if fields[name] == nil {
			t.Errorf("no %s in %v", name, fields)
		}
	}
	if len(fields) != 5 {
		t.Errorf("fields %v", fields)
	}
}

func TestBatchIsSummedPerTokenBeforeAnythingIsDebited(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Business errors: insufficient_total_balance", "api-v1 §Payout item errors: insufficient_balance",
		"api-v1 §POST /v1/payout: Before anything is debited", "addendum §7: The check of the sum")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.fund(s.merchant, "ETH", "0.6")
	eth := []string{"crypto_currency", `"ETH"`, "crypto_amount", `"0.4"`}
	for name, c := range map[string]struct {
		body                          string
		currency, available, required string
	}{
		"two tokens": {batchOf(item("s-0"), item("s-1", eth...), item("s-2", eth...)), "ETH", "0.6", "0.8"},
		"networks": {batchOf(item("s-0", "crypto_amount", `"60"`),
			item("s-1", "crypto_amount", `"60.5"`, "network", `"Tron"`, "wallet", quote(tronWallet))),
			"USDT", "100", "120.5"},
		"by fiat": {batchOf(item("s-0"), item("s-1", "process_by", `"fiat_amount"`, "fiat_amount", `"540"`, "fiat_currency", `"brl"`)),
			"USDT", "100", "110"},
		"out of limits": {batchOf(item("s-0", "crypto_amount", `"100"`), item("s-1", "crypto_amount", `"0.5"`)), "USDT", "100", "100.5"},
		"alone":         {item("s-0", "crypto_amount", `"100.000001"`), "USDT", "100", "100.000001"},
		"alone, limited": {batchOf(`7`, item("s-0", "crypto_currency", `"TRX"`, "network", `"Tron"`, "wallet", quote(tronWallet),
			"crypto_amount", `"1"`)), "TRX", "0", "1"},
	} {
		a := s.payOut(c.body)
		a.is(t, 400, "insufficient_total_balance")
		r := decodeReply(t, a.text)
		r.wants(t, map[string]any{
			"error.details.crypto_currency": c.currency, "error.details.available": c.available, "error.details.required": c.required,
			"results": nil,
		})
		if t.Failed() {
			t.Fatal(name)
		}
	}
	if n := s.count(`select count(*) from payouts`); n != 0 {
		t.Errorf("%d payouts", n)
	}
	// Fees are not in the sum: then an item can still fail alone, and the ones after it go on.
	r := decodeReply(t, s.payOut(batchOf(item("f-0", "crypto_amount", `"49"`), item("f-1", "crypto_amount", `"49"`),
		item("f-2", "crypto_amount", `"2"`))).text)
	r.wants(t, map[string]any{"results.0.status": "created", "results.1.error.code": "insufficient_balance",
		"results.1.reference_id": "f-1", "results.2.status": "created"})
	if got := s.balance("USDT"); got != "45" {
		t.Errorf("%s is left, want 100 - 51 - 4", got)
	}
}

func TestBatchRefusedItemByItemIs400(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §POST /v1/payout: 200 when all", "api-v1 §Payout item errors: In results[].error")
	s := newShop(t)
	a := s.payOut(batchOf(item("x-0", "network", `"no"`), `7`))
	if a.status != 400 {
		t.Errorf("%d %s", a.status, a.text)
	}
	decodeReply(t, a.text).wants(t, map[string]any{
		"error": nil, "summary.failed": 2, "summary.successful": 0,
		"results.0.error.code": "invalid_network_or_withdrawals_disabled", "results.1.error.code": "invalid_parameters",
	})
}

func TestABatchThatFailsInTheMiddleTellsWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout item errors: internal_error", "api-v1 §System errors: internal_error", "api-v1 §POST /v1/payout: A failure in mid-batch")
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "1000")
	s.exec(`create function boom() returns trigger language plpgsql as $$ begin raise exception 'boom' using errcode = 'check_violation'; end $$`)
	s.exec(`create trigger boom before insert on payouts for each row when (new.reference_id like 'boom%') execute function boom()`)
	a := s.payOut(batchOf(item("c-0"), item("c-1", "network", `"no"`), item("boom"), item("c-3"), item("c-4", "network", `"no"`)))
	a.is(t, 500, "internal_error")
	decodeReply(t, a.text).wants(t, map[string]any{
		"summary.total_requested": 5, "summary.successful": 1, "summary.failed": 2, "summary.not_processed": 2,
		"results.0.status": "created", "results.1.error.code": "invalid_network_or_withdrawals_disabled",
		"results.2.error.code": "internal_error", "results.2.reference_id": "boom", "results.3": nil, "message": nil,
	})
	if n := s.count(`select count(*) from payouts`); n != 1 || s.balance("USDT") != "988" {
		t.Errorf("%d payouts, %s left", n, s.balance("USDT"))
	}
	alone := s.payOut(item("boom-2"))
	alone.is(t, 500, "internal_error")
	decodeReply(t, alone.text).wants(t, map[string]any{"summary.not_processed": 0, "results.0.error.code": "internal_error"})
}

func TestDuplicateReferences(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout item errors: duplicate_payment_reference", "api-v1 §POST /v1/payout: References that earlier payouts used",
		"api-v1 §Payout creation result: When its reference was used before", "addendum §7: original_status of a duplicate")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	first := decodeReply(t, s.payOut(item("77")).text)
	for _, c := range []struct{ stored, public string }{
		{"queued", "pending"}, {"signed", "pending"}, {"sent", "pending"}, {"completed", "completed"}, {"failed", "failed"}, {"refunded", "refunded"},
	} {
		s.exec(`update payouts set status = ?, created_at = '2026-01-02 03:04:05.6+00'`, c.stored)
		a := s.payOut(item("", "reference_id", `77`, "crypto_amount", `"20"`))
		if a.status != 400 {
			t.Errorf("%d %s", a.status, a.text)
		}
		decodeReply(t, a.text).wants(t, map[string]any{
			"results.0.error.code": "duplicate_payment_reference", "results.0.reference_id": "77", "results.0.duplicate": true,
			"results.0.internal_reference": first.at("results.0.internal_reference"), "results.0.original_status": c.public,
			"results.0.original_created_at": "2026-01-02 03:04:05", "results.0.status": nil,
		})
	}
	// Amount and balance are looked at first; another merchant may use the reference.
	decodeReply(t, s.payOut(item("77", "crypto_amount", `"87"`)).text).wants(t, map[string]any{"results.0.error.code": "insufficient_balance"})
	s.payOut(item("77", "crypto_amount", `"88.1"`)).is(t, 400, "insufficient_total_balance")
	decodeReply(t, s.payOut(item("77", "crypto_amount", `"0.5"`)).text).wants(t, map[string]any{"results.0.error.code": "limit_exceeded"})
	other, key := s.newKey()
	s.fund(s.merchantOf(other), "USDT", "100")
	s.key = key
	if a := s.payOut(item("77")); a.status != 200 {
		t.Errorf("another merchant: %s", a.text)
	}
	if a := s.payOut(item(" 77")); a.status != 200 {
		t.Errorf("with a space it is another reference: %s", a.text)
	}
}

func TestDailyLimit(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout item errors: daily_payout_limit_exceeded", "api-v1 §Payout item errors: price_unavailable", "api-v1 §Limits: Daily limit")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	s.fund(s.merchant, "ETH", "1")
	s.exec(`update keys set daily_limit_usd = 100 where id = ?`, s.keyID)
	code := func(a answer) any { return decodeReply(t, a.text).at("results.0.error.code") }
	eth := func(ref, amount string) string {
		return item(ref, "crypto_currency", `"ETH"`, "crypto_amount", quote(amount), "feetakenfromamount", `1`)
	}
	if a := s.payOut(batchOf(item("d-0", "crypto_amount", `"38"`), eth("d-1", "0.01"), eth("d-2", "0.01000001"))); a.status != 207 ||
		decodeReply(t, a.text).at("results.2.error.code") != "daily_payout_limit_exceeded" {
		t.Errorf("40 + 30 + 30.00003: %s", a.text)
	}
	if got := code(s.payOut(item("d-3", "crypto_amount", `"28.000001"`))); got != "daily_payout_limit_exceeded" {
		t.Errorf("70 + 30.000001: %v", got)
	}
	if got := code(s.payOut(item("d-0", "crypto_amount", `"30"`))); got != "daily_payout_limit_exceeded" {
		t.Errorf("the limit comes before the duplicate: %v", got)
	}
	if a := s.payOut(item("d-4", "crypto_amount", `"28"`)); a.status != 200 {
		t.Errorf("exactly 100: %s", a.text)
	}
	s.exec(`update daily_spend set day = day - 1`)
	if a := s.payOut(item("d-5", "crypto_amount", `"98"`)); a.status != 200 {
		t.Errorf("a new day: %s", a.text)
	}
	s.exec(`delete from daily_spend`)
	s.exec(`delete from prices where base = 'USDT'`)
	if got := code(s.payOut(item("d-6"))); got != "price_unavailable" {
		t.Errorf("no quote in USD: %v", got)
	}
	if got := code(s.payOut(item("d-7", "crypto_amount", `"829"`))); got != "insufficient_balance" {
		t.Errorf("the balance comes before the limit: %v", got)
	}
	s.exec(`update keys set daily_limit_usd = null where id = ?`, s.keyID)
	a := s.payOut(item("d-8"))
	if r := decodeReply(t, a.text); a.status != 200 || r.at("results.0.fiat_amount") != nil {
		t.Errorf("without a limit no quote is needed: %s", a.text)
	}
}

func TestPayoutMoney(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §6: rate fee", "addendum §6: feetakenfromamount 1", "addendum §6: feetakenfromamount 0", "addendum §6: Payouts. A is",
		"api-v1 §Payout request object: feetakenfromamount", "api-v1 §Payout creation result: crypto_amount")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100000")
	s.fund(s.merchant, "ETH", "100")
	s.exec(`update merchants set payment_rate = 1.5 where id = ?`, s.merchant)
	s.exec(`insert into merchant_networks (merchant_id, network, payment_rate, user_pays_payment_network_fee) values (?, 'Polygon', 0.333333, false)`, s.merchant)
	s.exec(`update tokens set network_fee = 0.0003, fee_currency = 'ETH' where symbol = 'USDT' and network = 'Base'`)
	s.exec(`update prices set price = 2999.99999 where base = 'ETH'`)
	for i, c := range []struct {
		changes                          []string
		gets, fee, debit, rate, rateSaid string
	}{
		{nil, "10", "2", "12.15", "0.15", "1.5"},
		{[]string{"feetakenfromamount", `1`}, "7.85", "2", "10", "0.15", "1.5"},
		{[]string{"crypto_amount", `"10.000999"`}, "10.000999", "2", "12.151013", "0.150014", "1.5"},
		{[]string{"network", `"Polygon"`}, "10", "1", "10.033333", "0.033333", "0.333333"},
		{[]string{"network", `"Polygon"`, "feetakenfromamount", `1`}, "9.966667", "1", "10", "0.033333", "0.333333"},
		{[]string{"network", `"Base"`}, "10", "0.9", "11.05", "0.15", "1.5"}, // 0.899999997 is rounded up to 6 decimals
		{[]string{"process_by", `"fiat_amount"`, "fiat_amount", `"100"`, "fiat_currency", `"brl"`}, "18.518518", "2", "20.796295", "0.277777", "1.5"},
	} {
		r := decodeReply(t, s.payOut(item(fmt.Sprintf("p-%d", i), c.changes...)).text)
		r.wants(t, map[string]any{"results.0.status": "created", "results.0.crypto_amount": c.gets, "results.0.network_fee": c.fee})
		id := r.at("results.0.internal_reference")
		n := s.count(`select count(*) from payouts where id = ? and amount = ? and debit = ? and rate_fee = ? and percent_rate = ?`, id,
			c.gets, c.debit, c.rate, c.rateSaid)
		moved := s.count(`select count(*) from postings p join entries e on e.id = p.id / 16 where e.subject = ? and p.movement is not null group by e.id having sum(amount) = ?`, id, c.debit)
		if n != 1 || moved == 0 {
			t.Errorf("%v: not as expected (%d, %d)", c.changes, n, moved)
		}
	}
}

func TestPayoutFiat(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout request object: fiat_amount", "api-v1 §Payout request object: fiat_currency",
		"addendum §6: fiat_amount is what the recipient gets", "api-v1 §Payout creation result: fiat_amount")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	want := func(name string, body string, wants map[string]any) {
		t.Helper()
		a := s.payOut(body)
		decodeReply(t, a.text).wants(t, wants)
		if t.Failed() {
			t.Fatal(name, a.text)
		}
	}
	want("USD by default", item("t-0"), map[string]any{"results.0.fiat_currency": "USD", "results.0.fiat_amount": "10.00000000"})
	want("the other amount is ignored", item("t-1", "fiat_amount", `"x"`), map[string]any{"results.0.status": "created"})
	want("any case", item("t-2", "fiat_currency", `"eUr"`), map[string]any{"results.0.fiat_currency": "EUR", "results.0.fiat_amount": "9.20000000"})
	s.exec(`update merchants set preferred_fiat = 'JPY' where id = ?`, s.merchant)
	want("preferred", item("t-3", "feetakenfromamount", `1`),
		map[string]any{"results.0.fiat_currency": "JPY", "results.0.fiat_amount": "1200.00000000"})
	s.exec(`update fiats set accepted = false where code = 'JPY'`)
	want("preferred, no longer accepted", item("t-4"), map[string]any{"results.0.fiat_currency": "USD"})
	s.exec(`delete from prices where quote = 'CHF'`)
	want("no price, none needed", item("t-5", "fiat_currency", `"CHF"`),
		map[string]any{"results.0.status": "created", "results.0.fiat_amount": nil, "results.0.fiat_currency": "CHF"})
	s.exec(`update prices set price = 0.123456789 where base = 'USDT'`)
	want("cut", item("t-6"), map[string]any{"results.0.fiat_amount": "1.23456789"})
}

func TestPayoutMemo(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout request object: memo", "api-v1 §Payout item errors: memo_required", "addendum §13: An XRP destination tag")
	s := newShop(t)
	s.fund(s.merchant, "XRP", "1000")
	s.fund(s.merchant, "TON", "1000")
	xrp := func(ref, wallet string, more ...string) string {
		return item(ref, append([]string{"crypto_currency", `"XRP"`, "network", `"Ripple"`, "wallet", quote(wallet)}, more...)...)
	}
	for _, c := range []struct {
		body  string
		wants map[string]any
	}{
		{item("m-0", "crypto_currency", `"TON"`, "network", `"ton"`, "wallet", quote(tonWallet), "memo", `"123456789012345"`),
			map[string]any{"results.0.memo": "123456789012345"}},
		{xrp("m-1", xrpWallet, "memo", `"4294967295"`), map[string]any{"results.0.memo": "4294967295"}},
		{xrp("m-2", xrpWallet, "memo", `"4294967296"`), map[string]any{"error.code": "invalid_parameters"}},
		{xrp("m-3", xrpWallet), map[string]any{"results.0.error.code": "memo_required"}},
		{xrp("m-4", xrpTagged), map[string]any{"results.0.memo": "1", "results.0.status": "created"}},
		{xrp("m-5", xrpTagged, "memo", `"12345678"`), map[string]any{"results.0.error.code": "invalid_format", "results.0.reference_id": "m-5"}},
		{xrp("m-6", xrpTagged, "memo", `"00000001"`), map[string]any{"results.0.memo": "00000001", "results.0.status": "created"}},
		{xrp("m-7", xrpWallet, "memo", `"00012345"`), map[string]any{"results.0.memo": "00012345", "results.0.status": "created"}},
	} {
		a := s.payOut(c.body)
		decodeReply(t, a.text).wants(t, c.wants)
		if t.Failed() {
			t.Fatal(a.text)
		}
	}
}
