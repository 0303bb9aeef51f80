package workers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/migrations"
)

// writes records a payout of 100 USDT as a process with the rights of an api could.
func (w *world) writes(change func(*pay.Payout)) *pay.Payout {
	w.t.Helper()
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: w.merchant, KeyID: "key", ReferenceID: uuid.NewString(), Wallet: destination,
		Token: "USDT", Asset: "USDT", Network: "Ethereum", ProcessBy: pay.ByFiat, FiatCurrency: "USD", WebhookURL: w.receiver.URL}
	change(p)
	require.NoError(w.t, ledger.PayoutFees(p, dec("100"), 6))
	p.Seal = seals.Make(p.Sealed()...)
	out, err := store.New(testkit.DBAs(w.t, migrations.APIRole)).RecordPayouts(w.t.Context(), []store.PayoutItem{{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}})
	require.NoError(w.t, err)
	require.Equal(w.t, "created", out[0].Outcome)
	return p
}

// quoted is a payout with a quote of its own.
func quoted(worth string) func(*pay.Payout) {
	return func(p *pay.Payout) { p.FiatAmount = decimal.NewNullDecimal(dec(worth)) }
}

// The api writes quotes. A quote below the price in use makes no payout cheap, be there such a price or none; one above it counts.
//
// Covers operator §Console: A limit holds for every payout
// Covers operator §Console: An amount of the installation
func TestNoQuoteHidesTheWorthOfAPayout(t *testing.T) {
	t.Parallel()
	limit := func(per string) func(*testing.T, *admin.Admin, *world) {
		return func(t *testing.T, a *admin.Admin, w *world) {
			_, err := a.SetPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USD", Above: "120", Per: per})
			require.NoError(t, err)
		}
	}
	for name, bound := range map[string]func(*testing.T, *admin.Admin, *world){
		"a limit of one payout": limit(store.PerPayout), "a limit of an hour": limit(store.PerHour),
		"two people": func(t *testing.T, a *admin.Admin, _ *world) {
			_, err := a.SetTwoPeople(t.Context(), "120")
			require.NoError(t, err)
		},
	} {
		for about, c := range map[string]struct {
			quote, price string
			signed       bool
		}{
			"a quote below the price": {"0.01", "source = 'x', updated_at = now(), price = 2", false},
			"a quote above the price": {"150", "source = 'x', updated_at = now(), price = 1", false},
			"a quote without a price": {"0.01", "source = 'x', updated_at = now() - interval '20 minutes', price = 1", false},
			"a quote below zero":      {"-1000", "source = 'x', updated_at = now(), price = 2", false},
			"an ordinary quote":       {"100", "source = 'x', updated_at = now(), price = 1.01", true},
		} {
			t.Run(name+", "+about, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, "Ethereum")
				w.fund("Ethereum", "USDT", "200")
				w.exec("update prices set " + c.price + " where base = 'USDT' and quote = 'USD'")
				bound(t, &admin.Admin{Store: w.store, Actor: "ann"}, w)
				p := w.writes(quoted(c.quote))
				w.work()
				require.Equal(t, c.signed, w.sent(p) == 1)
			})
		}
	}
}

// The api writes the asset of a payout beside its token. The limit of the token's asset counts, too.
//
// Covers operator §Console: A payout above a limit
func TestNoAssetHidesAPayoutFromItsLimit(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	w.fund("Ethereum", "ETH", "200")
	w.sets(admin.NewLimit{Unit: "USDT", Above: "50"})
	p := w.writes(func(p *pay.Payout) { p.Asset = "ETH" })
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
}
