package scheduler

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/tasks"
)

// TestTwoRelaysRingEachDueJobOnce: two relays looking at the same time share the due jobs, and neither comes back to a job before
// its visibility is over; then it is the next attempt.
//
// Covers operator §Roles: causeway scheduler
func TestTwoRelaysRingEachDueJobOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refs := append(w.add(tasks.BroadcastPayout, 450), w.add(tasks.DeliverWebhook, 450)...)
	for attempt := 1; attempt <= 2; attempt++ {
		var wait sync.WaitGroup
		for range 2 {
			r := w.relay()
			wait.Go(func() {
				for w.ringDue(r) > 0 {
				}
			})
		}
		wait.Wait()
		heard := w.bell.heard()
		require.ElementsMatch(t, refs, refsOf(heard))
		for _, j := range heard {
			require.Equal(t, attempt, j.Attempt)
		}
		require.Zero(t, w.ringDue(w.relay()))
		soon := w.count("select count(*) from jobs where run_at < now() + interval '25 seconds' or run_at > now() + interval '30 seconds'")
		require.Zero(t, soon, "jobs that are not left alone for their visibility")
		w.exec("update jobs set run_at = run_at - interval '30 seconds'")
	}
}

func TestTheOldestAreRungFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refs := w.add(tasks.DeliverWebhook, 2*Full+50)
	w.exec("insert into jobs (kind, ref, run_at) values ('reconcile', gen_random_uuid(), now() + interval '1 minute')")
	r := w.relay()
	require.Equal(t, 2*Full, w.ringDue(r))
	require.ElementsMatch(t, refs[:2*Full], refsOf(w.bell.heard()))
	require.Equal(t, 50, w.ringDue(r))
	require.ElementsMatch(t, refs[2*Full:], refsOf(w.bell.heard()))
	require.Zero(t, w.ringDue(r), "what is not due yet")
}

// TestNothingIsTakenWhileTheBellIsAway: everything stays due, and is rung when the bell is back.
func TestNothingIsTakenWhileTheBellIsAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r, refs := w.relay(), w.add(tasks.DeliverWebhook, 3)
	w.bell.set(true)
	_, err := r.RingDue(t.Context())
	require.ErrorIs(t, err, errAway)
	for range 5 {
		require.Zero(t, w.ringDue(r), "it is said once")
	}
	require.Equal(t, 3, w.count("select count(*) from jobs where attempt = 0 and run_at <= now()"))
	w.bell.set(false)
	require.Equal(t, 3, w.ringDue(r))
	require.ElementsMatch(t, refs, refsOf(w.bell.heard()))
}

// TestNothingIsTakenWhileTheBellTakesNothing: the first look with a full bell has taken jobs, and they come again after their
// visibility; from then on everything stays due, and is rung when the bell takes it.
func TestNothingIsTakenWhileTheBellTakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.relay()
	first := w.add(tasks.DeliverWebhook, 1)
	w.bell.full = true
	_, err := r.RingDue(t.Context())
	require.ErrorIs(t, err, errAway)

	second := w.add(tasks.DeliverWebhook, 3)
	for range 5 {
		require.Zero(t, w.ringDue(r))
	}
	require.Equal(t, 3, w.count("select count(*) from jobs where attempt = 0 and run_at <= now()"))
	w.bell.full = false
	require.Equal(t, 3, w.ringDue(r))
	require.ElementsMatch(t, second, refsOf(w.bell.heard()))
	w.exec("update jobs set run_at = now() where ref = ?", first[0])
	require.Equal(t, 1, w.ringDue(r))
	require.Equal(t, []tasks.Job{{Kind: tasks.DeliverWebhook, Ref: first[0], Attempt: 2}}, w.bell.heard())
}

// TestAQueueThatCannotBeMeasuredKeepsItsJobs: they stay due, as if it were full, and those of others go on as far as there is room.
func TestAQueueThatCannotBeMeasuredKeepsItsJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signing, hooks, prices := w.add(tasks.BroadcastPayout, 2), w.add(tasks.DeliverWebhook, 2), w.add(tasks.RefreshPrices, 1)
	r := w.relay()
	w.bell.lost, w.bell.waiting[tasks.Webhooks] = tasks.Signing, Full
	require.Equal(t, 1, w.ringDue(r))
	require.Equal(t, prices, refsOf(w.bell.heard()))
	w.bell.lost, w.bell.waiting[tasks.Webhooks] = "", 0
	require.Equal(t, 4, w.ringDue(r))
	require.ElementsMatch(t, append(signing, hooks...), refsOf(w.bell.heard()))
}

// TestAFullQueueKeepsItsJobsInTheDatabase: they stay due, those of other queues go on, and when there is room again they
// are rung.
func TestAFullQueueKeepsItsJobsInTheDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signing, hooks := w.add(tasks.BroadcastPayout, 2), w.add(tasks.DeliverWebhook, 2)
	r := w.relay()
	w.bell.waiting[tasks.Signing] = Full
	require.Equal(t, 2, w.ringDue(r))
	require.ElementsMatch(t, hooks, refsOf(w.bell.heard()))
	require.Equal(t, 2, w.count("select count(*) from jobs where kind = 'payout.broadcast' and attempt = 0 and run_at <= now()"))

	for queue := range tasks.Weights {
		w.bell.waiting[queue] = Full
	}
	w.add(tasks.DeliverWebhook, 1)
	require.Zero(t, w.ringDue(r))

	w.bell.waiting = map[tasks.Queue]int{}
	require.Equal(t, 3, w.ringDue(r))
	require.Subset(t, refsOf(w.bell.heard()), signing)
}

// TestAKindOfANewerVersionStaysDue: a process of this version takes jobs of known kinds and leaves the other job as it was.
//
// Covers operator §Roles: Old and new processes share
func TestAKindOfANewerVersionStaysDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	known := w.add(tasks.DeliverWebhook, 2)
	w.add("payout.teleport", 1)
	require.Equal(t, 2, w.ringDue(w.relay()))
	require.ElementsMatch(t, known, refsOf(w.bell.heard()))
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.teleport' and attempt = 0 and run_at <= now()"))
}

// TestAFullQueueIsNotAskedForAgainAndAgain: while one is full it is measured often, and the database asked as seldom as
// ever; as soon as it has room it is filled again.
func TestAFullQueueIsNotAskedForAgainAndAgain(t *testing.T) {
	t.Parallel()
	r := &Relay{}
	require.True(t, r.mayAsk(0))
	require.True(t, r.mayAsk(0))
	require.False(t, r.mayAsk(1))
	require.False(t, r.mayAsk(1))
	require.Equal(t, soon, r.rest)
	r.taken = r.taken.Add(-interval)
	require.True(t, r.mayAsk(1))
	require.False(t, r.mayAsk(2))
	require.True(t, r.mayAsk(1), "one has room again")
	require.True(t, r.mayAsk(0))
}

// TestRunRingsWhatComesDue uses the real bell on Redis, and ends with its context.
func TestRunRingsWhatComesDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	redis := testkit.Redis(t)
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range 2 {
		wait.Go((&Relay{Store: w.store, Bell: tasks.NewBell(redis), Log: w.log}).run(ctx))
	}
	refs := w.add(tasks.DeliverWebhook, 25)
	look := asynq.NewInspectorFromRedisClient(redis)
	testkit.Eventually(t, time.Minute, func() bool { return len(pending(t, look)) >= 25 }, "25 jobs")
	stop()
	wait.Wait()
	require.ElementsMatch(t, refs, refsOf(pending(t, look)), "each once")
}

// pending reads the jobs of the deliveries waiting in Redis.
func pending(t *testing.T, look *asynq.Inspector) (jobs []tasks.Job) {
	waiting, err := look.ListPendingTasks(string(tasks.Webhooks), asynq.PageSize(Full))
	if errors.Is(err, asynq.ErrQueueNotFound) { // before the first
		return nil
	}
	require.NoError(t, err)
	for _, task := range waiting {
		lot, err := tasks.ParseTask(asynq.NewTask(task.Type, task.Payload))
		require.NoError(t, err)
		jobs = append(jobs, lot...)
	}
	return jobs
}

func (r *Relay) run(ctx context.Context) func() { return func() { r.Run(ctx) } }

// hangingUp is a bell with a caller told to stop while it rings.
type hangingUp struct {
	*bell
	stop func()
}

func (b hangingUp) Ring(ctx context.Context, jobs ...tasks.Job) error {
	b.stop()
	if err := ctx.Err(); err != nil {
		return err
	}
	return b.bell.Ring(ctx, jobs...)
}

// TestWhatIsBeingTakenIsRung: a relay told to stop while the database hands it jobs rings these.
func TestWhatIsBeingTakenIsRung(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.add(tasks.BroadcastPayout, 3000)
	for i := range 20 {
		ctx, stop := context.WithTimeout(t.Context(), time.Duration(3+i)*time.Millisecond)
		w.relay().Run(ctx)
		stop()
	}
	require.Equal(t, w.count("select count(*) from jobs where attempt > 0"), len(w.bell.heard()))
}

// TestWhatWasTakenIsRung: also when the process is told to stop in between. It would else wait for its visibility.
func TestWhatWasTakenIsRung(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	refs := w.add(tasks.BroadcastPayout, 3)
	ctx, stop := context.WithCancel(t.Context())
	r := w.relay()
	r.Bell = hangingUp{w.bell, stop}
	n, err := r.RingDue(ctx)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.ElementsMatch(t, refs, refsOf(w.bell.heard()))
	w.add(tasks.DeliverWebhook, 1)
	r.Run(ctx)
	require.Equal(t, 1, w.count("select count(*) from jobs where attempt = 0"), "nothing is taken by a process that leaves")
}
