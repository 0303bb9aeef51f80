package api

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

// The requested values stand in the answer to the creation, and in the record check and list show alike.
func TestPayoutRecordIsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Payout creation result: reference_id", "api-v1 §Payout creation result: crypto_currency, fiat_currency",
		"api-v1 §Payout creation result: wallet", "api-v1 §Payout creation result: network", "api-v1 §Payout creation result: process_by",
		"api-v1 §Payout creation result: internal_reference",
		"api-v1 §Payout record: Answered by", "api-v1 §Payout record: internal_reference", "api-v1 §Payout record: reference_id",
		"api-v1 §Payout record: wallet", "api-v1 §Payout record: crypto_currency, fiat_currency", "api-v1 §Payout record: crypto_amount",
		"api-v1 §Payout record: fiat_amount", "api-v1 §Payout record: process_by", "api-v1 §Payout record: network_fee",
		"api-v1 §Payout record: network", "api-v1 §Payout record: webhook_url", "api-v1 §Payout record: feetakenfromamount",
		"api-v1 §Payout record: created_at, updated_at", "api-v1 §Payout record: percent_rate",
		"api-v1 §Versioning: added · Network aliases", "api-v1 §Account summary: payment_rate", "api-v1 §Account summary: What was applied")
	s := newShop(t, holding("1000"))
	s.exec(`update merchants set payment_rate = 1.5`)
	for i, c := range []struct {
		changes     []string
		want        map[string]any // in both
		from, reads string         // feetakenfromamount and the network's name
	}{
		{[]string{"network", `"ERC 20"`, "wallet", `" ` + evmWallet + `  "`, "webhook_url", `"https://hooks.test/one?a=%20"`},
			map[string]any{"wallet": evmWallet, "crypto_amount": "10", "fiat_amount": "10.00000000", "fiat_currency": "USD",
				"network_fee": "2", "process_by": "crypto_amount"}, "0", "Ethereum"},
		{[]string{"network", `"trc20"`, "wallet", quote(strings.Repeat(" ", 100) + tronWallet), "feetakenfromamount", `"1"`, "process_by",
			`"fiat_amount"`, "fiat_amount", `"108"`, "fiat_currency", `"brl"`},
			map[string]any{"wallet": tronWallet, "crypto_amount": "18.7", "fiat_amount": "100.98000000", "fiat_currency": "BRL",
				"network_fee": "1", "process_by": "fiat_amount"}, "1", "Tron"},
	} {
		reference := fmt.Sprintf("ref/%d ü", i)
		body := item(reference, c.changes...)
		_, got := s.call(http.MethodPost, "/v1/payout", body)
		created, _ := got.at("results.0").(map[string]any)
		want := maps.Clone(c.want)
		want["reference_id"], want["crypto_currency"], want["network"] = reference, "USDT", c.reads
		reply(created).wants(t, want)
		id, _ := created["internal_reference"].(string)
		if _, err := uuid.Parse(id); err != nil {
			t.Fatalf("%v: %v", err, got)
		}
		s.exec(`update payouts set created_at = '2026-05-06 07:08:09.9+00', updated_at = '2026-05-07 08:09:10+00' where id = ?`, id)
		checked := s.get("/v1/check-payout/" + id).at("payment")
		want["internal_reference"], want["feetakenfromamount"], want["percent_rate"] = id, c.from, "1.5"
		want["created_at"], want["updated_at"] = "2026-05-06 07:08:09", "2026-05-07 08:09:10"
		want["webhook_url"] = map[string]string{"0": "https://hooks.test/one?a=%20", "1": "https://hooks.test/x"}[c.from]
		record, _ := checked.(map[string]any)
		reply(record).wants(t, want)
		if listed := s.get("/v1/list-payout?network=" + c.reads).at("payments.0"); !reflect.DeepEqual(listed, checked) {
			t.Errorf("listed as %v, checked as %v", listed, checked)
		}
	}
}

// created is said once, at the creation; afterwards there are four statuses.
func TestPayoutStatuses(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout: created stands", "api-v1 §Payout record: status", "api-v1 §Payout creation result: status")
	s := newShop(t, holding("1000"))
	_, created := s.call(http.MethodPost, "/v1/payout", item("r-1"))
	created.wants(t, map[string]any{"results.0.status": "created"})
	id, _ := created.at("results.0.internal_reference").(string)
	for _, c := range []struct{ stored, public string }{
		{"queued", "pending"}, {"signed", "pending"}, {"sent", "pending"}, {"completed", "completed"}, {"failed", "failed"}, {"refunded", "refunded"},
	} {
		s.exec(`update payouts set status = ?`, c.stored)
		s.get("/v1/check-payout/"+id).wants(t, map[string]any{"payment.status": c.public})
		s.get("/v1/list-payout").wants(t, map[string]any{"payments.0.status": c.public})
	}
}

// A refused item, whatever refused it and wherever it stands, costs nothing and leaves nothing behind.
func TestNothingIsDebitedForARefusedItem(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout item errors: Nothing is debited", "api-v1 §POST /v1/payout: Items stand alone")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.exec(`update keys set daily_limit_usd = 40 where id = ?`, s.keyID)
	s.exec(`update tokens set max_withdrawal = 50 where symbol = 'USDT' and network = 'Tron'`)
	first := s.payOut(item("taken")) // 12 of 100
	if first.status != http.StatusOK {
		t.Fatal(first.text)
	}
	r := decodeReply(t, s.payOut(batchOf(
		item("short", "wallet", `"x"`), item("network", "network", `"x"`), item("format", "wallet", quote(tronWallet)),
		item("least", "crypto_amount", `"0.5"`), item("fees", "crypto_amount", `"2"`, "feetakenfromamount", `1`),
		item("taken"), item("made"), item("made"), item("day", "crypto_amount", `"20"`),
	)).text)
	codes := []any{"invalid_parameters", "invalid_network_or_withdrawals_disabled", "invalid_format", "limit_exceeded",
		"amount_does_not_cover_fees", "duplicate_payment_reference", nil, "duplicate_reference_id_in_request", "daily_payout_limit_exceeded"}
	for i, want := range codes {
		r.wants(t, map[string]any{fmt.Sprintf("results.%d.error.code", i): want})
	}
	if got := s.balance("USDT"); got != "76" {
		t.Errorf("%s is left, want 100 - 12 - 12: %v", got, r)
	}
	for table, want := range map[string]int{"payouts": 2, "jobs where kind = 'payout.broadcast'": 2,
		"entries where kind = 'payout_held'": 2, "daily_spend where usd = 24": 1} {
		if n := s.count(`select count(*) from ` + table); n != want {
			t.Errorf("%d %s, want %d", n, table, want)
		}
	}
}

// The minimum is held against the recipient's amount, the maximum against the requested one, with the fees on either
// side.
func TestPayoutLimitsWithFees(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: the minimum is about", "api-v1 §Limits: Amounts of a token")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	s.exec(`update tokens set min_withdrawal = 10, max_withdrawal = 50 where symbol = 'USDT' and network = 'Ethereum'`)
	for i, c := range []struct {
		amount, from string
		code         any
	}{
		{"10", "0", nil}, {"9.999999", "0", "limit_exceeded"}, {"12", "1", nil}, {"11.999999", "1", "limit_exceeded"},
		{"50", "0", nil}, {"50", "1", nil}, {"50.000001", "0", "limit_exceeded"}, {"50.000001", "1", "limit_exceeded"}, {"51", "1", "limit_exceeded"},
	} {
		a := s.payOut(item(fmt.Sprintf("l-%d", i), "crypto_amount", quote(c.amount), "feetakenfromamount", c.from))
		if got := decodeReply(t, a.text).at("results.0.error.code"); got != c.code {
			t.Errorf("%s with feetakenfromamount %s: %s", c.amount, c.from, a.text)
		}
	}
}

// Dust is refused when the payout is made, also where the operator's minimum is below it.
func TestDustIsRefused(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Settings: A payout below the least that the nodes pass on")
	networks, err := chains.NewRegistry(sandbox.OpenAll(nil, pay.Networks, sandbox.Options{})...)
	if err != nil {
		t.Fatal(err)
	}
	s := newShop(t, knowing(realAddresses{networks}))
	s.exec(`update tokens set min_withdrawal = 0`)
	for network, c := range map[string]struct{ coin, wallet, dust, least string }{
		"Bitcoin":     {"BTC", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "0.00000545", "0.00000546"},
		"Litecoin":    {"LTC", "LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9", "0.00005459", "0.0000546"},
		"Dogecoin":    {"DOGE", "DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L", "0.00999999", "0.01"},
		"BitcoinCash": {"BCH", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "0.00000575", "0.00000576"},
		"BitcoinGold": {"BTG", "GUXByHDZLvU4DnVH9imSFckt3HEQ5cFgE5", "0.00000545", "0.00000546"},
	} {
		s.fund(s.merchant, c.coin, "1000")
		pays := func(amount string) string {
			return s.payOut(item(network+amount, "network", quote(network), "crypto_currency", quote(c.coin), "wallet", quote(c.wallet), "crypto_amount", quote(amount),
				"feetakenfromamount", "0")).text
		}
		decodeReply(t, pays(c.dust)).wants(t, map[string]any{"results.0.error.code": "limit_exceeded", "results.0.error.details.min_withdrawal": c.least})
		decodeReply(t, pays(c.least)).wants(t, map[string]any{"results.0.status": "created", "results.0.crypto_amount": c.least})
	}
}

// The amount not selected by process_by changes nothing, however far from the price it is.
func TestTheOtherAmountOfAPayoutIsIgnored(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: crypto_amount_does_not_correspond", "api-v1 §Payout request object: process_by")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	for i, other := range []string{`"1"`, `"1000000"`, `0`, `-5`, `"rubbish"`, `null`} {
		byCrypto := s.payOut(item(fmt.Sprintf("c-%d", i), "fiat_amount", other, "fiat_currency", `"USD"`))
		byFiat := s.payOut(item(fmt.Sprintf("f-%d", i), "process_by", `"fiat_amount"`, "fiat_amount", `"10"`, "fiat_currency", `"USD"`,
			"crypto_amount", other))
		for _, a := range []answer{byCrypto, byFiat} {
			decodeReply(t, a.text).wants(t, map[string]any{"results.0.status": "created", "results.0.crypto_amount": "10",
				"results.0.fiat_amount": "10.00000000"})
		}
	}
	if got := s.balance("USDT"); got != "856" {
		t.Errorf("%s is left, want 1000 - 12·12", got)
	}
}

// One balance pays on every network of the token; another token's does not.
func TestOneBalanceServesAllNetworksOfAToken(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: A balance belongs to a token")
	s := newShop(t, holding("1000")) // has 1000 USDT received on Tron
	for i, network := range []string{"Ethereum", "Polygon", "Base", "Celo"} {
		_, got := s.call(http.MethodPost, "/v1/payout", item(fmt.Sprintf("n-%d", i), "network", quote(network)))
		got.wants(t, map[string]any{"results.0.status": "created", "results.0.network": network})
	}
	s.get("/v1/balances").wants(t, map[string]any{"available.USDT": "955.00000000", "balances.USDC": "0.00000000"})
	status, got := s.call(http.MethodPost, "/v1/payout", item("other", "crypto_currency", `"USDC"`))
	if status != 400 || got.code() != "insufficient_total_balance" {
		t.Errorf("%d %v", status, got)
	}
	var networks []string
	if err := s.db.NewRaw(`select distinct network from payouts order by 1`).Scan(t.Context(), &networks); err != nil ||
		!slices.Equal(networks, []string{"Base", "Celo", "Ethereum", "Polygon"}) {
		t.Errorf("%v %v", networks, err)
	}
}

// Idempotency-Key may be left out: then each request stands for itself.
func TestIdempotencyKeyIsOptional(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §POST /v1/payout: The header Idempotency-Key is optional")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	for i, headers := range [][]string{nil, {keyHeader, ""}, {keyHeader, "a key"}} {
		body := item(fmt.Sprintf("o-%d", i))
		first, second := s.payOut(body, headers...), s.payOut(body, headers...)
		if first.status != http.StatusOK {
			t.Errorf("%v: %s", headers, first.text)
		}
		if replayed := i == 2; (second.text == first.text) != replayed || (second.status == http.StatusOK) != replayed {
			t.Errorf("%v again: %s", headers, second.text)
		}
	}
}
