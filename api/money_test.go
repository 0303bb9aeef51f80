package api

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/ledger"
)

// No answer has an amount, a rate or a price as a number; those of the summary have no trailing zeros.
func TestMoneyIsText(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §General conventions: 2")
	s := newShop(t, holding("1000"))
	s.exec("update merchants set payment_rate = 1.50, receipt_rate = 0.250, minimum_payment = 99.50")
	s.exec("update tokens set max_receipt = 5000.10, max_withdrawal = 300.00 where symbol = 'USDT'")
	s.exec("insert into merchant_networks (merchant_id, network, payment_rate) values (?, 'Tron', 10.0)", s.merchant)
	_, paid := s.call(http.MethodPost, "/v1/payout", item("money-00001", "crypto_amount", `12.5`))
	_, asked := s.payin("crypto_amount", `12.5`)
	for name, answer := range map[string]reply{"payout": paid, "payin": asked} {
		noNumbers(t, name, map[string]any(answer))
	}
	for _, o := range operations {
		path := o.path
		if o.method != http.MethodGet {
			continue
		}
		switch path {
		case "/v1/check-payout/0197f1c2-7d6e-7b1a-9c55-0d6a1f0e8b11":
			path = "/v1/check-payout/" + paid.at("results.0.internal_reference").(string)
		case "/v1/payment-request/order-0000001":
			s.asked()
			path = "/v1/payment-request/order-00007"
		case "/v1/payment-links":
			s.link("slug", `"green-tea"`)
			s.link("amount", "", "min_amount", `5`, "max_amount", `"7.5"`)
		case "/v1/refund/refund-0000001", "/v1/payin-refunds/order-0000001":
			if strings.HasPrefix(path, "/v1/refund/") {
				s.came(uuid.MustParse(fmt.Sprint(asked.at("data.internal_reference"))), "USDT", "12", "final")
				s.refund("reference_id", `"refund-0000001"`).is(t, 200, "")
			}
		case "/v1/get-price":
			path += "?currency1=BTC&currency2=USD"
		case "/v1/webhook-deliveries/0197f1c2-9a40-7c33-8f02-5b7e9d1c6a20":
			path = "/v1/webhook-deliveries/" + s.webhook(s.merchant, paid.at("results.0.internal_reference").(string), "payment_processed",
				"delivered").String()
		}
		noNumbers(t, path, map[string]any(s.get(path)))
	}
	for _, list := range []any{s.get("/v1/summary").at("data"), s.get("/v1/summary/tokens").at("tokens")} {
		eachText(list, func(name, text string) {
			if moneyName.MatchString(name) && text != "unlimited" && text != decimal.RequireFromString(text).String() {
				t.Errorf("%s of the summary is %q", name, text)
			}
		})
	}
}

var (
	moneyName = regexp.MustCompile(`(_amount|amount|_rate|_fee|^fee|price|balance|minimum_payment|^min_.*|^max_.*)$`)
	flagName  = regexp.MustCompile(`^user_pays_`)
)

// noNumbers finds amounts other than text.
func noNumbers(t *testing.T, where string, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			if _, number := inside.(float64); number && moneyName.MatchString(name) && !flagName.MatchString(name) {
				t.Errorf("%s: %s is a number", where, name)
			}
			noNumbers(t, where, inside)
		}
	case []any:
		for _, inside := range value {
			noNumbers(t, where, inside)
		}
	case float64:
		if value != float64(int64(value)) {
			t.Errorf("%s has the number %v", where, value)
		}
	}
}

func eachText(value any, visit func(name, text string)) {
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			if text, ok := inside.(string); ok && name != "balance_key" {
				visit(name, text)
			}
			eachText(inside, visit)
		}
	case []any:
		for _, inside := range value {
			eachText(inside, visit)
		}
	}
}

// A reversal takes back money already paid out: the account owes, and pays out nothing in this token until the debt is
// made good.
func TestAnAccountThatOwesPaysNothingOut(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: No payout takes available below zero")
	s := newShop(t)
	transfer := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Token: "USDT", Amount: dec("40"), Credited: dec("40"),
		Credits: 1, Status: pay.TransferFinal}
	if _, err := ledger.Post(t.Context(), s.db, ledger.PayinCredited(s.merchant, "USDT", transfer)); err != nil {
		t.Fatal(err)
	}
	if a := s.payOut(item("spent", "crypto_amount", `"28"`)); a.status != 200 || s.balance("USDT") != "10" {
		t.Fatalf("%s, %s left", a.text, s.balance("USDT"))
	}
	if _, err := ledger.Post(t.Context(), s.db, ledger.PayinReversed(s.merchant, "USDT", transfer)); err != nil {
		t.Fatal(err)
	}
	if got := s.balance("USDT"); got != "-30" {
		t.Fatalf("%s after the reversal", got)
	}
	s.fund(s.merchant, "ETH", "1")
	s.payOut(item("owing", "crypto_amount", `"1"`)).is(t, 400, "insufficient_total_balance")
	decodeReply(t, s.payOut(batchOf(item("other", "crypto_currency", `"ETH"`, "crypto_amount", `"0.5"`))).text).
		wants(t, map[string]any{"results.0.status": "created"})
	for i, c := range []struct {
		brought string
		status  int
	}{{"31", 400}, {"1.999999", 400}, {"0.000001", 200}} { // 1 and its fee of 2 are needed
		s.fund(s.merchant, "USDT", c.brought)
		if a := s.payOut(item(fmt.Sprintf("made-good-%d", i), "crypto_amount", `"1"`)); a.status != c.status {
			t.Errorf("after %s: %d %s", c.brought, a.status, a.text)
		}
	}
	if got := s.balance("USDT"); got != "0" {
		t.Errorf("%s is left", got)
	}
}
