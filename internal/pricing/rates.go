// Package pricing answers prices of one currency in another, and converts. Only it and the fee rules of ledger cut or round.
// Without a known quote there is no answer: never 1:1, never zero.
package pricing

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

const (
	// MaxAge is how long a price of live sources is used; pinned and fixed ones do not age. The database's in_use says the same.
	MaxAge = 10 * time.Minute
	// Places is how many decimals a price has: the price recorded with a payin or payout is exactly the one used.
	Places = 18
	// Fixed is the source of the sandbox's own table; it never refreshes.
	Fixed = "fixed"

	dollar = "USD"
)

var one = decimal.NewFromInt(1)

// Quote is the price of one unit of a currency in another, and the time of this price.
type Quote struct {
	Price decimal.Decimal
	At    time.Time
}

// Rates is a set of quotes at one moment.
type Rates struct {
	rates map[string]map[string]rate // from -> to, both directions
}

// rate is a quote before it is cut: over/under, so turning it around and chaining lose nothing.
type rate struct {
	over, under decimal.Decimal
	at          time.Time
}

// NewRates makes rates of the stored prices usable at now: above zero, and pinned, fixed or fresh. A price pinned by the
// operator comes before any other price of the same two currencies, in both directions.
func NewRates(prices []pay.Price, now time.Time) *Rates {
	b := &Rates{rates: map[string]map[string]rate{}}
	for _, pinned := range []bool{true, false} {
		chosen := slices.DeleteFunc(slices.Clone(prices), func(p pay.Price) bool { return p.Pinned != pinned || !usable(&p, now) })
		for _, p := range chosen {
			b.set(p.Base, p.Quote, rate{p.Price, one, p.UpdatedAt})
		}
		for _, p := range chosen {
			b.set(p.Quote, p.Base, rate{one, p.Price, p.UpdatedAt})
		}
	}
	return b
}

// usable refuses a price of sources older than MaxAge or from the future: written by a clock ahead of ours, it would stay in
// use until MaxAge after its time.
func usable(p *pay.Price, now time.Time) bool {
	lasting := p.Pinned || p.Source == Fixed
	fresh := now.Sub(p.UpdatedAt) <= MaxAge && !p.UpdatedAt.After(now.Add(clockSkew))
	return p.Base != p.Quote && p.Price.IsPositive() && (lasting || fresh)
}

// set keeps the first rate of a direction.
func (b *Rates) set(from, to string, r rate) {
	if b.rates[from] == nil {
		b.rates[from] = map[string]rate{}
	}
	if _, known := b.rates[from][to]; !known {
		b.rates[from][to] = r
	}
}

// Price returns the price of one unit of from in to, cut to Places: 1 for itself, a direct quote, or a cross rate by way of USD
// (a token to USD, USD to a fiat). Its time is the time of the oldest quote used. An answer is above zero; without one Price
// returns an empty quote and false.
func (b *Rates) Price(from, to string) (Quote, bool) {
	r, ok := b.find(from, to)
	if !ok {
		return Quote{}, false
	}
	price, _ := r.over.QuoRem(r.under, Places)
	if !price.IsPositive() {
		return Quote{}, false
	}
	return Quote{price, r.at}, true
}

func (b *Rates) find(from, to string) (rate, bool) {
	if from == to {
		return rate{one, one, b.newest(from)}, len(b.rates[from]) > 0
	}
	if r, ok := b.rates[from][to]; ok {
		return r, true
	}
	if from == dollar || to == dollar {
		return b.byOne(from, to)
	}
	first, ok1 := b.step(from, dollar)
	second, ok2 := b.step(dollar, to)
	if !ok1 || !ok2 {
		return rate{}, false
	}
	return first.times(second), true
}

// step returns a direct rate, or one by way of one other currency.
func (b *Rates) step(from, to string) (rate, bool) {
	if r, ok := b.rates[from][to]; ok {
		return r, true
	}
	return b.byOne(from, to)
}

// byOne goes by the first currency, in the order of their names, with a rate on both sides.
func (b *Rates) byOne(from, to string) (rate, bool) {
	for _, middle := range slices.Sorted(maps.Keys(b.rates[from])) {
		if last, ok := b.rates[middle][to]; ok {
			return b.rates[from][middle].times(last), true
		}
	}
	return rate{}, false
}

func (b *Rates) newest(currency string) time.Time {
	var at time.Time
	for _, r := range b.rates[currency] {
		if r.at.After(at) {
			at = r.at
		}
	}
	return at
}

func (r rate) times(o rate) rate {
	at := r.at
	if o.at.Before(at) {
		at = o.at
	}
	return rate{r.over.Mul(o.over), r.under.Mul(o.under), at}
}
