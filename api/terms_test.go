package api

import (
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/proof/contract"
)

// An operator's change shows on the next summary, sooner than the 5 minutes it may take.
func TestSummaryIsFresh(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Account summary: It may lag", "api-v1 §Limits: Freshness")
	s := newShop(t)
	s.get("/v1/summary")
	s.exec("update merchants set receipt_rate = 3, minimum_payment = 90 where id = ?", s.merchant)
	s.exec("insert into merchant_networks (merchant_id, network, payment_rate) values (?, 'Tron', 4)", s.merchant)
	s.exec("update tokens set active = false where symbol = 'OKB'")
	s.exec("update fiats set accepted = false where code = 'AUD'")
	s.wait(5 * 60e9)
	s.get("/v1/summary").wants(t, map[string]any{
		"data.user_info.receipt_rate": "3", "data.user_info.minimum_payment": "90", "data.network_rates.Tron.payment_rate": "4",
		"data.summary_stats.total_tokens": s.count("select count(*) from tokens where active"), "data.summary_stats.total_fiats": 9,
	})
}

// A payin takes its account's value at its creation, and the summary says the same.
func TestMinimumPaymentOfTheAccount(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §POST /v1/payin: It is set per account", "api-v1 §Versioning: changed · Without a minimum_payment", "api-v1 §Limits: minimum_payment",
		"api-v1 §Account summary: minimum_payment")
	s := newShop(t)
	for i, c := range []struct{ set, want string }{{"null", "100"}, {"95.5", "95.5"}, {"1", "1"}} {
		s.exec("update merchants set minimum_payment = " + c.set)
		s.get("/v1/summary").wants(t, map[string]any{"data.user_info.minimum_payment": c.want})
		reference := "minimum-00" + string(rune('0'+i))
		if status, got := s.payin("reference_id", quote(reference)); status != 200 {
			t.Fatal(got)
		}
		s.get("/v1/check-payin/"+reference).wants(t, map[string]any{"deposit.minimum_payment": c.want})
	}
	s.get("/v1/check-payin/minimum-000").wants(t, map[string]any{"deposit.minimum_payment": "100"})
}

// Payins go by receipt_rate and its flag, whatever the other rates are; a network's own goes first.
func TestReceiptTermsAreThoseOfPayins(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Account summary: receipt_rate", "api-v1 §Account summary: What was applied",
		"api-v1 §Account summary: user_pays_payment_network_fee, user_pays_receipt_network_fee")
	s := newShop(t)
	s.exec("update merchants set receipt_rate = 1.25, payment_rate = 7, deposit_rate = 8, withdrawal_rate = 9, user_pays_receipt_network_fee = false")
	s.exec("insert into merchant_networks (merchant_id, network, receipt_rate, user_pays_receipt_network_fee) values (?, 'Polygon', 0.5, true)", s.merchant)
	for reference, want := range map[string][3]string{"terms-tron": {"Tron", "1.25", "0"}, "terms-polygon": {"Polygon", "0.5", "1"}} {
		if status, got := s.payin("reference_id", quote(reference), "network", quote(want[0])); status != 200 {
			t.Fatal(got)
		}
		s.get("/v1/check-payin/"+reference).wants(t, map[string]any{"deposit.percent_rate": want[1], "deposit.network_fee": want[2]})
	}
	s.exec("update tokens set network_fee = 0")
	for network, pays := range map[string]bool{"Tron": false, "Polygon": true} {
		if status, got := s.payin("reference_id", quote("free-"+network), "network", quote(network)); status != 200 {
			t.Fatal(got)
		}
		if s.count("select count(*) from payins where reference_id = ? and pays_network_fee = ? and network_fee = 0", "free-"+network, pays) != 1 {
			t.Error("who pays what other tokens cost is not settled with the payin on " + network)
		}
	}
}

// Payouts go by payment_rate and its flag, whatever the other rates are; network_fee is said also where the account does
// not pay it.
func TestPaymentTermsAreThoseOfPayouts(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Account summary: payment_rate", "api-v1 §Account summary: What was applied",
		"api-v1 §Account summary: user_pays_payment_network_fee, user_pays_receipt_network_fee")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	left := decimal.NewFromInt(1000)
	for _, c := range []struct{ reference, terms, rate, debit string }{
		{"terms-pays", "user_pays_payment_network_fee = true", "1.5", "12.15"},
		{"terms-free", "user_pays_payment_network_fee = false", "1.5", "10.15"},
	} {
		s.exec("update merchants set payment_rate = 1.5, receipt_rate = 7, deposit_rate = 8, withdrawal_rate = 9, " + c.terms)
		id := decodeReply(t, s.payOut(item(c.reference)).text).at("results.0.internal_reference")
		left = left.Sub(dec(c.debit))
		decodeReply(t, s.ask("GET", "/v1/check-payout/"+id.(string), "").text).
			wants(t, map[string]any{"payment.percent_rate": c.rate, "payment.network_fee": "2"})
		if got := s.balance("USDT"); got != left.String() {
			t.Errorf("%s: %s left, want %s", c.reference, got, left)
		}
	}
}

// Native coins cost about one US dollar by the table of sandbox prices: 0.9 to 1.1.
func TestNewInstallation(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: A new installation charges", "api-v1 §Versioning: added · balance_key")
	s := newShop(t)
	s.get("/v1/summary").wants(t, map[string]any{
		"data.user_info.payment_rate": "0", "data.user_info.receipt_rate": "0", "data.user_info.deposit_rate": "0",
		"data.user_info.withdrawal_rate":               "0",
		"data.user_info.user_pays_payment_network_fee": true, "data.user_info.user_pays_receipt_network_fee": false,
	})
	balances, _ := s.get("/v1/balances")["balances"].(map[string]any)
	for _, one := range s.get("/v1/summary/tokens").list("tokens") {
		token := reply(one.(map[string]any))
		stable := token["symbol"] == "USDT" || token["symbol"] == "USDC" || token["symbol"] == "USDC.e"
		fee := map[bool]string{true: "2", false: "1"}[token["network"] == "Ethereum"]
		want := map[string]any{"min_receipt": "1", "min_withdrawal": "1", "max_receipt": "unlimited", "max_withdrawal": "unlimited",
			"network_fee": fee}
		switch {
		case balances[token["balance_key"].(string)] != "0.00000000":
			t.Errorf("%s on %s has no balance under %v", token["symbol"], token["network"], token["balance_key"])
		case stable:
			token.wants(t, want)
		default:
			s.aboutADollar(token)
		}
	}
}

func (s *shop) aboutADollar(token reply) {
	s.t.Helper()
	var price string
	if err := s.db.NewRaw("select price::text from prices where base = ? and quote = 'USD'", token["symbol"]).
		Scan(s.t.Context(), &price); err != nil {
		s.t.Fatal(err)
	}
	for _, name := range []string{"min_receipt", "min_withdrawal", "network_fee"} {
		worth := dec(token[name].(string)).Mul(dec(price))
		if worth.LessThan(dec("0.9")) || worth.GreaterThan(dec("1.3")) {
			s.t.Errorf("%s of %s on %s is worth %s", name, token["symbol"], token["network"], worth)
		}
	}
}
