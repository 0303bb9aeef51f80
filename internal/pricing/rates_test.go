package pricing_test

import (
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

func quote(base, quoted, price string, age time.Duration) pay.Price {
	return pay.Price{Base: base, Quote: quoted, Price: dec(price), Source: "a", UpdatedAt: now.Add(-age)}
}

func pin(p pay.Price) pay.Price { p.Pinned, p.Source = true, "operator"; return p }

func fix(p pay.Price) pay.Price { p.Source = pricing.Fixed; return p }

func TestBook(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	for name, c := range map[string]struct {
		prices   []pay.Price
		from, to string
		want     string // empty: no answer
		age      time.Duration
	}{
		"direct":    {[]pay.Price{quote("BTC", "USD", "60000", minute)}, "BTC", "USD", "60000", minute},
		"backwards": {[]pay.Price{quote("BTC", "USD", "60000", minute)}, "USD", "BTC", "0.000016666666666666", minute},
		"across": {[]pay.Price{quote("BTC", "USD", "60000", minute), quote("USD", "BRL", "5.4", 2*minute)}, "BTC",
			"BRL", "324000", 2 * minute},
		"across tokens": {[]pay.Price{quote("ETH", "USD", "3000", 0), quote("USDT", "USD", "0.9996", 0)}, "ETH", "USDT",
			"3001.200480192076830732", 0},
		"between fiats":      {[]pay.Price{quote("USD", "EUR", "0.9", 0), quote("USD", "BRL", "5.4", 0)}, "EUR", "BRL", "6", 0},
		"by a fiat to USD":   {[]pay.Price{quote("XYZ", "EUR", "2", 0), quote("USD", "EUR", "0.8", 0)}, "XYZ", "USD", "2.5", 0},
		"from USD by a fiat": {[]pay.Price{quote("XYZ", "EUR", "2", 0), quote("USD", "EUR", "0.8", 0)}, "USD", "XYZ", "0.4", 0},
		"by a fiat and USD": {[]pay.Price{quote("XYZ", "EUR", "2", 0), quote("USD", "EUR", "0.8", 0),
			quote("ETH", "USD", "2500", 0)}, "ETH", "XYZ", "1000", 0},
		"itself":                  {[]pay.Price{quote("BTC", "USD", "60000", minute)}, "BTC", "BTC", "1", minute},
		"itself without a quote":  {nil, "BTC", "BTC", "", 0},
		"stable is not 1":         {[]pay.Price{quote("USDT", "USD", "0.97", 0)}, "USDT", "USD", "0.97", 0},
		"stable without a quote":  {[]pay.Price{quote("USDC", "USD", "1", 0)}, "USDT", "USD", "", 0},
		"two stables are not 1:1": {[]pay.Price{quote("USDC", "USD", "1", 0)}, "USDC", "USDT", "", 0},
		"exactly old enough":      {[]pay.Price{quote("BTC", "USD", "60000", pricing.MaxAge)}, "BTC", "USD", "60000", pricing.MaxAge},
		"too old":                 {[]pay.Price{quote("BTC", "USD", "60000", pricing.MaxAge+1)}, "BTC", "USD", "", 0},
		"by a clock a bit ahead":  {[]pay.Price{quote("BTC", "USD", "60000", -minute)}, "BTC", "USD", "60000", -minute},
		"of the future":           {[]pay.Price{quote("BTC", "USD", "60000", -minute-1)}, "BTC", "USD", "", 0},
		"a pin of the future":     {[]pay.Price{pin(quote("BTC", "USD", "60000", -1e6*time.Hour))}, "BTC", "USD", "60000", -1e6 * time.Hour},
		"one side too old": {[]pay.Price{quote("BTC", "USD", "60000", 0), quote("USD", "BRL", "5", pricing.MaxAge+1)}, "BTC",
			"BRL", "", 0},
		"a pin does not age":     {[]pay.Price{pin(quote("BTC", "USD", "60000", 1e6*time.Hour))}, "BTC", "USD", "60000", 1e6 * time.Hour},
		"nor the sandbox's":      {[]pay.Price{fix(quote("BTC", "USD", "60000", 1e6*time.Hour))}, "BTC", "USD", "60000", 1e6 * time.Hour},
		"zero is none":           {[]pay.Price{pin(quote("BTC", "USD", "0", 0))}, "BTC", "USD", "", 0},
		"below zero is none":     {[]pay.Price{pin(quote("BTC", "USD", "-1", 0))}, "BTC", "USD", "", 0},
		"in itself is none":      {[]pay.Price{pin(quote("BTC", "BTC", "2", 0))}, "BTC", "BTC", "", 0},
		"too small to be said":   {[]pay.Price{quote("A", "USD", "0.000000000000000001", 0), quote("B", "USD", "1000", 0)}, "A", "B", "", 0},
		"too large to be turned": {[]pay.Price{pin(quote("A", "USD", "1e40", 0))}, "USD", "A", "", 0},
		"a pin before a live quote": {[]pay.Price{quote("USD", "BTC", "0.00001", 0), pin(quote("BTC", "USD", "60000", 0))}, "USD", "BTC",
			"0.000016666666666666", 0},
		"the other way too": {[]pay.Price{pin(quote("USD", "BTC", "0.00002", 0)), quote("BTC", "USD", "60000", 0)}, "BTC", "USD",
			"50000", 0},
		"direct before turned around": {[]pay.Price{quote("USD", "BTC", "0.00001", 0), quote("BTC", "USD", "60000", 0)}, "BTC", "USD", "60000", 0},
	} {
		slices.Reverse(c.prices)
		for range 2 { // in both orders
			slices.Reverse(c.prices)
			got, ok := pricing.NewRates(c.prices, now).Price(c.from, c.to)
			switch {
			case c.want == "":
				if ok || !got.Price.IsZero() {
					t.Errorf("%s: %s", name, got.Price)
				}
			case !ok || !got.Price.Equal(dec(c.want)) || !got.At.Equal(now.Add(-c.age)):
				t.Errorf("%s: %s of %v, %v", name, got.Price, got.At, ok)
			}
		}
	}
}

var currencies = []string{"USD", "EUR", "BRL", "BTC", "ETH", "USDT", "XYZ"}

// drawPrices makes a table of prices of any kind, with at most one for a pair.
func drawPrices(t *rapid.T) []pay.Price {
	var out []pay.Price
	for i, base := range currencies {
		for _, quoted := range currencies[i+1:] {
			if !rapid.Bool().Draw(t, "there") {
				continue
			}
			price := decimal.New(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "digits"), rapid.Int32Range(-15, 0).Draw(t, "exponent"))
			p := pay.Price{Base: base, Quote: quoted, Price: price, Source: rapid.SampledFrom([]string{"a", "a+b", pricing.Fixed}).Draw(t, "source"),
				Pinned: rapid.IntRange(0, 3).Draw(t,
					"pin") == 0, UpdatedAt: now.Add(-time.Duration(rapid.IntRange(0, 1200).Draw(t, "age")) * time.Second)}
			if rapid.Bool().Draw(t, "turned") {
				p.Base, p.Quote = p.Quote, p.Base
			}
			out = append(out, p)
		}
	}
	return out
}

func TestBookNeverAnswersNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prices := drawPrices(t)
		book := pricing.NewRates(prices, now)
		shuffled := rapid.Permutation(prices).Draw(t, "order")
		for _, from := range currencies {
			for _, to := range currencies {
				q, ok := book.Price(from, to)
				if ok != q.Price.IsPositive() || q.Price.IsNegative() {
					t.Fatalf("%s in %s is %s, %v", from, to, q.Price, ok)
				}
				if !q.Price.Equal(q.Price.Truncate(pricing.Places)) {
					t.Fatalf("%s in %s is %s, more than can be recorded", from, to, q.Price)
				}
				if again, _ := pricing.NewRates(shuffled, now).Price(from, to); !again.Price.Equal(q.Price) || !again.At.Equal(q.At) {
					t.Fatalf("%s in %s is %s, then %s", from, to, q.Price, again.Price)
				}
				if from == to && ok && !q.Price.Equal(dec("1")) {
					t.Fatalf("%s in itself is %s", from, q.Price)
				}
			}
		}
	})
}

// There and back again is one, but for the cut digits.
func TestBookIsSymmetrical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		book := pricing.NewRates(drawPrices(t), now)
		for _, from := range currencies {
			for _, to := range currencies {
				there, ok1 := book.Price(from, to)
				back, ok2 := book.Price(to, from)
				if !ok1 || !ok2 {
					continue
				}
				unit := decimal.New(1, -pricing.Places)
				lost := dec("1").Sub(there.Price.Mul(back.Price)).Abs()
				most := there.Price.Add(back.Price).Add(unit).Mul(unit).Mul(dec("2"))
				if lost.GreaterThan(most) {
					t.Fatalf("%s in %s is %s, back %s: %s is lost", from, to, there.Price, back.Price, lost)
				}
			}
		}
	})
}

func TestBookHasNothingWithoutAFreshQuote(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prices := drawPrices(t)
		for i := range prices {
			prices[i].Pinned, prices[i].Source = false, "a"
			prices[i].UpdatedAt = now.Add(-pricing.MaxAge - time.Duration(rapid.IntRange(1, 1000).Draw(t, "age")))
		}
		book := pricing.NewRates(prices, now)
		for _, from := range currencies {
			for _, to := range currencies {
				if q, ok := book.Price(from, to); ok || !q.Price.IsZero() {
					t.Fatalf("%s in %s is %s", from, to, q.Price)
				}
			}
		}
	})
}

// A cross rate rises with either of its parts.
func TestCrossRatesAreMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token := decimal.New(rapid.Int64Range(1_000, 1_000_000_000).Draw(t, "token"), -4)
		fiat := decimal.New(rapid.Int64Range(1_000, 1_000_000_000).Draw(t, "fiat"), -4)
		more := decimal.New(rapid.Int64Range(0, 1_000_000).Draw(t, "more"), -4)
		cross := func(token, fiat decimal.Decimal) decimal.Decimal {
			q, ok := pricing.NewRates([]pay.Price{{Base: "BTC", Quote: "USD", Price: token, UpdatedAt: now},
				{Base: "USD", Quote: "EUR", Price: fiat, UpdatedAt: now}}, now).Price("BTC", "EUR")
			if !ok {
				t.Fatal("no cross rate")
			}
			return q.Price
		}
		at := cross(token, fiat)
		if !at.Equal(token.Mul(fiat)) || cross(token.Add(more), fiat).LessThan(at) || cross(token, fiat.Add(more)).LessThan(at) {
			t.Fatalf("%s through %s is %s", token, fiat, at)
		}
	})
}
