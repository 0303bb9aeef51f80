package admin

import (
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// NewToken is a token to add to the catalogue, as its contract says it.
type NewToken struct {
	Network, Contract string
	Name              string // its name in the catalogue, in prices and balances
	Decimals          int
	Pays              bool // payouts of it are open from the start
}

// AddToken adds a token to the catalogue. Its name is its asset: it must be nobody else's on any network, since an amount of one
// asset is as good as another of the same name. It has no price, no limits and no network fee until the operator says some.
func (a *Admin) AddToken(ctx context.Context, n NewToken) (*Token, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	t := pay.Token{Symbol: n.Name, Network: n.Network, BalanceKey: n.Name, Variant: "added", Contract: n.Contract, Decimals: n.Decimals,
		Precision: min(n.Decimals, ledger.Precision), Active: true, Deposits: true, Withdrawals: n.Pays, FeeCurrency: n.Name}
	t.MinReceipt = decimal.New(1, -int32(t.Precision)) //nolint:gosec // at most 8
	t.MinWithdrawal = t.MinReceipt
	view := Token(t)
	err := a.Change(ctx, "token.add", "token:"+t.Symbol+"@"+t.Network, func(tx *store.Store) (before, after any, err error) {
		others, err := tx.TokensToAdd(ctx)
		if err != nil {
			return nil, nil, err
		}
		if err := n.apart(others); err != nil {
			return nil, nil, err
		}
		fiat, err := tx.HasFiat(ctx, n.Name)
		if err == nil && fiat {
			err = refuse("%s is a fiat: choose another name for the token", n.Name)
		}
		if err != nil {
			return nil, nil, err
		}
		return nil, view, tx.AddToken(ctx, &t)
	})
	return &view, err
}

// check reads the name: it stands in addresses, filters and files.
func (n *NewToken) check() error {
	plain := strings.Trim(n.Name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == ""
	if n.Name == "" || len(n.Name) > longestTokenName || !plain {
		return misread("%q is no name of a token: 1 to %d letters, digits, dots, hyphens and underscores", n.Name, longestTokenName)
	}
	if n.Decimals < 0 || n.Decimals > exactScale {
		return refuse("a token has 0 to %d decimals, not %d", exactScale, n.Decimals)
	}
	return nil
}

// longestTokenName is how many characters the name of a token has at most.
const longestTokenName = 32

// apart refuses the name or the contract of another token.
func (n *NewToken) apart(others []pay.Token) error {
	for _, o := range others {
		switch {
		case o.Network == n.Network && strings.EqualFold(o.Contract, n.Contract):
			return refuse("%s on %s is in the catalogue, as %s", n.Contract, n.Network, o.Symbol)
		case strings.EqualFold(o.Symbol, n.Name) || strings.EqualFold(o.BalanceKey, n.Name):
			return refuse("%s is a token of %s: money in this one would count as that one; choose another name, such as %s",
				o.Symbol, o.Network, SuggestedName(n.Name, n.Network, others))
		}
	}
	return nil
}

// SuggestedName returns a name for a token with a contract's symbol: the symbol itself, or, where another token has it, the symbol
// with the network behind it.
func SuggestedName(symbol, network string, others []pay.Token) string {
	for _, o := range others {
		if strings.EqualFold(o.Symbol, symbol) || strings.EqualFold(o.BalanceKey, symbol) {
			return symbol + "." + network
		}
	}
	return symbol
}

// SuggestName is SuggestedName beside the tokens of the catalogue.
func (a *Admin) SuggestName(ctx context.Context, symbol, network string) (string, error) {
	others, err := a.Store.Tokens(ctx)
	return SuggestedName(symbol, network, others), err
}
