package workers_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers"
	"causeway/workers/upkeep"
)

// quoting is a source with the quotes of a test: base/quote to price, or an error.
type quoting struct {
	name   string
	prices map[string]string
	at     time.Time
	err    error
	asked  pricing.Want
}

func (s *quoting) Name() string { return s.name }

func (s *quoting) Quotes(_ context.Context, want pricing.Want) ([]pay.Price, error) {
	s.asked = want
	var out []pay.Price
	for base, price := range s.prices {
		at := s.at
		if at.IsZero() {
			at = time.Now()
		}
		out = append(out, pay.Price{Base: base, Quote: "USD", Price: dec(price), Source: s.name, UpdatedAt: at})
	}
	return out, s.err
}

// market is a database, sources, and workers asking them.
type market struct {
	*testing.T
	db      *bun.DB
	store   *store.Store
	workers *workers.Workers
	log     *test.Hook
}

func newMarket(t *testing.T, sources ...*quoting) *market {
	log, hook := test.NewNullLogger()
	db := testkit.DB(t)
	m := &market{T: t, db: db, store: store.New(db), log: hook}
	m.workers = workers.New(workers.Options{Store: m.store, Bell: silent{}, Log: log})
	for _, s := range sources {
		m.workers.Upkeep.Prices = append(m.workers.Upkeep.Prices, s)
	}
	return m
}

// refresh runs the job once and returns its error.
func (m *market) refresh() string {
	m.Helper()
	ctx := context.Background()
	kind := tasks.RefreshPrices
	j, err := m.store.TakeJob(ctx, string(kind), tasks.RefOf(string(kind)), tasks.Visibility, "")
	require.NoError(m, err)
	require.NoError(m, m.workers.Do(ctx, tasks.Job{Kind: kind, Ref: j.Ref, Attempt: j.Attempt}))
	row, err := m.store.Job(ctx, j.Kind, j.Ref)
	require.NoError(m, err)
	if row.LastError == nil {
		return ""
	}
	return *row.LastError
}

// price returns the price in USD seen by requests, empty when there is none, and its source.
func (m *market) price(token string) (price, source string) {
	m.Helper()
	all, err := m.store.Catalogue(context.Background())
	require.NoError(m, err)
	for _, p := range all.Prices {
		if p.Base == token && p.Quote == "USD" {
			source = p.Source
		}
	}
	q, ok := pricing.NewRates(all.Prices, time.Now()).Price(token, "USD")
	if !ok {
		return "", source
	}
	return q.Price.String(), source
}

func (m *market) is(token, price, source string) {
	m.Helper()
	got, from := m.price(token)
	require.Equal(m, price+" "+source, got+" "+from)
}

func (m *market) pin(token, price string) {
	m.Helper()
	require.NoError(m, m.store.PinPrice(context.Background(), &pay.Price{Base: token, Quote: "USD", Price: dec(price)}))
}

func (m *market) unpin(token string) {
	m.Helper()
	require.NoError(m, m.store.ClearPrice(context.Background(), &pay.Price{Base: token, Quote: "USD"}))
}

// warnings returns the warnings, and forgets them.
func (m *market) warnings() []string {
	var out []string
	for _, e := range m.log.AllEntries() {
		require.Equal(m, logrus.WarnLevel, e.Level)
		out = append(out, e.Message)
	}
	m.log.Reset()
	return out
}

func TestPricesAreTheMedianOfTheSources(t *testing.T) {
	t.Parallel()
	a := &quoting{name: "a", prices: map[string]string{"BTC": "90000", "ETH": "3000", "USDT": "0.9991"}}
	b := &quoting{name: "b", prices: map[string]string{"BTC": "90300", "USDT": "0.9993"}}
	c := &quoting{name: "c", prices: map[string]string{"BTC": "180000", "USDT": "0.9996"}}
	m := newMarket(t, a, b, c)
	m.is("BTC", "63000", "fixed")
	require.Empty(t, m.refresh())
	m.is("BTC", "90150", "a+b")
	m.is("ETH", "3000", "a")
	m.is("USDT", "0.9993", "a+b+c")
	m.is("SOL", "", "") // nobody quotes it: the sandbox's own table is not for real money
	require.Empty(t, m.warnings())
	require.Contains(t, a.asked.Tokens, "SOL")
	require.Contains(t, a.asked.Fiats, "BRL")

	kept, err := m.store.Quotes(t.Context(), []string{"c"})
	require.NoError(t, err)
	require.Len(t, kept, 2) // the disbelieved quote is kept too
	said, err := m.store.Quotes(t.Context(), nil)
	require.NoError(t, err)
	var pairs []string
	for _, q := range said {
		pairs = append(pairs, q.Base+" by "+q.Source)
	}
	require.Equal(t, []string{"BTC by a", "BTC by b", "BTC by c", "ETH by a", "USDT by a", "USDT by b", "USDT by c"}, pairs)
	none, err := m.store.Quotes(t.Context(), []string{})
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestFixedTableNeverRefreshes(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	before, err := m.store.Catalogue(t.Context())
	require.NoError(t, err)
	require.Empty(t, m.refresh())
	after, err := m.store.Catalogue(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after)
	m.unpin("BTC")
	require.Empty(t, m.refresh())
	m.is("BTC", "", "") // only a live source brings back a price cleared by the operator
}

func TestSourcesThatFail(t *testing.T) {
	t.Parallel()
	a := &quoting{name: "a", prices: map[string]string{"BTC": "90000"}}
	b := &quoting{name: "b", err: errors.New("b: status 429")}
	m := newMarket(t, a, b)
	require.Empty(t, m.refresh())
	m.is("BTC", "90000", "a")
	require.Equal(t, []string{"a price source failed"}, m.warnings())

	a.err, a.prices = errors.New("a: status 500"), nil
	require.Contains(t, m.refresh(), "a: status 500")
	m.is("BTC", "90000", "a") // until it is too old
	m.age("BTC", pricing.MaxAge+time.Second)
	require.NotEmpty(t, m.refresh())
	m.is("BTC", "", "a")
}

// age makes the price in use and its quotes older.
func (m *market) age(token string, by time.Duration) {
	m.Helper()
	_, err := m.db.NewRaw("update prices set updated_at = updated_at - ?0 * interval '1 microsecond' where base = ?1", by.Microseconds(),
		token).Exec(context.Background())
	require.NoError(m, err)
	_, err = m.db.NewRaw("update price_quotes set at = at - ?0 * interval '1 microsecond' where base = ?1", by.Microseconds(), token).
		Exec(context.Background())
	require.NoError(m, err)
}

func TestSourcesThatDisagree(t *testing.T) {
	t.Parallel()
	a := &quoting{name: "a", prices: map[string]string{"BTC": "90000", "ETH": "3000"}}
	b := &quoting{name: "b", prices: map[string]string{"BTC": "90100", "ETH": "3000"}}
	m := newMarket(t, a, b)
	require.Empty(t, m.refresh())
	m.is("BTC", "90050", "a+b")
	b.prices = map[string]string{"BTC": "900000", "ETH": "3002"}
	require.Empty(t, m.refresh())
	m.is("BTC", "90050", "a+b") // the old one, growing older
	m.is("ETH", "3001", "a+b")
	require.Equal(t, []string{"no new price: " + pricing.Disagreement}, m.warnings())
	m.age("BTC", pricing.MaxAge+time.Second)
	require.Empty(t, m.refresh())
	m.is("BTC", "", "a+b")
}

func TestLoneJumpNeedsTheOperator(t *testing.T) {
	t.Parallel()
	a := &quoting{name: "a", prices: map[string]string{"OKB": "50"}}
	m := newMarket(t, a)
	require.Empty(t, m.refresh())
	a.prices = map[string]string{"OKB": "5000"}
	require.Empty(t, m.refresh())
	m.is("OKB", "50", "a")
	require.Equal(t, []string{"no new price: " + pricing.LoneJump}, m.warnings())
	m.unpin("OKB") // the operator has looked
	require.Empty(t, m.refresh())
	m.is("OKB", "5000", "a")
}

// Covers operator §Admin: price set pins
func TestPinsWin(t *testing.T) {
	t.Parallel()
	a := &quoting{name: "a", prices: map[string]string{"BTC": "90000"}}
	b := &quoting{name: "b", prices: map[string]string{"BTC": "90000"}}
	m := newMarket(t, a, b)
	m.pin("BTC", "70000.5")
	m.pin("SOL", "151")
	m.age("SOL", 1000*time.Hour)
	require.Empty(t, m.refresh())
	m.is("BTC", "70000.5", "operator")
	m.is("SOL", "151", "operator")
	m.unpin("BTC")
	m.is("BTC", "", "")
	require.Empty(t, m.refresh())
	m.is("BTC", "90000", "a+b")
}

func TestRefreshTwiceAtOnce(t *testing.T) {
	t.Parallel()
	a := &quoting{name: "a", prices: map[string]string{"BTC": "90000", "ETH": "3000"}}
	m := newMarket(t, a)
	kind := tasks.RefreshPrices
	j, err := m.store.TakeJob(t.Context(), string(kind), tasks.RefOf(string(kind)), tasks.Visibility, "")
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 4 {
		w := workers.New(workers.Options{Store: m.store, Bell: silent{}, Log: m.workers.Log,
			Prices: []upkeep.PriceSource{&quoting{name: "a", prices: a.prices}}})
		all.Go(func() {
			if err := w.Do(context.Background(), tasks.Job{Kind: kind, Ref: j.Ref, Attempt: j.Attempt}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	m.is("BTC", "90000", "a")
	m.is("ETH", "3000", "a")
	require.Empty(t, m.warnings())
}

// An answer slow to arrive does not take the place of a newer one.
func TestOlderQuotesDoNotReplaceNewer(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	now := time.Now().UTC().Truncate(time.Second)
	for _, said := range []pay.Price{{Price: dec("2"), UpdatedAt: now}, {Price: dec("1"), UpdatedAt: now.Add(-time.Second)}} {
		said.Base, said.Quote, said.Source = "BTC", "USD", "a"
		require.NoError(t, m.store.SaveQuotes(t.Context(), []pay.Price{said}))
	}
	kept, err := m.store.Quotes(t.Context(), []string{"a"})
	require.NoError(t, err)
	require.Len(t, kept, 1)
	require.Equal(t, "2", kept[0].Price.String())
	require.True(t, kept[0].UpdatedAt.Equal(now))
}

// refreshedBy does the job's work in a process whose clock is ahead.
func (m *market) refreshedBy(ahead time.Duration, token, price string) {
	m.Helper()
	now, ctx := time.Now().Add(ahead), m.Context()
	require.NoError(m, m.store.SaveQuotes(ctx, []pay.Price{{Base: token, Quote: "USD", Price: dec(price), Source: "a", UpdatedAt: now}}))
	known, err := m.store.Quotes(ctx, []string{"a"})
	require.NoError(m, err)
	used, err := m.store.PricesForUpdate(ctx)
	require.NoError(m, err)
	prices, _ := pricing.Decide(known, used, now)
	require.NoError(m, m.store.SavePrices(ctx, prices))
}

// A process whose clock was ahead has refreshed prices once, and is gone: its prices are not used, and the source's later quotes are.
func TestAClockThatWasAheadFreezesNoPrice(t *testing.T) {
	t.Parallel()
	source := &quoting{name: "a", prices: map[string]string{"BTC": "100"}}
	m := newMarket(t, source)
	require.Empty(t, m.refresh())
	m.is("BTC", "100", "a")
	m.refreshedBy(time.Hour, "BTC", "100")
	all, err := m.store.Catalogue(t.Context())
	require.NoError(t, err)
	_, used := pricing.NewRates(all.Prices, time.Now()).Price("BTC", "USD")
	require.False(t, used)
	source.prices["BTC"] = "80"
	require.Empty(t, m.refresh())
	m.is("BTC", "80", "a")
}
