package chains_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// The forms are those that wallets of these families read (docs/connectors.md).
func TestCoinURI(t *testing.T) {
	t.Parallel()
	type payment = chains.Payment
	for name, c := range map[string]struct {
		scheme, amount, memo string
		payment
		of, want string
		plain    bool
	}{
		"bitcoin":      {"bitcoin", "amount", "", payment{To: "bc1qxy"}, "0.00000001", "bitcoin:bc1qxy?amount=0.00000001", false},
		"no amount":    {"bitcoin", "amount", "", payment{To: "bc1qxy"}, "0", "bitcoin:bc1qxy", false},
		"no exponent":  {"dogecoin", "amount", "", payment{To: "D1"}, "1e8", "dogecoin:D1?amount=100000000", false},
		"bitcoin cash": {"bitcoincash", "amount", "", payment{To: "bitcoincash:qz"}, "1.5", "bitcoincash:qz?amount=1.5", false},
		"xrp":          {"ripple", "amount", "dt", payment{To: "rA", Memo: "12345678"}, "40.5", "ripple:rA?amount=40.5&dt=12345678", false},
		"cardano":      {"web+cardano", "amount", "", payment{To: "addr1"}, "40", "web+cardano:addr1?amount=40", false},
		"monero":       {"monero", "tx_amount", "", payment{To: "4A"}, "0.1", "monero:4A?tx_amount=0.1", false},
		"no memo":      {"monero", "tx_amount", "", payment{To: "4A", Memo: "7"}, "0.1", "monero:4A?tx_amount=0.1", false},
		"a token":      {"tron", "amount", "", payment{To: "TA", Token: chains.Token{Contract: "TR7", Decimals: 6}}, "40", "TA", true},
	} {
		c.Amount = decimal.RequireFromString(c.of)
		if got, is := chains.CoinURI(c.scheme, c.amount, c.memo)(c.payment); got != c.want || is == c.plain {
			t.Errorf("%s: %q %v, want %q", name, got, is, c.want)
		}
	}
}

func TestAmountsOfPayments(t *testing.T) {
	t.Parallel()
	p := chains.Payment{Token: chains.Token{Decimals: 9}, Amount: decimal.RequireFromString("1.25")}
	if p.Whole() != "1.25" || p.Units() != "1250000000" {
		t.Errorf("%s, %s", p.Whole(), p.Units())
	}
	if p.Amount = decimal.Zero; p.Whole() != "" || p.Units() != "" {
		t.Errorf("an amount of zero is %q, %q", p.Whole(), p.Units())
	}
}
