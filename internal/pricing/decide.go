package pricing

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

const (
	// QuoteAge is how long a source's own quote counts. It is half of MaxAge, so the quote of a silent source leaves the price
	// long before the price itself grows too old.
	QuoteAge = MaxAge / 2
	// JumpWindow is how long the last price guards against a jump reported by only one source.
	JumpWindow = 24 * time.Hour
)

var (
	outlier = decimal.New(5, -2)  // a quote so far from the median, relative to it, is left out
	jump    = decimal.New(30, -2) // a change so great needs two sources
	half    = decimal.New(5, -1)
)

// Reasons to take no price from existing quotes.
const (
	Disagreement = "the sources disagree"
	LoneJump     = "only one source tells of so great a change"
)

// Refusal says why the quotes of a pair made no price. The price used before goes on to age.
type Refusal struct {
	Base, Quote string
	Reason      string
	Quotes      []pay.Price
}

// Decide makes the prices to be used from the quotes of sources, each the median of the quotes that are fresh at now and agree:
//   - a quote more than 5 % from the median is left out, and more than half must remain;
//   - two quotes more than 5 % apart are both left out;
//   - a change of more than 30 % from the price in use, while that is not older than JumpWindow, needs two sources.
//
// Pinned prices are left alone. A price has the time of the oldest quote in it and names its sources.
func Decide(quotes, used []pay.Price, now time.Time) (prices []pay.Price, refused []Refusal) {
	last := map[pair]*pay.Price{}
	for i := range used {
		last[pairOf(&used[i])] = &used[i]
	}
	for _, group := range grouped(quotes, now) {
		before := last[pairOf(&group[0])]
		if before != nil && before.Pinned {
			continue
		}
		price, reason := decide(group, before, now)
		if reason != "" {
			refused = append(refused, Refusal{group[0].Base, group[0].Quote, reason, group})
			continue
		}
		prices = append(prices, price)
	}
	return prices, refused
}

type pair struct{ base, quote string }

func pairOf(p *pay.Price) pair { return pair{p.Base, p.Quote} }

// grouped returns the fresh quotes of each pair, pairs by name and quotes from the lowest.
func grouped(quotes []pay.Price, now time.Time) [][]pay.Price {
	fresh := slices.DeleteFunc(slices.Clone(quotes), func(q pay.Price) bool {
		return !q.Price.IsPositive() || now.Sub(q.UpdatedAt) > QuoteAge || q.UpdatedAt.After(now.Add(clockSkew))
	})
	slices.SortFunc(fresh, func(a, b pay.Price) int {
		return cmp.Or(strings.Compare(a.Base, b.Base), strings.Compare(a.Quote, b.Quote), a.Price.Cmp(b.Price), strings.Compare(a.Source, b.Source))
	})
	var out [][]pay.Price
	for i := range fresh {
		if i == 0 || pairOf(&fresh[i]) != pairOf(&fresh[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], fresh[i])
	}
	return out
}

// decide decides on one pair by its fresh quotes, from the lowest.
func decide(quotes []pay.Price, before *pay.Price, now time.Time) (pay.Price, string) {
	agreeing := agree(quotes)
	if 2*len(agreeing) <= len(quotes) {
		return pay.Price{}, Disagreement
	}
	out := pay.Price{Base: quotes[0].Base, Quote: quotes[0].Quote, Price: median(agreeing).Truncate(Places), UpdatedAt: now}
	var names []string
	for _, q := range agreeing {
		names = append(names, q.Source)
		if q.UpdatedAt.Before(out.UpdatedAt) {
			out.UpdatedAt = q.UpdatedAt
		}
	}
	slices.Sort(names)
	out.Source = strings.Join(names, "+")
	if len(agreeing) == 1 && guards(before, now) && apart(before.Price, out.Price, jump) {
		return pay.Price{}, LoneJump
	}
	return out, ""
}

// guards reports whether the price in use was made by sources, and not too long ago.
func guards(before *pay.Price, now time.Time) bool {
	return before != nil && before.Source != Fixed && now.Sub(before.UpdatedAt) <= JumpWindow
}

// agree returns the quotes near the median of all.
func agree(quotes []pay.Price) []pay.Price {
	middle := median(quotes)
	if len(quotes) == 2 {
		middle = quotes[0].Price // two are held against each other
	}
	return slices.DeleteFunc(slices.Clone(quotes), func(q pay.Price) bool { return apart(middle, q.Price, outlier) })
}

// median is the middle of sorted quotes, or the mean of the two in the middle.
func median(quotes []pay.Price) decimal.Decimal {
	n := len(quotes)
	return mean(quotes[(n-1)/2].Price, quotes[n/2].Price)
}

func mean(a, b decimal.Decimal) decimal.Decimal { return a.Add(b).Mul(half) }

// apart reports whether d is farther from should than a share of it.
func apart(should, d, share decimal.Decimal) bool {
	return d.Sub(should).Abs().GreaterThan(should.Mul(share))
}
