package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/tasks"
	"causeway/workers"
	"causeway/workers/upkeep"
)

// TestAKindThatNobodyDoesStopsTheStart: the author of a new kind of work hears of forgotten parts before a job of it is taken. Tests
// running in parallel wait for this one; it changes the table of all work.
func TestAKindThatNobodyDoesStopsTheStart(t *testing.T) {
	const forgotten tasks.Kind = "forgotten"
	for name, spec := range map[string]tasks.Spec{
		"work that ends": {Queue: tasks.Chain, Timeout: time.Second},
		"periodic":       {Queue: tasks.Upkeep, Timeout: time.Second, Every: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			tasks.Specs[forgotten] = spec
			defer delete(tasks.Specs, forgotten)
			require.PanicsWithValue(t, "no handler for "+forgotten, func() { workers.New(workers.Options{}).Mux(t.Context(), 1) })
		})
	}
	require.NotPanics(t, func() { workers.New(workers.Options{}).Mux(t.Context(), 1) })
}

// TestAPanicIsAFailureOfItsJob: it is written down with its job, comes again later with it, and ends neither its task nor the
// process.
func TestAPanicIsAFailureOfItsJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	networks := w.workers.Networks
	w.workers.Networks = nil
	var attempt int
	job := tasks.Job{Kind: tasks.FollowNetwork, Ref: tasks.RefOf("Ethereum")}
	require.NoError(t, w.db.NewRaw("select attempt from jobs where kind = ? and ref = ?", job.Kind, job.Ref).Scan(t.Context(), &attempt))
	job.Attempt = attempt
	require.NoError(t, w.workers.Do(t.Context(), job))
	require.Equal(t, 1, w.count("select count(*) from jobs where ref = ? and failures = 1 and last_error like 'panic: %' and strpos(last_error, chr(10)) = 0 and run_at > now()", job.Ref))
	w.workers.Networks = networks
}

// The parts of a connector, and a source of prices, unable to cope with their answers.
type (
	faultyHolder  struct{ chains.Holder }
	faultyCounter struct{ chains.Counter }
	faultySource  struct{}
)

func (faultyHolder) Holdings(context.Context, string, []string, int64) ([]decimal.Decimal, error) {
	panic("an answer without its fields")
}

func (faultyCounter) NextNonce(context.Context, string) (uint64, error) {
	panic("an answer without its fields")
}

func (faultySource) Name() string { return "faulty" }

func (faultySource) Quotes(context.Context, pricing.Want) ([]pay.Price, error) {
	panic("an answer without its fields")
}

// TestAPanicBesideAJobIsAFailureOfIt: a job's concurrent work for several networks or sources is in goroutines of its own, and nobody
// recovers above these.
func TestAPanicBesideAJobIsAFailureOfIt(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum", "Bitcoin")
	w.work()
	ethereum, _ := w.registry.Network("Ethereum")
	ethereum.Holder, ethereum.Counter = faultyHolder{ethereum.Holder}, faultyCounter{ethereum.Counter}
	w.workers.Upkeep.Prices = []upkeep.PriceSource{faultySource{}}
	for _, kind := range []tasks.Kind{tasks.CheckWallets, tasks.RefreshPrices, tasks.Reconcile} {
		j, err := w.store.TakeJob(t.Context(), string(kind), tasks.RefOf(string(kind)), tasks.Visibility, "")
		require.NoError(t, err)
		require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: kind, Ref: j.Ref, Attempt: j.Attempt}))
		row, err := w.store.Job(t.Context(), j.Kind, j.Ref)
		require.NoError(t, err)
		if kind == tasks.Reconcile { // the other network was compared
			require.Nil(t, row.LastError)
			continue
		}
		require.Equal(t, "panic: an answer without its fields", *row.LastError)
	}
	looks, err := w.store.Looks(t.Context())
	require.NoError(t, err)
	require.Equal(t, "panic: an answer without its fields", looks["Ethereum"].Unreached)
	require.Nil(t, looks["Ethereum"].Going)
	require.Empty(t, looks["Bitcoin"].Unreached)
}

// faultyOrigin is a node unable to tell the sender of a transaction.
type faultyOrigin struct{ chains.Counter }

// Origin panics.
func (faultyOrigin) Origin(context.Context, string) (chains.Origin, error) {
	panic("an answer without its fields")
}

// TestAPanicWhileAWalletIsResumedIsAnError: the command and the console go on.
func TestAPanicWhileAWalletIsResumedIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.stopsForSpends()
	n, _ := w.registry.Network("Ethereum")
	n.Counter = faultyOrigin{n.Counter}
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.ErrorContains(t, err, "panic: an answer without its fields")
	require.NotContains(t, err.Error(), "\n")
}
