package scheduler

import (
	"context"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/internal/store"
	"causeway/tasks"
)

const (
	// Patience is how long Redis may be away, or a queue not be measured, before a worker process looks for due jobs itself.
	Patience = 10 * time.Second
	// standbyPool is how many jobs are then worked on at once.
	standbyPool = 8
	// standbyPoll is how often Redis, and then the jobs table, is looked at.
	standbyPoll = time.Second
)

// Standby works on due jobs in a worker process while Redis is away: without Redis everything is still done, only not at once. It
// does the same for an unmeasured queue, whose jobs the relay leaves due.
type Standby struct {
	Store *store.Store
	Bell  Bell
	Kinds []tasks.Kind // to work on in this process
	Work  func(ctx context.Context, j tasks.Job) error
	Log   logrus.FieldLogger

	silentSince time.Time                 // zero while Redis answers
	lostSince   map[tasks.Queue]time.Time // of the unmeasured queues
}

// Run watches Redis until ctx ends, and then waits for the jobs it has begun.
func (s *Standby) Run(ctx context.Context) {
	pool := make(chan struct{}, standbyPool)
	defer drain(pool)
	tick := time.NewTicker(standbyPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if kinds := s.needed(time.Now()); len(kinds) > 0 {
			s.workThrough(ctx, pool, kinds)
		}
	}
}

// drain waits until all are back.
func drain(pool chan struct{}) {
	for range cap(pool) {
		pool <- struct{}{}
	}
}

// needed asks Redis, and returns the kinds to work on, after Redis or their queue was away for too long.
func (s *Standby) needed(now time.Time) []tasks.Kind {
	if s.Bell.Ping() == nil {
		s.silentSince = time.Time{}
		return s.unmeasured(now)
	}
	if s.silentSince.IsZero() {
		s.silentSince = now
	}
	if now.Sub(s.silentSince) < Patience {
		return nil
	}
	return s.Kinds
}

// unmeasured returns the kinds with a queue unmeasured for too long, when Redis answers.
func (s *Standby) unmeasured(now time.Time) (kinds []tasks.Kind) {
	waiting, _ := s.Bell.Waiting() // why, the relay has logged
	lost := map[tasks.Queue]time.Time{}
	for queue := range tasks.Weights {
		if _, measured := waiting[queue]; measured {
			continue
		}
		if lost[queue] = now; !s.lostSince[queue].IsZero() {
			lost[queue] = s.lostSince[queue]
		}
	}
	s.lostSince = lost
	for _, k := range s.Kinds {
		if since, is := lost[tasks.Specs[k].Queue]; is && now.Sub(since) >= Patience {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// workThrough begins everything of these kinds due now, as places of the pool become free. It does not wait for the last to end: a
// long job, such as a follower with more to read, keeps its place and no other.
func (s *Standby) workThrough(ctx context.Context, pool chan struct{}, of []tasks.Kind) {
	kinds := make([]string, len(of))
	for i, k := range of {
		kinds[i] = string(k)
	}
	for {
		places := take(pool)
		due, err := takeDue(ctx, s.Store, kinds, places)
		if err != nil {
			s.Log.WithError(err).Warn("could not look for due jobs while Redis is away")
		}
		for _, j := range jobsOf(due) {
			go func() {
				defer func() { <-pool }()
				s.one(ctx, j)
			}()
		}
		for range places - len(due) {
			<-pool
		}
		if len(due) < places {
			return
		}
	}
}

// take waits for a place and takes all free ones.
func take(pool chan struct{}) int {
	pool <- struct{}{}
	for places := 1; ; places++ {
		select {
		case pool <- struct{}{}:
		default:
			return places
		}
	}
}

// one works on a job to its end. Run waits for it.
func (s *Standby) one(ctx context.Context, j tasks.Job) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tasks.Specs[j.Kind].Timeout)
	defer cancel()
	if err := s.Work(ctx, j); err != nil {
		s.Log.WithError(err).WithField("job", j.Kind).Warn("a job failed while Redis is away")
	}
}
