// Package scheduler turns due rows into tasks. The relay is dispatcher and sweeper at once: whatever was not rung, was
// lost with Redis or died with its worker is due again in the jobs table, and is rung again.
package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/internal/store"
	"causeway/tasks"
)

// Bell rings jobs and reports whether it can.
type Bell interface {
	tasks.Ringer
	Ping() error
	Waiting() (map[tasks.Queue]int, error) // of the queues it can measure
}

// interval is how often the relay looks for due jobs, and soon how often while a queue is full.
const (
	interval = 200 * time.Millisecond
	soon     = 25 * time.Millisecond
)

// takeWithin bounds the query for due jobs. A stop of the process does not cut it short: were it committed and its answer not read,
// the jobs would lie idle until their visibility is over.
const takeWithin = 20 * time.Second

// ringWithin bounds the ringing of taken jobs, also when the process is told to stop: nobody else comes back to them before their
// visibility is over.
const ringWithin = 5 * time.Second

// Full is how many tasks, of up to 32 jobs each, may wait in a queue before its jobs are left due. A job rung directly, after its
// commit, stands in the same line: it must not wait behind everything due at once, nor may a queue served by nobody fill Redis with
// attempts. RingDue takes at most twice as many jobs: four lots of payouts.
const Full = 64

// Relay rings due jobs. Any number may run; each due job is taken by one of them.
type Relay struct {
	Store *store.Store
	Bell  Bell
	Log   logrus.FieldLogger
	Full  int // tasks allowed to wait in a queue; the constant when zero

	said   outage        // in the log
	silent bool          // the last ring failed, or no queue could be measured
	blind  bool          // some queue could not be measured
	rest   time.Duration // until jobs are taken again
	shut   int           // kinds with a full queue
	taken  time.Time     // when jobs were last asked for
}

// Run looks for due jobs until ctx ends.
func (r *Relay) Run(ctx context.Context) {
	for ctx.Err() == nil {
		r.look(ctx, time.Now())
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.rest):
		}
	}
}

// look rings due jobs, and logs why it cannot.
func (r *Relay) look(ctx context.Context, now time.Time) {
	if _, err := r.RingDue(ctx); ctx.Err() == nil {
		r.tell(err, now)
	}
}

// RingDue takes due jobs, as far as there is room for them, rings them, and returns how many they were. While the bell is silent it
// takes nothing: due jobs stay due, for the bell or for a Standby.
func (r *Relay) RingDue(ctx context.Context) (int, error) {
	r.rest = interval
	if r.mute() {
		return 0, nil
	}
	open, room, err := r.room()
	if err != nil {
		return 0, err
	}
	if !r.mayAsk(len(tasks.Specs)-len(open)) || len(open) == 0 {
		return 0, nil
	}
	due, err := takeDue(ctx, r.Store, open, room)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errUnread, err)
	}
	if len(due) == 0 {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ringWithin)
	defer cancel()
	if err := r.Bell.Ring(ctx, jobsOf(due)...); err != nil {
		r.silent, r.rest = true, interval
		return len(due), err
	}
	if len(due) == room {
		r.rest = 0
	}
	return len(due), nil
}

// takeDue takes nothing when ctx has ended, and otherwise takes due jobs to the end, whatever becomes of ctx meanwhile.
func takeDue(ctx context.Context, s *store.Store, kinds []string, most int) ([]store.DueJob, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeWithin)
	defer cancel()
	return s.TakeDue(ctx, kinds, most, tasks.Visibility)
}

// mute reports whether the bell was silent and still is.
func (r *Relay) mute() bool {
	r.silent = r.silent && r.Bell.Ping() != nil
	return r.silent
}

// mayAsk reports whether to ask for jobs now. While queues are full, the relay measures them often and asks the database no more
// than usual, since the database must pass over the jobs waiting for them. It asks at once when a queue has room again.
func (r *Relay) mayAsk(shut int) bool {
	before := r.shut
	if r.shut = shut; shut > 0 {
		r.rest = soon
	}
	if shut > 0 && shut >= before && time.Since(r.taken) < interval {
		return false
	}
	r.taken = time.Now()
	return true
}

// room returns the kinds whose queue is not full, and how many jobs of all of them may be taken at once. An unmeasured queue
// counts as full: its jobs stay due and lose time, while jobs rung without measure could fill Redis. When no queue can be measured
// the bell is silent.
func (r *Relay) room() (open []string, jobs int, err error) {
	most := cmp.Or(r.Full, Full)
	waiting, err := r.Bell.Waiting()
	if len(waiting) == 0 {
		r.silent = true
		return nil, 0, err
	}
	if err != nil && !r.blind {
		r.Log.WithError(err).Warn("jobs of a queue that cannot be measured are not rung")
	}
	r.blind = err != nil
	for kind, spec := range tasks.Specs {
		if n, measured := waiting[spec.Queue]; measured && n < most {
			open = append(open, string(kind))
		}
	}
	return open, 2 * most, nil
}

func jobsOf(due []store.DueJob) []tasks.Job {
	jobs := make([]tasks.Job, len(due))
	for i, d := range due {
		jobs[i] = tasks.Job{Kind: tasks.Kind(d.Kind), Ref: d.Ref, Attempt: d.Attempt}
	}
	return jobs
}
