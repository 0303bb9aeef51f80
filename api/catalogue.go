package api

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// Catalogue holds tokens, fiats and prices as one request sees them. It never changes once it is made, and its tokens
// are shared: nobody may write to them.
type Catalogue struct {
	Version int64
	Tokens  []pay.Token // by symbol, then network
	Fiats   []pay.Fiat  // by code; also those not accepted
	Prices  []pay.Price
	Rates   *pricing.Rates

	tokens    map[tokenName]*pay.Token
	symbols   map[string]bool // whether the symbol may be withdrawn on any network
	networks  map[string]bool // whether the network lets any token be withdrawn
	contracts map[string][]string
	accounts  *sync.Map // of contracts: by network, the set of their spellings by Addresses.Match
	fiats     map[string]*pay.Fiat
	assets    map[string]string // symbols by balance key, also of tokens not offered
	held      []heldKey
	madeAt    time.Time
}

type tokenName struct{ symbol, network string }

// newCatalogue arranges the rows read. Quotes too old at now have no rate.
func newCatalogue(read *store.Catalogue, now time.Time) *Catalogue {
	c := &Catalogue{
		Version: read.Version, Tokens: read.Tokens, Fiats: read.Fiats, Prices: read.Prices,
		Rates: pricing.NewRates(read.Prices, now), madeAt: now,
		tokens: make(map[tokenName]*pay.Token, len(read.Tokens)), symbols: map[string]bool{}, networks: map[string]bool{},
		contracts: map[string][]string{}, accounts: new(sync.Map), fiats: make(map[string]*pay.Fiat, len(read.Fiats)),
		assets: read.Symbols,
	}
	for i := range c.Tokens {
		t := &c.Tokens[i]
		if n, known := pay.NetworkNamed(t.Network); known && t.Symbol == n.Coin {
			t.MinWithdrawal = decimal.Max(t.MinWithdrawal, decimal.New(n.Least, -8))
		}
		c.tokens[tokenName{t.Symbol, t.Network}] = t
		c.symbols[t.Symbol] = c.symbols[t.Symbol] || t.Withdrawals
		c.networks[t.Network] = c.networks[t.Network] || t.Withdrawals
		if t.Contract != "" {
			c.contracts[t.Network] = append(c.contracts[t.Network], t.Contract)
		}
	}
	for i := range c.Fiats {
		c.fiats[c.Fiats[i].Code] = &c.Fiats[i]
	}
	c.held = heldKeys(c.Tokens)
	return c
}

// at returns the same catalogue with the quotes fresh enough at now.
func (c *Catalogue) at(now time.Time) *Catalogue {
	out := *c
	out.Rates, out.madeAt = pricing.NewRates(c.Prices, now), now
	return &out
}

// Token returns the token of a symbol (case-sensitive) on a network.
func (c *Catalogue) Token(symbol, network string) (*pay.Token, bool) {
	t, ok := c.tokens[tokenName{symbol, network}]
	return t, ok
}

// symbolOf returns the symbol behind a balance key.
func (c *Catalogue) symbolOf(asset string) string { return cmp.Or(c.assets[asset], asset) }

// IsContract reports whether an account of a network, as match spells it, is a token's contract. match is Addresses.Match:
// contracts are spelled once, and not for each payout.
func (c *Catalogue) IsContract(network, account string, match func(network, address string) string) bool {
	known, found := c.accounts.Load(network)
	if !found {
		spelled := map[string]bool{}
		for _, contract := range c.contracts[network] {
			spelled[match(network, contract)] = true
		}
		known, _ = c.accounts.LoadOrStore(network, spelled)
	}
	return known.(map[string]bool)[account]
}

// Fiat returns the accepted fiat of a code in any case (api-v1 §Payout request object).
func (c *Catalogue) Fiat(code string) (*pay.Fiat, bool) {
	f, ok := c.fiats[strings.ToUpper(code)]
	return f, ok && f.Accepted
}

// FiatOf returns the fiat of a merchant that names none.
func (c *Catalogue) FiatOf(m *pay.Merchant) string { return pay.FiatOf(m, c.Fiats) }

// Price returns the worth of one token in a fiat, or in any other currency.
func (c *Catalogue) Price(symbol, currency string) (decimal.Decimal, bool) {
	q, ok := c.Rates.Price(symbol, currency)
	return q.Price, ok && q.Price.IsPositive()
}

// NetworkFee returns the network fee of a token in the token itself: converted from the fee's own currency, rounded up
// to the precision (addendum §6). false means no price.
func (c *Catalogue) NetworkFee(t *pay.Token) (decimal.Decimal, bool) {
	return c.Rates.FeeIn(t)
}

// CryptoFor returns how much of a token an amount of a fiat buys, cut to the token's precision. false means no price.
func (c *Catalogue) CryptoFor(t *pay.Token, fiat string, amount decimal.Decimal) (decimal.Decimal, bool) {
	price, ok := c.Price(t.Symbol, fiat)
	if !ok {
		return decimal.Zero, false
	}
	return pricing.Quote{Price: price}.Buys(amount, t.Precision), true
}
