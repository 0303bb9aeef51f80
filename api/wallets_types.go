package api

import (
	"context"

	"causeway/internal/pay"
)

// WalletType names a type of fixed wallet: one address of it serves every network of the type (addendum §9).
type WalletType struct {
	Type  string `json:"type"`
	Label string `json:"label"`
}

// walletLabels lists every type, in the order of addendum §9.
var walletLabels = []struct {
	family pay.Family
	label  string
}{
	{pay.EVM, "EVM"},
	{pay.Bitcoin, "Bitcoin"},
	{pay.Litecoin, "Litecoin"},
	{pay.Dogecoin, "Dogecoin"},
	{pay.BitcoinCash, "Bitcoin Cash"},
	{pay.BitcoinSV, "Bitcoin SV"},
	{pay.BitcoinGold, "Bitcoin Gold"},
	{pay.Tron, "Tron"},
	{pay.Solana, "Solana"},
	{pay.Ripple, "Ripple"},
	{pay.Cardano, "Cardano"},
	{pay.TON, "TON"},
	{pay.Monero, "Monero"},
}

// walletTypes are the networks and tokens of each type here, now. Types without a network to pay on have no tokens.
type walletTypes map[pay.Family]WalletSupport

// types works out the types from the configured networks and the tokens open to deposits.
func (w *Wallets) types(c *Call) (walletTypes, error) {
	cat, err := w.Catalogues.For(c)
	if err != nil {
		return nil, errService.Because(err)
	}
	return w.typesOf(c.Context(), cat)
}

func (w *Wallets) typesOf(ctx context.Context, cat *Catalogue) (walletTypes, error) {
	types := make(walletTypes, len(walletLabels))
	for _, l := range walletLabels {
		s := WalletSupport{WalletType{string(l.family), l.label}, []string{}, []WalletToken{}}
		for _, n := range pay.Networks {
			if n.Family != l.family {
				continue
			}
			supported, err := w.Addresses.Supports(ctx, n.Name)
			if err != nil {
				return nil, err
			}
			if supported {
				s.Networks = append(s.Networks, n.Name)
				s.AcceptedTokens = append(s.AcceptedTokens, walletTokens(cat, n.Name)...)
			}
		}
		types[l.family] = s
	}
	return types, nil
}

func walletTokens(cat *Catalogue, network string) (out []WalletToken) {
	for i := range cat.Tokens {
		if t := &cat.Tokens[i]; t.Network == network && t.Active && t.Deposits {
			out = append(out, WalletToken{t.Network, t.BalanceKey, t.Symbol})
		}
	}
	return out
}

// has reports whether wallets of a type can be created.
func (t walletTypes) has(family pay.Family) bool { return len(t[family].AcceptedTokens) > 0 }

// available returns the types open to creation, in their order.
func (t walletTypes) available() []WalletSupport {
	out := []WalletSupport{}
	for _, l := range walletLabels {
		if t.has(l.family) {
			out = append(out, t[l.family])
		}
	}
	return out
}
