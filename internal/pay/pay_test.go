package pay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// TestNetworksOfTheContract holds the names and aliases against those of api-v1 §Network names, written down a second time.
//
// Covers api-v1 §Network names (canonical): Bitcoin, Ethereum, BinanceSmartChain
// Covers api-v1 §Network names (canonical): Two of them deserve care
// Covers api-v1 §Versioning: added · Network aliases
func TestNetworksOfTheContract(t *testing.T) {
	t.Parallel()
	const names = "Bitcoin, Ethereum, BinanceSmartChain, Tron, Solana, Ripple, Cardano, Dogecoin, Polygon, Avalanche, ArbitrumOne, Celo, Optimism, " +
		"Arbitrum, Cronos, Base, BitcoinCash, BitcoinSV, BitcoinGold, Monero, OpBnb, Xlayer, Litecoin, TON"
	var ours []string
	for _, n := range pay.Networks {
		ours = append(ours, n.Name)
	}
	if got := strings.Join(ours, ", "); got != names {
		t.Errorf("the networks are %s", got)
	}
	aliases := map[string]string{
		"Ethereum": "eth, eth-mainnet, erc20", "Tron": "trx, trc20", "BinanceSmartChain": "bnb, bsc, bep20, bnbchain, bnb-smart-chain",
		"Arbitrum": "arb, arbitrum-evm", "Polygon": "matic, pol, polygon-pos", "Optimism": "op, op-mainnet", "Avalanche": "avax, avaxc, avalanche-c",
		"Solana": "sol", "Bitcoin": "btc", "Litecoin": "ltc", "Monero": "xmr", "Xlayer": "okb",
	}
	for _, name := range strings.Split(names, ", ") {
		words := []string{name}
		if aliases[name] != "" {
			words = append(words, strings.Split(aliases[name], ", ")...)
		}
		for _, word := range words {
			for _, spelled := range []string{word, strings.ToUpper(word), strings.ToLower(word), strings.ReplaceAll(word, "-", "_"),
				" " + word[:1] + " -_" + word[1:]} {
				if got, ok := pay.NetworkCalled(spelled); !ok || got.Name != name {
					t.Errorf("%q does not mean %s", spelled, name)
				}
			}
			if _, ok := pay.NetworkNamed(word); ok != (word == name) {
				t.Errorf("as a filter %q is known: %v", word, ok)
			}
		}
	}
}

// TestNetworksAreCalledByOneName: every name and alias means one network, however it is spelled.
//
// Covers api-v1 §Network names (canonical): To create a payin or a payout
// Covers api-v1 §Network names (canonical): Two of them deserve care
// Covers api-v1 §Network names (canonical): Ethereum
// Covers api-v1 §Network names (canonical): Tron
// Covers api-v1 §Network names (canonical): BinanceSmartChain
// Covers api-v1 §Network names (canonical): Arbitrum
// Covers api-v1 §Network names (canonical): Polygon
// Covers api-v1 §Network names (canonical): Optimism
// Covers api-v1 §Network names (canonical): Avalanche
// Covers api-v1 §Network names (canonical): Solana
// Covers api-v1 §Network names (canonical): Bitcoin
// Covers api-v1 §Network names (canonical): Litecoin
// Covers api-v1 §Network names (canonical): Monero
// Covers api-v1 §Network names (canonical): Xlayer
func TestNetworksAreCalledByOneName(t *testing.T) {
	t.Parallel()
	meaning := map[string]string{}
	for _, n := range pay.Networks {
		for _, word := range append([]string{n.Name}, n.Aliases...) {
			got, ok := pay.NetworkCalled(word)
			if !ok || got.Name != n.Name {
				t.Errorf("%q does not mean %s", word, n.Name)
			}
			if other := meaning[word]; other != "" {
				t.Errorf("%q means %s and %s", word, other, n.Name)
			}
			meaning[word] = n.Name
		}
		if got, ok := pay.NetworkNamed(n.Name); !ok || got.Name != n.Name {
			t.Errorf("%s is not named", n.Name)
		}
	}
	for word, want := range map[string]string{"ERC-20": "Ethereum", "arbitrum one": "ArbitrumOne", "BNB_Smart_Chain": "BinanceSmartChain",
		"trc 20": "Tron", "": "", "nowhere": ""} {
		got, ok := pay.NetworkCalled(word)
		if ok != (want != "") || ok && got.Name != want {
			t.Errorf("%q means %v", word, got)
		}
	}
	if _, ok := pay.NetworkNamed("tron"); ok {
		t.Error("a filter names networks exactly")
	}
}

// TestTermsOnANetwork: each rate and rule of a network's override goes before the merchant's own; unset ones are inherited.
func TestTermsOnANetwork(t *testing.T) {
	t.Parallel()
	one, two, yes := decimal.NewFromInt(1), decimal.NewFromInt(2), true
	own := pay.Terms{PaymentRate: one, ReceiptRate: one}
	overrides := []pay.NetworkTerms{
		{Network: "Tron", PaymentRate: decimal.NewNullDecimal(two)},
		{Network: "Ethereum", ReceiptRate: decimal.NewNullDecimal(decimal.Zero), PaysReceiptNetworkFee: &yes},
	}
	if got := own.On("Tron", overrides); !got.PaymentRate.Equal(two) || !got.ReceiptRate.Equal(one) || got.PaysReceiptNetworkFee {
		t.Errorf("on Tron: %+v", got)
	}
	if got := own.On("Ethereum", overrides); !got.PaymentRate.Equal(one) || !got.ReceiptRate.IsZero() || !got.PaysReceiptNetworkFee {
		t.Errorf("on Ethereum: %+v", got)
	}
	if got := own.On("Bitcoin", overrides); got != own {
		t.Errorf("on Bitcoin: %+v", got)
	}
	if (&pay.NetworkTerms{Network: "Tron"}).Empty() != true || overrides[0].Empty() || overrides[1].Empty() {
		t.Error("empty is an override of nothing")
	}
}

// TestErrorsAreCopied: a refusal kept in a variable does not change when a request adds to it.
func TestErrorsAreCopied(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	base := pay.E(pay.Refused, "code", "Words.")
	with := base.With("a", 1)
	more := with.With("b", 2).Because(cause)
	if base.Details != nil || len(with.Details) != 1 || len(more.Details) != 2 || errors.Is(with, cause) || !errors.Is(more, cause) {
		t.Errorf("%+v %+v %+v", base, with, more)
	}
}

// TestOldKeysOnlyRead: a key from before scopes existed may not move money.
//
// Covers api-v1 §Versioning: breaking · A key without a list of scopes
func TestOldKeysOnlyRead(t *testing.T) {
	t.Parallel()
	old := (&pay.Key{}).Granted()
	for _, scope := range []string{pay.ScopePayoutWrite, pay.ScopePayinWrite, pay.ScopeWalletsRead} {
		if slices.Contains(old, scope) {
			t.Errorf("an old key has %s", scope)
		}
	}
	if none := (&pay.Key{Scopes: []string{}}).Granted(); len(none) != 0 {
		t.Errorf("a key without scopes has %v", none)
	}
}

func TestMemoOnChain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ network, memo, want string }{
		{"Ripple", "00012345", "12345"}, {"Ripple", "12345670", "12345670"}, {"Ripple", "00000000", "0"}, {"Ripple", "", ""},
		{"TON", "00012345", "00012345"},
	} {
		n, _ := pay.NetworkNamed(c.network)
		if got := n.MemoOnChain(c.memo); got != c.want {
			t.Errorf("%s: %q became %q", c.network, c.memo, got)
		}
	}
}
