package api

import (
	"slices"

	"github.com/shopspring/decimal"

	"causeway/api/input"
	"causeway/internal/pay"
	"causeway/internal/pricing"
)

var (
	errDepositNetwork = pay.E(pay.Invalid, "invalid_network_or_deposits_disabled", "The network is unknown or takes no deposits.")
	errDepositToken   = pay.E(pay.Invalid, "unsupported_token_or_deposits_disabled", "The token is unknown or takes no deposits.")
	errDepositPair    = pay.E(pay.Invalid, "token_network_mismatch", "The token does not exist on this network.")
	errDepositActive  = pay.E(pay.Invalid, "token_not_supported_or_inactive", "The token is not active.")
	errMemoRequired   = pay.E(pay.Invalid, "memo_required", "This token needs a memo.")
	errAmountVanishes = pay.E(pay.Invalid, "invalid_parameters_for_process_by", "The amount is zero or out of range once cut or converted.")
	errNoConversion   = pay.E(pay.Unavailable, "price_not_available_for_conversion", "There is no price to convert with.")
	errNoValidation   = pay.E(pay.Unavailable, "price_not_available_for_validation", "There is no price to check the amounts with.")
	errAmountsDiffer  = pay.E(pay.Invalid, "crypto_amount_does_not_correspond_to_fiat_amount_provided",
		"crypto_amount and fiat_amount differ by more than 30 % at the current price.")
)

// beyond is the first amount too large for the ledger.
var beyond = decimal.New(1, 30)

// depositToken finds the token of a payin request (api-v1 §Business errors), in the order of addendum §7.
func depositToken(cat *Catalogue, network, symbol string) (*pay.Network, *pay.Token, error) {
	n, ok := pay.NetworkCalled(network)
	if !ok || !anyDeposit(cat, func(t *pay.Token) bool { return t.Network == n.Name }) {
		return nil, nil, errDepositNetwork
	}
	if !anyDeposit(cat, func(t *pay.Token) bool { return t.Symbol == symbol }) {
		return nil, nil, symbolNamed(errDepositToken, cat, symbol)
	}
	t, ok := cat.Token(symbol, n.Name)
	switch {
	case !ok:
		return nil, nil, errDepositPair
	case !t.Deposits:
		return nil, nil, errDepositToken
	case !t.Active:
		return nil, nil, errDepositActive
	}
	return n, t, nil
}

func anyDeposit(cat *Catalogue, of func(*pay.Token) bool) bool {
	return slices.ContainsFunc(cat.Tokens, func(t pay.Token) bool { return t.Deposits && of(&t) })
}

// payinMemo returns the memo identifying the payin: nil for tokens without memos (api-v1 §Payin request object).
func payinMemo(n *pay.Network, t *pay.Token, sent *string) (*string, error) {
	if !t.Memo {
		return nil, nil
	}
	if sent == nil {
		return nil, errMemoRequired
	}
	if problem := memoProblem(n, *sent); problem != "" {
		return nil, input.FieldErrors{"memo": problem}.Err()
	}
	if n.MemoOnChain(*sent) != *sent {
		return nil, input.FieldErrors{"memo": "must be a destination tag without leading zeros: payments do not carry them"}.Err()
	}
	return sent, nil
}

// payinQuote has both amounts of a payin and the price between them, where there is one.
type payinQuote struct {
	Fiat       string
	Amount     decimal.Decimal
	FiatAmount decimal.NullDecimal
	FiatText   *string // as the answer shows it: the value sent, else computed, else null
	Price      decimal.NullDecimal
}

// quote works out the amounts of an order by its process_by (api-v1 §Payin request object, §Payin creation response).
func (p *payinOrder) quote(cat *Catalogue, m *pay.Merchant, t *pay.Token) (*payinQuote, error) {
	q := &payinQuote{Fiat: cat.FiatOf(m)}
	if p.Fiat != "" {
		fiat, ok := cat.Fiat(p.Fiat)
		if !ok {
			return nil, input.FieldErrors{"fiat_currency": "is not an accepted currency"}.Err()
		}
		q.Fiat = fiat.Code
	}
	if price, ok := cat.Price(t.Symbol, q.Fiat); ok {
		q.Price = decimal.NewNullDecimal(price)
	}
	if p.FiatAmount.Valid {
		q.FiatAmount, q.FiatText = decimal.NewNullDecimal(pricing.Cut(p.FiatAmount.Decimal, pricing.FiatPlaces)), &p.FiatText
	}
	fill := q.fromCrypto
	if p.ProcessBy == pay.ByFiat {
		fill = q.fromFiat
	}
	return q, fill(p, t)
}

func (q *payinQuote) fromFiat(p *payinOrder, t *pay.Token) error {
	if !q.Price.Valid {
		return errNoConversion
	}
	q.Amount = pricing.Quote{Price: q.Price.Decimal}.Buys(p.FiatAmount.Decimal, t.Precision)
	if q.Amount.IsZero() || q.Amount.GreaterThanOrEqual(beyond) {
		return errAmountVanishes
	}
	return nil
}

func (q *payinQuote) fromCrypto(p *payinOrder, t *pay.Token) error {
	q.Amount = pricing.Cut(p.Crypto.Decimal, t.Precision)
	switch {
	case q.Amount.IsZero():
		return errAmountVanishes
	case p.FiatAmount.Valid && !q.Price.Valid:
		return errNoValidation
	case p.FiatAmount.Valid && !near(q.Amount.Mul(q.Price.Decimal), p.FiatAmount.Decimal):
		return errAmountsDiffer
	case p.FiatAmount.Valid || !q.Price.Valid:
		return nil
	}
	worth := pricing.Quote{Price: q.Price.Decimal}.Worth(q.Amount)
	text := worth.StringFixed(pricing.FiatPlaces)
	q.FiatAmount, q.FiatText = decimal.NewNullDecimal(worth), &text
	return nil
}

// tolerance is how far crypto_amount may be from fiat_amount at the current price, both edges included (api-v1 §Limits).
var tolerance = decimal.New(3, -1)

func near(worth, fiat decimal.Decimal) bool {
	return worth.Sub(fiat).Abs().LessThanOrEqual(fiat.Mul(tolerance))
}
