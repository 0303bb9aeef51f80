package chains

import (
	"net/url"
	"strings"

	"github.com/shopspring/decimal"
)

// Payment is what a payer's wallet is asked to pay.
type Payment struct {
	To, Memo string
	Token    Token           // without a contract: the native coin
	Amount   decimal.Decimal // in the token; zero asks for no amount
}

// Native reports whether the native coin is asked for.
func (p Payment) Native() bool { return p.Token.Contract == "" }

// Whole is the amount in whole coins, "" for none.
func (p Payment) Whole() string {
	if !p.Amount.IsPositive() {
		return ""
	}
	return p.Amount.String()
}

// Units is the amount in the chain's smallest units, "" for none.
func (p Payment) Units() string {
	if !p.Amount.IsPositive() {
		return ""
	}
	return p.Amount.Shift(int32(p.Token.Decimals)).BigInt().String()
}

// CoinURI writes payment URIs of the native coin in the form of BIP 21, scheme:address?amount=1.5. Amount and memo are the names of
// the parameters; without a name there is no such parameter. Tokens have no URI.
func CoinURI(scheme, amount, memo string) func(Payment) (string, bool) {
	return func(p Payment) (string, bool) {
		if !p.Native() {
			return p.To, false
		}
		return WithQuery(scheme+":"+strings.TrimPrefix(p.To, scheme+":"), amount, p.Whole(), memo, p.Memo), true
	}
}

// WithQuery adds the parameters, in pairs, that have a name and a value.
func WithQuery(start string, pairs ...string) string {
	var out strings.Builder
	out.WriteString(start)
	mark := "?"
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "" && pairs[i+1] != "" {
			out.WriteString(mark + pairs[i] + "=" + url.QueryEscape(pairs[i+1]))
			mark = "&"
		}
	}
	return out.String()
}
