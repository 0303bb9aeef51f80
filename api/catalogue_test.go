package api

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
)

// shelf is a catalogue source in memory, counting its reads.
type shelf struct {
	version atomic.Int64
	reads   atomic.Int32
	fail    atomic.Bool
	priced  time.Time
}

func (s *shelf) Catalogue(context.Context) (*store.Catalogue, error) {
	s.reads.Add(1)
	if s.fail.Load() {
		return nil, errors.New("no database")
	}
	d := decimal.RequireFromString
	return &store.Catalogue{
		Version: s.version.Load(),
		Tokens: []pay.Token{
			{Symbol: "USDT", Network: "Tron", Precision: 6, NetworkFee: d("1.2"), FeeCurrency: "TRX", Withdrawals: true},
			{Symbol: "TRX", Network: "Tron", Precision: 6, NetworkFee: d("4"), FeeCurrency: "TRX"},
			{Symbol: "XYZ", Network: "Tron", Precision: 2, NetworkFee: d("0.001"), FeeCurrency: "XYZ"},
			{Symbol: "FREE", Network: "Tron", Precision: 2, FeeCurrency: "NOPE"},
			{Symbol: "LOST", Network: "Tron", Precision: 2, NetworkFee: d("1"), FeeCurrency: "NOPE"},
		},
		Fiats: []pay.Fiat{{Code: "USD", Accepted: true}, {Code: "EUR"}},
		Prices: []pay.Price{{Base: "TRX", Quote: "USD", Price: d("0.27"), Source: "live", UpdatedAt: s.priced},
			{Base: "USDT", Quote: "USD", Price: d("0.999"), Source: "fixed"}},
	}, nil
}

func TestCatalogueIsReadAgainWhenItsRevisionRose(t *testing.T) {
	t.Parallel()
	now := time.Now()
	source := &shelf{priced: now}
	source.version.Store(5)
	cache := NewCatalogues(source, func() time.Time { return now })
	since := func(version int64, reads int32) *Catalogue {
		t.Helper()
		c, err := cache.Since(t.Context(), version)
		if err != nil || source.reads.Load() != reads {
			t.Fatalf("%v after %d reads, want %d", err, source.reads.Load(), reads)
		}
		return c
	}
	first := since(3, 1)
	if since(5, 1) != first {
		t.Error("it was made anew")
	}
	source.version.Store(6)
	if since(6, 2).Version != 6 {
		t.Error("the old one")
	}
	source.fail.Store(true)
	since(6, 2)
	if _, err := cache.Since(t.Context(), 7); codeOf(err) != "error_fetching_active_currencies" {
		t.Errorf("without a database: %v", err)
	}
}

// A database taking over without the last changes is believed within a minute, though it has not changed since.
func TestACatalogueThatTheDatabaseLostIsForgotten(t *testing.T) {
	t.Parallel()
	now := time.Now()
	source := &shelf{priced: now}
	source.version.Store(6)
	cache := NewCatalogues(source, func() time.Time { return now })
	if c, err := cache.Since(t.Context(), 6); err != nil || c.Version != 6 {
		t.Fatal(c, err)
	}
	source.version.Store(5)
	now = now.Add(quotesMadeFor)
	if c, err := cache.Since(t.Context(), 5); err != nil || c.Version != 5 {
		t.Errorf("revision %d, %v", c.Version, err)
	}
}

func TestQuotesGrowOldWithoutBeingReadAgain(t *testing.T) {
	t.Parallel()
	now := time.Now()
	source := &shelf{priced: now}
	cache := NewCatalogues(source, func() time.Time { return now })
	for _, c := range []struct {
		after time.Duration
		known bool
	}{{0, true}, {9 * time.Minute, true}, {2 * time.Minute, false}} {
		now = now.Add(c.after)
		catalogue, err := cache.Since(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, known := catalogue.Price("TRX", "USD"); known != c.known {
			t.Errorf("%v later: %v", c.after, known)
		}
	}
	if source.reads.Load() != 1 {
		t.Errorf("%d reads", source.reads.Load())
	}
}

func TestCatalogueConverts(t *testing.T) {
	t.Parallel()
	read, _ := (&shelf{priced: time.Now()}).Catalogue(t.Context())
	c := newCatalogue(read, time.Now())
	for symbol, want := range map[string]string{"USDT": "0.324325", "TRX": "4", "XYZ": "0.01", "FREE": "0", "LOST": ""} {
		token, _ := c.Token(symbol, "Tron")
		fee, ok := c.NetworkFee(token)
		if ok != (want != "") || ok && fee.String() != want {
			t.Errorf("the network fee of %s is %s %v, want %s", symbol, fee, ok, want)
		}
	}
	trx, _ := c.Token("TRX", "Tron")
	if amount, ok := c.CryptoFor(trx, "USD", decimal.NewFromInt(1)); !ok || amount.String() != "3.703703" {
		t.Errorf("1 USD is %s TRX", amount)
	}
	if _, ok := c.Fiat("eur"); ok {
		t.Error("EUR is not accepted")
	}
	if got := c.FiatOf(&pay.Merchant{PreferredFiat: "EUR"}); got != "USD" {
		t.Errorf("fiat %s", got)
	}
}

func TestChangesOfTheOperatorHoldForTheNextRequest(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Limits: Freshness")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	if a := s.payOut(item("k-0")); a.status != 200 {
		t.Fatal(a.text)
	}
	s.exec(`update tokens set withdrawals = false where symbol = 'USDT' and network = 'Ethereum'`)
	if got := decodeReply(t, s.payOut(item("k-1")).text).at("results.0.error.code"); got != "unsupported_token_or_withdrawals_disabled" {
		t.Errorf("%v", got)
	}
}
