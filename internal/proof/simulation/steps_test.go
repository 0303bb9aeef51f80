package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun/dialect/pgdialect"

	"causeway/internal/store"
	"causeway/internal/webhooks"
	"causeway/tasks"
)

// step is one kind of thing to happen next, and how often it does.
type step struct {
	weight int
	do     func(w *world)
}

// steps is the table of all things happening before the world comes to rest.
var steps = []step{
	{10, (*world).ringDue},
	{34, (*world).work},
	{8, (*world).goOn},
	{9, (*world).passTime},
	{9, (*world).mine},
	{2, (*world).reorganise},
	{6, (*world).requestPayouts},
	{1, (*world).cancelPayout},
	{5, (*world).requestPayin},
	{9, (*world).pay},
	{3, (*world).faults},
	{2, (*world).strand},
	{2, (*world).redis},
	{2, (*world).answer},
	{1, (*world).age},
	{1, (*world).again},
	{2, (*world).operate},
}

// run takes so many steps.
func (w *world) run(operations int, check func()) {
	sum := 0
	for _, s := range steps {
		sum += s.weight
	}
	for i := range operations {
		n := w.random.IntN(sum)
		for _, s := range steps {
			if n -= s.weight; n < 0 {
				s.do(w)
				break
			}
		}
		if w.t.Failed() {
			return
		}
		if i%50 == 49 {
			check()
		}
	}
}

// fate draws how far a fiber gets before it stops, and before it dies: mostly to its end.
func (w *world) fate() (left, doom int) {
	left, doom = -1, -1
	stops, far := 18, 12
	if w.crowded {
		stops, far = 80, 4
	}
	if w.chance(stops) {
		left = w.random.IntN(far)
	}
	if w.chance(6) {
		doom = w.random.IntN(16)
	}
	return left, doom
}

// ringDue lets a relay ring due jobs.
func (w *world) ringDue() {
	left, doom := w.fate()
	relay := w.nextRelay()
	f := w.spawn("a relay", left, doom, func(ctx context.Context) error {
		_, err := relay.RingDue(ctx)
		return err
	})
	if f.dead || f.at != "" {
		w.relays[len(w.relays)-1] = w.newRelay() // another process has its place
	}
}

// work lets a worker take a task, and many of them where there is a crowd.
func (w *world) work() {
	if w.crowded {
		w.ringDue()
	}
	w.workOnce()
	for w.crowded && len(w.stopped) < 14 && len(w.bell.tasks) > 0 && !w.bell.away {
		w.workOnce()
	}
}

// workOnce takes a task off the queue and works on it; sometimes the task stays, as after a lost acknowledgement.
func (w *world) workOnce() {
	if w.bell.away {
		w.standBy()
		return
	}
	if len(w.bell.tasks) == 0 {
		return
	}
	i := w.random.IntN(len(w.bell.tasks))
	j := w.bell.tasks[i]
	if !w.chance(8) {
		w.bell.take(i)
	}
	left, doom := w.fate()
	w.attempt(j, left, doom)
}

// standBy takes due jobs from the database, as a worker does while Redis is away.
func (w *world) standBy() {
	if w.chance(85) {
		return // it has not lost its patience yet
	}
	due, err := w.store.TakeDue(context.Background(), nil, 1000, tasks.Visibility) // all: the seed does not choose the first ones
	w.must(err)
	slices.SortFunc(due, func(x, y store.DueJob) int { return cmp.Compare(x.Kind+x.Ref.String(), y.Kind+y.Ref.String()) })
	for _, d := range due {
		left, doom := w.fate()
		w.attempt(tasks.Job{Kind: tasks.Kind(d.Kind), Ref: d.Ref, Attempt: d.Attempt}, left, doom)
	}
}

// attempt works on an attempt at a job.
func (w *world) attempt(j tasks.Job, left, doom int) {
	most := 8
	if w.crowded {
		most = 16
	}
	if len(w.stopped) >= most {
		left = -1
	}
	now, err := w.store.Job(context.Background(), string(j.Kind), j.Ref)
	stale := err != nil || now == nil || now.Attempt != j.Attempt
	whole := j.Kind == tasks.Reconcile || j.Kind == tasks.CheckWallets
	if stale || whole {
		doom = -1
	}
	name := fmt.Sprintf("%s#%d", j.Kind, j.Attempt)
	w.spawn(name, left, doom, func(ctx context.Context) error {
		f := fiberIn(ctx)
		f.stale, f.whole = stale, whole
		return w.newWorkers().Do(ctx, j)
	})
	if j.Kind == tasks.DeliverWebhook {
		w.evenOut(j)
	}
}

// evenOut puts a delivery due again where its delay would be without the random spread.
func (w *world) evenOut(j tasks.Job) {
	var delays []float64
	for {
		delay, exhausted := webhooks.Next(len(delays)+1, func() float64 { return 0.5 })
		if exhausted {
			break
		}
		delays = append(delays, delay.Seconds())
	}
	_, err := w.db.NewRaw(`update jobs set run_at = now() + d.delay * interval '1 second' from unnest(?::float8[]) as d(delay)
		where kind = ? and ref = ? and run_at between now() + 0.9 * d.delay * interval '1 second' and now() + 1.1 * d.delay * interval '1 second'`,
		pgdialect.Array(delays), j.Kind, j.Ref).Exec(context.Background())
	w.must(err)
}

// goOn lets a stopped fiber go on, a little or to the end, or die.
func (w *world) goOn() {
	if len(w.stopped) == 0 || w.crowded && len(w.stopped) < 12 && w.chance(90) {
		return
	}
	points := -1
	switch {
	case w.chance(25):
		points = die
	case w.chance(30):
		points = w.random.IntN(6)
	}
	w.proceed(w.random.IntN(len(w.stopped)), points)
}

// passTime moves the clock: mostly a little, sometimes past the visibility of jobs, seldom past much more.
func (w *world) passTime() {
	d := pick(w, []time.Duration{300 * time.Millisecond, time.Second, time.Second, 2 * time.Second, 5 * time.Second, 31 * time.Second,
		31 * time.Second, 6 * time.Minute})
	w.trace("%v pass", d)
	if err := w.clock.pass(d); err != nil {
		w.t.Fatal(err)
	}
}

// redis goes away, comes back, or forgets.
func (w *world) redis() {
	switch {
	case w.bell.away:
		w.bell.away = false
		w.trace("redis is back")
	case w.chance(50):
		w.bell.away = true
		w.trace("redis goes away")
	default:
		w.bell.tasks = nil
		w.trace("redis forgets everything")
	}
}

// answer changes the answer of the merchants' server.
func (w *world) answer() {
	w.receiver.status = pick(w, []int{200, 200, 200, 500, 429, 302})
	w.trace("the receiver answers %d", w.receiver.status)
}

// again rings a task worked on before, or one from nowhere.
func (w *world) again() {
	j := tasks.Job{Kind: tasks.BroadcastPayout, Ref: uuid.Nil, Attempt: w.random.IntN(4)}
	if len(w.payouts) > 0 {
		j.Ref = pick(w, w.payouts).ID
	}
	w.trace("%s is rung by nobody", w.nameOf(j))
	w.bell.tasks = append(w.bell.tasks, j)
}

// noFalseAlarm asserts: nothing is stopped without a reason.
func (w *world) noFalseAlarm() {
	if !w.undone {
		w.requireNothing("reconciliation cries wolf", "select asset || ': ' || reason from stopped_assets")
		w.requireNothing("reconciliation finds too much",
			"select differences::text from reconcile_reports where differences @> '[{\"surplus\": true}]'")
	}
	w.requireNothing("a hot wallet is stopped", "select network || ': ' || ours || ', ' || chain from stopped_wallets")
}
