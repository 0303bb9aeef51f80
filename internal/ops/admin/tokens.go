package admin

import (
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// limitScale is how many decimals the limits and fees of tokens keep.
const limitScale = 8

// Token is a token on a network as the operator sees it.
type Token struct {
	Symbol        string              `json:"symbol"`
	Network       string              `json:"network"`
	BalanceKey    string              `json:"balance_key"`
	Variant       string              `json:"variant"`
	Contract      string              `json:"contract"`
	Decimals      int                 `json:"decimals"`
	Precision     int                 `json:"precision"`
	Memo          bool                `json:"memo"`
	Active        bool                `json:"active"`
	Deposits      bool                `json:"deposits"`
	Withdrawals   bool                `json:"withdrawals"`
	MinReceipt    decimal.Decimal     `json:"min_receipt"`
	MaxReceipt    decimal.NullDecimal `json:"max_receipt"` // null = unlimited
	MinWithdrawal decimal.Decimal     `json:"min_withdrawal"`
	MaxWithdrawal decimal.NullDecimal `json:"max_withdrawal"` // null = unlimited
	NetworkFee    decimal.Decimal     `json:"network_fee"`    // in FeeCurrency
	FeeCurrency   string              `json:"fee_currency"`
}

// Tokens lists the catalogue, inactive tokens included.
func (a *Admin) Tokens(ctx context.Context) ([]Token, error) {
	rows, err := a.Store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Token, len(rows))
	for i := range rows {
		out[i] = Token(rows[i])
	}
	return out, nil
}

// SetToken changes the rules for a token on a network.
func (a *Admin) SetToken(ctx context.Context, symbol, network string, fields Fields) (*Token, error) {
	n, ok := pay.NetworkCalled(network)
	if !ok {
		return nil, refuse("there is no network %q", network)
	}
	var view Token
	err := a.Change(ctx, "token.set", "token:"+symbol+"@"+n.Name, func(tx *store.Store) (before, after any, err error) {
		t, err := tx.TokenForUpdate(ctx, symbol, n.Name)
		if err != nil {
			return nil, nil, named(err, "token %s on %s", symbol, n.Name)
		}
		was := *t
		if err := fields.apply(tokenFields(t)); err != nil {
			return nil, nil, err
		}
		if err := checkToken(ctx, tx, t); err != nil {
			return nil, nil, err
		}
		if t.Contract != was.Contract {
			if err := mayMove(ctx, tx, &was); err != nil {
				return nil, nil, err
			}
		}
		before = Token(was)
		view = Token(*t)
		return before, view, tx.SaveToken(ctx, t)
	})
	return &view, err
}

func tokenFields(t *pay.Token) setters {
	return setters{
		"active":         setSwitch(&t.Active),
		"deposits":       setSwitch(&t.Deposits),
		"withdrawals":    setSwitch(&t.Withdrawals),
		"min_receipt":    setNumber(&t.MinReceipt, limitScale),
		"max_receipt":    setMaximum(&t.MaxReceipt),
		"min_withdrawal": setNumber(&t.MinWithdrawal, limitScale),
		"max_withdrawal": setMaximum(&t.MaxWithdrawal),
		"network_fee":    setNumber(&t.NetworkFee, limitScale),
		"fee_currency":   setText(&t.FeeCurrency),
		"variant":        setText(&t.Variant),
		"contract":       setContract(t),
	}
}

func setMaximum(to *decimal.NullDecimal) func(string) error {
	return func(text string) error {
		if text == "" || text == "unlimited" {
			*to = decimal.NullDecimal{}
			return nil
		}
		most, err := number(text, limitScale)
		if err == nil && most.IsZero() {
			err = refuse("a maximum must be above zero")
		}
		if err == nil {
			*to = decimal.NewNullDecimal(most)
		}
		return err
	}
}

func setText(to *string) func(string) error {
	return func(text string) error {
		if text == "" || len(text) > longestName || strings.ContainsAny(text, "\x00 \t\n") {
			return misread("%q is not one word", text)
		}
		*to = text
		return nil
	}
}

func setContract(t *pay.Token) func(string) error {
	return func(text string) error {
		if t.Contract == "" {
			return refuse("%s is the native coin of %s", t.Symbol, t.Network)
		}
		return setText(&t.Contract)(text)
	}
}

// mayMove refuses another contract for a token in use on a network followed before. Payers shown the new contract pay to it within
// seconds, while a process watches the contracts of its start; and money paid to the former contract stays there.
func mayMove(ctx context.Context, tx *store.Store, t *pay.Token) error {
	followed, err := tx.Followed(ctx, t.Network)
	if err != nil || !followed {
		return err
	}
	if t.Deposits || t.Withdrawals {
		return refuse("%s is followed with %s at %s: switch its deposits and withdrawals off there first, and on again once every role was restarted with the other contract",
			t.Network, t.Symbol, t.Contract)
	}
	used, err := tx.TokenUsed(ctx, t.Symbol, t.Network)
	if err != nil {
		return err
	}
	purses, err := tx.Purses(ctx)
	if err == nil && (used || slices.ContainsFunc(purses, func(p store.Purse) bool {
		return p.Account == ledger.Outside(t.Network) && p.Asset == t.BalanceKey && !p.Amount.IsZero()
	})) {
		err = refuse("%s was paid to us on %s, or an open payin or payout asks for it: what is ours lies in the contract %s",
			t.Symbol, t.Network, t.Contract)
	}
	return err
}

// checkToken refuses limits with no amount between them, and a fee in an unknown currency.
func checkToken(ctx context.Context, tx *store.Store, t *pay.Token) error {
	if t.MaxReceipt.Valid && t.MaxReceipt.Decimal.LessThan(t.MinReceipt) {
		return refuse("max_receipt %s is less than min_receipt %s", t.MaxReceipt.Decimal, t.MinReceipt)
	}
	if t.MaxWithdrawal.Valid && t.MaxWithdrawal.Decimal.LessThan(t.MinWithdrawal) {
		return refuse("max_withdrawal %s is less than min_withdrawal %s", t.MaxWithdrawal.Decimal, t.MinWithdrawal)
	}
	return isCurrency(ctx, tx, t.FeeCurrency)
}

func isCurrency(ctx context.Context, tx *store.Store, name string) error {
	known, err := tx.Currency(ctx, name)
	if err == nil && !known {
		err = refuse("there is no token or fiat %q in the catalogue", name)
	}
	return err
}
