package workers

import (
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"causeway/tasks"
)

// places bound how many jobs of each queue are worked on at the same time, whichever tasks brought them.
type places struct {
	most int // of each queue

	mu   sync.Mutex
	each map[tasks.Queue]*semaphore.Weighted
}

func (p *places) of(queue tasks.Queue) *semaphore.Weighted {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.each == nil {
		p.each = map[tasks.Queue]*semaphore.Weighted{}
	}
	if p.each[queue] == nil {
		p.each[queue] = semaphore.NewWeighted(int64(p.most))
	}
	return p.each[queue]
}

// do works on the jobs of one task at the same time, each as soon as it has a place, and gives back those that have not begun:
// because running has ended, or because they waited so long that the relay has rung them again. They do not wait for the others
// to end.
func (p *places) do(ctx, running context.Context, jobs []tasks.Job, work func(context.Context, tasks.Job) error, giveBack func([]tasks.Job)) error {
	spec := tasks.Specs[jobs[0].Kind]
	place := p.of(spec.Queue)
	waiting, cancel := context.WithTimeout(running, tasks.Visibility)
	defer cancel()
	var all errgroup.Group
	for i, j := range jobs {
		if place.Acquire(waiting, 1) != nil {
			giveBack(jobs[i:])
			break
		}
		all.Go(func() error {
			defer place.Release(1)
			ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
			defer cancel()
			return work(ctx, j)
		})
	}
	return all.Wait()
}
