package pricing_test

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"causeway/internal/pay"
	"causeway/internal/pricing"
)

func dec(text string) decimal.Decimal { return decimal.RequireFromString(text) }

func TestConversionCutsAndNeverRounds(t *testing.T) {
	t.Parallel()
	q := pricing.Quote{Price: dec("3")}
	if got := q.Buys(dec("2"), 6); !got.Equal(dec("0.666666")) {
		t.Errorf("2 buys %s", got)
	}
	if got := q.Buys(dec("0.000001"), 6); !got.IsZero() {
		t.Errorf("0.000001 buys %s", got)
	}
	if got := (pricing.Quote{Price: dec("0.333333333333333333")}).Worth(dec("2")); !got.Equal(dec("0.66666666")) {
		t.Errorf("2 are worth %s", got)
	}
	if got := (pricing.Quote{Price: dec("0.333333333333333333")}).Covers(dec("2")); !got.Equal(dec("0.66666667")) {
		t.Errorf("what 2 at a third ask for is %s", got)
	}
	if got := pricing.Cut(dec("1.23456789"), 6); !got.Equal(dec("1.234567")) {
		t.Errorf("cut to %s", got)
	}
}

func TestFeeIn(t *testing.T) {
	t.Parallel()
	book := pricing.NewRates([]pay.Price{
		{Base: "ETH", Quote: "USD", Price: dec("3000"), Source: "fixed"},
		{Base: "USDT", Quote: "USD", Price: dec("0.9999"), Source: "fixed"},
		{Base: "OLD", Quote: "USD", Price: dec("5"), Source: "a", UpdatedAt: time.Now().Add(-pricing.MaxAge - time.Second)},
		{Base: "USDT", Quote: "THIRD", Price: dec("3"), Source: "fixed"},
	}, time.Now())
	for _, c := range []struct {
		currency, fee, want string
		ok                  bool
	}{
		{"USDT", "2", "2", true},
		{"ETH", "0.001", "3.000301", true},            // 3.00030003, rounded up
		{"THIRD", "3", "1", true},                     // exactly one
		{"THIRD", "3.000003", "1.000001", true},       // exactly
		{"THIRD", "3.0000030001", "1.000002", true},   // a little more
		{"THIRD", "0.000000000001", "0.000001", true}, // never nothing
		{"XYZ", "1", "0", false},
		{"OLD", "1", "0", false},
		{"XYZ", "0", "0", true},
	} {
		fee, ok := book.FeeIn(&pay.Token{Symbol: "USDT", Precision: 6, NetworkFee: dec(c.fee), FeeCurrency: c.currency})
		if ok != c.ok || !fee.Equal(dec(c.want)) {
			t.Errorf("%s %s is %s, %v; want %s, %v", c.fee, c.currency, fee, ok, c.want, c.ok)
		}
	}
}

// An amount converted to fiat and back never becomes more, and loses less than a unit at the precision and one of fiat.
func TestConversionNeverGains(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := pricing.Quote{Price: decimal.New(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "price"), -9)}
		amount := decimal.New(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "amount"), -8)
		worth := q.Worth(amount)
		if worth.GreaterThan(amount.Mul(q.Price)) || worth.LessThan(amount.Mul(q.Price).Sub(dec("0.00000001"))) {
			t.Fatalf("%s at %s is worth %s", amount, q.Price, worth)
		}
		bought := q.Buys(worth, 8)
		if bought.GreaterThan(amount) || bought.Mul(q.Price).GreaterThan(worth) || bought.Add(dec("0.00000001")).Mul(q.Price).LessThanOrEqual(worth) {
			t.Fatalf("%s at %s is worth %s, which buys %s", amount, q.Price, worth, bought)
		}
	})
}

// A converted fee covers the fee, by less than one unit of the token too much.
func TestFeeCoversTheFee(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := decimal.New(rapid.Int64Range(1, 1_000_000_000).Draw(t, "price"), rapid.Int32Range(-9, 0).Draw(t, "exponent"))
		fee := decimal.New(rapid.Int64Range(1, 1_000_000_000).Draw(t, "fee"), -8)
		precision := rapid.IntRange(0, 8).Draw(t, "precision")
		book := pricing.NewRates([]pay.Price{{Base: "TOK", Quote: "USD", Price: price, Source: "fixed"}}, time.Now())
		got, ok := book.FeeIn(&pay.Token{Symbol: "TOK", Precision: precision, NetworkFee: fee, FeeCurrency: "USD"})
		unit := decimal.New(1, -int32(precision))
		if !ok || got.Mul(price).LessThan(fee) || got.Sub(unit).Mul(price).GreaterThanOrEqual(fee) || !got.Equal(pricing.Cut(got, precision)) {
			t.Fatalf("%s USD at %s is %s at %d places", fee, price, got, precision)
		}
	})
}
