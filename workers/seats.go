package workers

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"causeway/tasks"
)

// seats bound how many jobs of each queue are worked on at the same time, whichever tasks brought them.
type seats struct {
	most int // of each queue

	mu   sync.Mutex
	each map[tasks.Queue]*semaphore.Weighted
}

func (s *seats) of(queue tasks.Queue) *semaphore.Weighted {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.each == nil {
		s.each = map[tasks.Queue]*semaphore.Weighted{}
	}
	if s.each[queue] == nil {
		s.each[queue] = semaphore.NewWeighted(int64(s.most))
	}
	return s.each[queue]
}

// do works on the jobs of one task at the same time, each as soon as it has a seat, and gives back those not begun: running has
// ended, or the relay has rung them again after a long wait. They do not wait for the others to end.
func (s *seats) do(ctx, running context.Context, jobs []tasks.Job, work func(context.Context, tasks.Job) error, giveBack func([]tasks.Job)) error {
	spec := tasks.Specs[jobs[0].Kind]
	seat := s.of(spec.Queue)
	waiting, cancel := context.WithTimeout(running, tasks.Visibility)
	defer cancel()
	var all errgroup.Group
	for i, j := range jobs {
		if seat.Acquire(waiting, 1) != nil {
			giveBack(jobs[i:])
			break
		}
		all.Go(func() error {
			defer seat.Release(1)
			ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
			defer cancel()
			return work(ctx, j)
		})
	}
	return all.Wait()
}
