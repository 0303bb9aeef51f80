package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus/hooks/test"

	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// Covers operator §Settings: PRICE_SOURCES
func TestPriceSourcesSetting(t *testing.T) {
	t.Parallel()
	read := func(value string) (*settings.Settings, error) {
		p, _, _ := programIn(t.TempDir(), "PRICE_SOURCES="+value)
		return p.Settings()
	}
	s, err := read("kraken, coinbase,")
	must(t, err)
	h := &service{settings: s}
	var names []string
	for _, source := range h.priceSources() {
		names = append(names, source.Name())
	}
	if !slices.Equal(names, []string{"kraken", "coinbase"}) {
		t.Errorf("sources %v", names)
	}
	if s, err = read(""); err != nil || len(s.PriceSources) != 0 {
		t.Errorf("none: %v, %v", s.PriceSources, err)
	}
	for _, bad := range []string{"fixed", "Kraken", "kraken,kraken", "kraken coinbase"} {
		if _, err := read(bad); err == nil || !strings.HasPrefix(err.Error(), "PRICE_SOURCES: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Covers operator §Settings: PRICE_SOURCES
func TestFixedPricesAreForTheSandbox(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	log, hook := test.NewNullLogger()
	h := &service{settings: &settings.Settings{}, log: log, store: store.New(db)}
	prices := func() (n int) {
		must(t, db.NewRaw("select count(*) from prices").Scan(t.Context(), &n))
		return n
	}
	before := prices()
	must(t, h.openPrices(t.Context()))
	if prices() != before || before == 0 || len(hook.Entries) != 0 {
		t.Errorf("without sources: %d of %d prices, %d lines", prices(), before, len(hook.Entries))
	}
	must(t, h.store.PinPrice(t.Context(), &pay.Price{Base: "BTC", Quote: "USD", Price: decimal.NewFromInt(64000)}))
	h.settings.PriceSources = settings.PriceSources{"kraken"}
	for range 2 {
		must(t, h.openPrices(t.Context()))
	}
	if prices() != 1 || len(hook.Entries) != 1 || !strings.Contains(hook.LastEntry().Message, "removed for good") {
		t.Errorf("with sources: %d prices, %d lines", prices(), len(hook.Entries))
	}
}
