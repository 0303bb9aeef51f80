package pricing_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// said returns quotes of sources a, b, c… for BTC in USD: "price" or "price@seconds ago".
func said(quotes ...string) []pay.Price {
	var out []pay.Price
	for i, text := range quotes {
		price, ago, _ := strings.Cut(text, "@")
		age, _ := time.ParseDuration(ago + "s")
		out = append(out, pay.Price{Base: "BTC", Quote: "USD", Price: dec(price), Source: string(rune('a' + i)), UpdatedAt: now.Add(-age)})
	}
	return out
}

func TestDecide(t *testing.T) {
	t.Parallel()
	live := func(price string, age time.Duration) *pay.Price {
		return &pay.Price{Base: "BTC", Quote: "USD", Price: dec(price), Source: "a", UpdatedAt: now.Add(-age)}
	}
	fixed, pinned := live("10", 0), live("10", 0)
	fixed.Source, pinned.Pinned = pricing.Fixed, true
	for name, c := range map[string]struct {
		quotes []pay.Price
		used   *pay.Price
		price  string // or the reason why there is none
		from   string
		age    time.Duration
	}{
		"nobody":                        {nil, nil, "", "", 0},
		"one":                           {said("100@7"), nil, "100", "a", 7 * time.Second},
		"two that agree":                {said("100@5", "105@9"), nil, "102.5", "a+b", 9 * time.Second},
		"two that do not":               {said("100", "105.01"), nil, pricing.Disagreement, "", 0},
		"three":                         {said("103", "100", "101"), nil, "101", "a+b+c", 0},
		"a high outlier":                {said("100", "101", "200@100"), nil, "100.5", "a+b", 0},
		"a low outlier":                 {said("0.000001@200", "100", "101"), nil, "100.5", "b+c", 0},
		"exactly 5 % is near":           {said("100", "105", "95"), nil, "100", "a+b+c", 0},
		"only the median is near":       {said("100", "120", "140"), nil, pricing.Disagreement, "", 0},
		"two camps":                     {said("100", "100", "150", "150"), nil, pricing.Disagreement, "", 0},
		"four, one outside":             {said("100", "101", "102", "150"), nil, "101", "a+b+c", 0},
		"half is not more than half":    {said("100", "101", "120", "140"), nil, pricing.Disagreement, "", 0},
		"a stale one does not count":    {said("100", "200@301"), nil, "100", "a", 0},
		"all stale":                     {said("100@301", "100@400"), nil, "", "", 0},
		"just fresh":                    {said("100@300"), nil, "100", "a", 300 * time.Second},
		"of the future":                 {said("100@-61"), nil, "", "", 0},
		"a lone jump up":                {said("130.01"), live("100", time.Minute), pricing.LoneJump, "", 0},
		"a lone jump down":              {said("69.99"), live("100", time.Minute), pricing.LoneJump, "", 0},
		"exactly 30 % is no jump":       {said("130"), live("100", time.Minute), "130", "a", 0},
		"a jump that two tell of":       {said("200", "201"), live("100", time.Minute), "200.5", "a+b", 0},
		"a jump of one beside a liar":   {said("200", "500"), live("100", time.Minute), pricing.Disagreement, "", 0},
		"a jump after the window":       {said("200"), live("100", pricing.JumpWindow+time.Second), "200", "a", 0},
		"a jump at the window's end":    {said("200"), live("100", pricing.JumpWindow), pricing.LoneJump, "", 0},
		"the sandbox's table no guard":  {said("200"), fixed, "200", "a", 0},
		"the operator's pin stays":      {said("200", "200"), pinned, "", "", 0},
		"what was used is nothing new":  {nil, live("100", 0), "", "", 0},
		"zero and below are no quotes":  {said("0", "-5", "100"), nil, "100", "c", 0},
		"a zero that was used is blind": {said("100"), live("0", 0), pricing.LoneJump, "", 0},
	} {
		var used []pay.Price
		if c.used != nil {
			used = append(used, *c.used)
		}
		prices, refused := pricing.Decide(c.quotes, used, now)
		switch {
		case c.from != "":
			if len(prices) != 1 || len(refused) != 0 || !prices[0].Price.Equal(dec(c.price)) || prices[0].Source != c.from ||
				prices[0].UpdatedAt != now.Add(-c.age) {
				t.Errorf("%s: %+v %+v", name, prices, refused)
			}
		case c.price == "":
			if len(prices) != 0 || len(refused) != 0 {
				t.Errorf("%s: %+v %+v", name, prices, refused)
			}
		default:
			if len(prices) != 0 || len(refused) != 1 || refused[0].Reason != c.price || refused[0].Base != "BTC" || len(refused[0].Quotes) == 0 {
				t.Errorf("%s: %+v %+v", name, prices, refused)
			}
		}
	}
}

// drawQuotes makes quotes of up to five sources for two pairs, of any price and age.
func drawQuotes(t *rapid.T) []pay.Price {
	var out []pay.Price
	for _, base := range []string{"BTC", "ETH"} {
		level := rapid.Int64Range(1, 1_000_000_000).Draw(t, "level")
		for _, source := range []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(0, 5).Draw(t, "sources")] {
			off := rapid.SampledFrom([]int64{1000, 1001, 1010, 990, 1049, 1051, 949, 2000, 1, 100_000}).Draw(t, "off")
			age := time.Duration(rapid.IntRange(-120, 900).Draw(t, "age")) * time.Second
			out = append(out, pay.Price{Base: base, Quote: "USD", Price: decimal.New(level*off, -7), Source: source, UpdatedAt: now.Add(-age)})
		}
	}
	return out
}

func TestSettledPricesLieAmongAgreeingFreshQuotes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		quotes := drawQuotes(t)
		prices, refused := pricing.Decide(quotes, nil, now)
		for _, p := range prices {
			names := strings.Split(p.Source, "+")
			least, most, fresh := decimal.Decimal{}, decimal.Decimal{}, 0
			for _, q := range quotes {
				if q.Base != p.Base || now.Sub(q.UpdatedAt) > pricing.QuoteAge || q.UpdatedAt.After(now.Add(time.Minute)) {
					continue
				}
				fresh++
				if !slices.Contains(names, q.Source) {
					continue
				}
				if least.IsZero() || q.Price.LessThan(least) {
					least = q.Price
				}
				most = decimal.Max(most, q.Price)
				if p.UpdatedAt.After(q.UpdatedAt) && !p.UpdatedAt.Equal(now) {
					t.Fatalf("a price of %v with a quote of %v", p.UpdatedAt, q.UpdatedAt)
				}
			}
			switch {
			case !p.Price.IsPositive(), p.Price.LessThan(least), p.Price.GreaterThan(most):
				t.Fatalf("%s is outside %s to %s", p.Price, least, most)
			case 2*len(names) <= fresh:
				t.Fatalf("%d of %d made a price", len(names), fresh)
			case most.GreaterThan(least.Mul(dec("1.11"))):
				t.Fatalf("%s and %s made a price together", least, most)
			case now.Sub(p.UpdatedAt) > pricing.QuoteAge || p.UpdatedAt.After(now):
				t.Fatalf("a price of %v", p.UpdatedAt)
			}
		}
		for _, r := range refused {
			if slices.ContainsFunc(prices, func(p pay.Price) bool { return p.Base == r.Base }) {
				t.Fatalf("%s is priced and refused", r.Base)
			}
		}
	})
}

func TestDecidingDoesNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		quotes := drawQuotes(t)
		want, refused := pricing.Decide(quotes, nil, now)
		mixed := slices.Clone(quotes)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		r.Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
		got, again := pricing.Decide(mixed, nil, now)
		if !slices.Equal(lines(got), lines(want)) || len(again) != len(refused) {
			t.Fatalf("%v, then %v", want, got)
		}
	})
}

// While the sources agree, a higher quote of one source never makes the price less.
func TestMedianIsMonotone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var quotes []pay.Price
		for _, source := range []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(1, 5).Draw(t, "sources")] {
			price := decimal.New(rapid.Int64Range(1_000_000, 1_020_000).Draw(t, "price"), -6)
			quotes = append(quotes, pay.Price{Base: "BTC", Quote: "USD", Price: price, Source: source, UpdatedAt: now})
		}
		before, _ := pricing.Decide(quotes, nil, now)
		raised := slices.Clone(quotes)
		i := rapid.IntRange(0, len(raised)-1).Draw(t, "raised")
		raised[i].Price = raised[i].Price.Add(decimal.New(rapid.Int64Range(0, 20_000).Draw(t, "by"), -6))
		after, _ := pricing.Decide(raised, nil, now)
		if len(before) != 1 || len(after) != 1 || after[0].Price.LessThan(before[0].Price) {
			t.Fatalf("%v, then %v", before, after)
		}
	})
}
