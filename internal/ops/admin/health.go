package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
)

// Health is how everything runs, as far as the database knows.
type Health struct {
	Networks   []store.FollowerVitals
	Payouts    []store.PayoutVitals
	Contrary   []store.ContraryVitals
	Undone     []store.UndoneSpend
	Untaken    []store.UntakenVitals
	Unsigned   []store.UnsignedVitals
	Approvals  store.ApprovalVitals
	Capped     []store.CappedVitals
	Debts      []store.Debt // the oldest of them
	Jobs       []store.JobVitals
	Waits      store.WaitVitals
	Report     store.ReportVitals
	Reconciled bool // there is a report
	Looks      []store.LookVitals
	Assets     []store.StoppedAsset
	Wallets    []store.StoppedWallet
	Covers     []Cover
	Holdings   []store.WalletVitals // of each network and asset
	GivenUp    store.GivenUp        // messages to people
	Fixed      []string             // real networks on the sandbox's fixed prices
	Unpriced   []string             // tokens without a usable price
	PricesFail string               // why the sources of prices could not be asked last; empty when they were
}

// Health reads how everything runs. live are the real networks of this process: the database does not know them. With an error it
// returns everything read before it.
func (a *Admin) Health(ctx context.Context, live ...string) (*Health, error) {
	h := new(Health)
	var err error
	for _, read := range []func(){
		func() { h.Networks, err = a.Store.FollowerVitals(ctx) },
		func() { h.Payouts, err = a.Store.PayoutVitals(ctx) },
		func() { h.Contrary, err = a.Store.ContraryVitals(ctx) },
		func() { h.Undone, err = a.Store.UndoneSpends(ctx) },
		func() { h.Untaken, err = a.Store.UntakenVitals(ctx) },
		func() { h.Unsigned, err = a.Store.UnsignedVitals(ctx) },
		func() { h.Capped, err = a.Store.CappedVitals(ctx) },
		func() { h.Approvals, err = a.Store.ApprovalVitals(ctx) },
		func() { h.Debts, err = a.Store.Debts(ctx, mostDebts) },
		func() { h.Jobs, err = a.Store.JobVitals(ctx) },
		func() { h.Waits, err = a.Store.WaitVitals(ctx) },
		func() { h.Report, h.Reconciled, err = a.Store.ReportVitals(ctx) },
		func() { h.Looks, err = a.Store.LookVitals(ctx) },
		func() { h.Assets, err = a.Store.StoppedAssets(ctx) },
		func() { h.Wallets, err = a.Store.StoppedWallets(ctx) },
		func() { h.Covers, err = a.covers(ctx) },
		func() { h.Holdings, err = a.Store.WalletVitals(ctx) },
		func() { h.GivenUp, err = a.Store.MessagesGivenUp(ctx) },
		func() { h.Fixed, err = AtFixedPrices(ctx, a.Store, live) },
		func() { h.Unpriced, err = Unpriced(ctx, a.Store) },
		func() { h.PricesFail, err = a.Store.LastError(ctx, string(tasks.RefreshPrices)) },
	} {
		if read(); err != nil {
			return h, err
		}
	}
	return h, nil
}

// AtFixedPrices returns the real networks on the sandbox's fixed prices: all of them, or none.
func AtFixedPrices(ctx context.Context, s *store.Store, live []string) ([]string, error) {
	if len(live) == 0 {
		return nil, nil
	}
	if fixed, err := s.HasFixedPrices(ctx); err != nil || !fixed {
		return nil, err
	}
	return live, nil
}

// Unpriced returns the symbols of the active tokens without a usable price in USD, on networks followed before. Requests in need of
// their price are refused (docs/decisions/0009-prices.md).
func Unpriced(ctx context.Context, s *store.Store) ([]string, error) {
	cat, err := s.Catalogue(ctx)
	if err != nil {
		return nil, err
	}
	followed, err := s.Heads(ctx)
	if err != nil {
		return nil, err
	}
	rates, out := pricing.NewRates(cat.Prices, time.Now()), []string{}
	for i := range cat.Tokens {
		t := &cat.Tokens[i]
		if _, served := followed[t.Network]; !served || !t.Active {
			continue
		}
		if _, priced := rates.Price(t.Symbol, "USD"); !priced {
			out = append(out, t.Symbol)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Network returns how a network is followed, nil when it never was.
func (h *Health) Network(name string) *store.FollowerVitals {
	for i := range h.Networks {
		if h.Networks[i].Network == name {
			return &h.Networks[i]
		}
	}
	return nil
}

// StoppedWallets returns the stops of a network: of its hot wallet, and of those of former seeds.
func (h *Health) StoppedWallets(network string) (out []store.StoppedWallet) {
	for _, w := range h.Wallets {
		if w.Network == network {
			out = append(out, w)
		}
	}
	return out
}

// Open counts the payouts pending on the wire.
func (h *Health) Open() (n int64) {
	for _, p := range h.Payouts {
		n += p.Open
	}
	return n
}

// OldestDueMS is how long the oldest due job has been due, in milliseconds.
func (h *Health) OldestDueMS() (oldest int64) {
	for _, j := range h.Jobs {
		oldest = max(oldest, j.OldestDueMS)
	}
	return oldest
}

// Cover is the amount of an asset held on all networks, and the amount of it owed to merchants.
type Cover struct {
	Asset      string
	Held, Owed decimal.Decimal
}

func (a *Admin) covers(ctx context.Context) ([]Cover, error) {
	purses, err := a.Store.Purses(ctx)
	return Covers(purses), err
}

// Covers compares the accounts of the ledger by asset; in the order of the assets.
func Covers(purses []store.Purse) []Cover {
	var out []Cover
	for _, p := range purses {
		i := slices.IndexFunc(out, func(c Cover) bool { return c.Asset == p.Asset })
		if i < 0 {
			i = len(out)
			out = append(out, Cover{Asset: p.Asset})
		}
		switch {
		case strings.HasPrefix(p.Account, ledger.Outside("")):
			out[i].Held = out[i].Held.Sub(p.Amount)
		case p.Account == store.MerchantsAvailable, p.Account == store.MerchantsLocked, p.Account == ledger.PayoutsHeld:
			out[i].Owed = out[i].Owed.Add(p.Amount)
		}
	}
	return out
}
