package workers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/tasks"
	"causeway/workers"
)

// TestAKindThatNobodyDoesStopsTheStart: whoever adds a kind of work hears of what is forgotten before a job of it is taken. Tests that
// run in parallel wait for this one, which changes the table of all work.
func TestAKindThatNobodyDoesStopsTheStart(t *testing.T) {
	const forgotten tasks.Kind = "forgotten"
	for name, spec := range map[string]tasks.Spec{
		"work that ends": {Queue: tasks.Chain, Timeout: time.Second},
		"periodic":       {Queue: tasks.Upkeep, Timeout: time.Second, Every: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			tasks.Specs[forgotten] = spec
			defer delete(tasks.Specs, forgotten)
			require.PanicsWithValue(t, "no handler for "+forgotten, func() { (&workers.Workers{}).Mux(t.Context(), 1) })
		})
	}
	require.NotPanics(t, func() { (&workers.Workers{}).Mux(t.Context(), 1) })
}

// TestAPanicIsAFailureOfItsJob: it is written down with its job, which comes again later, and ends neither its task nor the
// process.
func TestAPanicIsAFailureOfItsJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	networks := w.workers.Networks
	w.workers.Networks = nil
	var attempt int
	job := tasks.Job{Kind: tasks.FollowNetwork, Ref: tasks.RefOf("Tron")}
	require.NoError(t, w.db.NewRaw("select attempt from jobs where kind = ? and ref = ?", job.Kind, job.Ref).Scan(t.Context(), &attempt))
	job.Attempt = attempt
	require.NoError(t, w.workers.Do(t.Context(), job))
	require.Equal(t, 1, w.count("select count(*) from jobs where ref = ? and failures = 1 and last_error like 'panic: %' and strpos(last_error, chr(10)) = 0 and run_at > now()", job.Ref))
	w.workers.Networks = networks
}
