package workers

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"causeway/gather"
	"causeway/tasks"
)

const atOnce = 64 // jobs of a queue, unless Workers says otherwise

// rooms bound how many jobs of each queue are worked on at the same time, whichever tasks brought them.
type rooms struct {
	most int // 64 when zero

	mu   sync.Mutex
	each map[tasks.Queue]*semaphore.Weighted
}

func (r *rooms) of(queue tasks.Queue) *semaphore.Weighted {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.each == nil {
		r.each = map[tasks.Queue]*semaphore.Weighted{}
	}
	if r.each[queue] == nil {
		r.each[queue] = semaphore.NewWeighted(int64(cmp.Or(r.most, atOnce)))
	}
	return r.each[queue]
}

// do works on the jobs of one task at the same time, as far as there is room. What finds none in time is left to the relay.
// A panic fails its own job, and then the task.
func (r *rooms) do(ctx context.Context, jobs []tasks.Job, work func(context.Context, tasks.Job) error) error {
	spec := tasks.Specs[jobs[0].Kind]
	room := r.of(spec.Queue)
	patient, cancel := context.WithTimeout(ctx, tasks.Patience)
	defer cancel()
	var all errgroup.Group
	for _, j := range jobs {
		if room.Acquire(patient, 1) != nil {
			break
		}
		all.Go(func() (err error) {
			defer room.Release(1)
			ctx, cancel := context.WithTimeout(ctx, spec.Timeout)
			defer cancel()
			if panicked := gather.Calmly(func() { err = work(ctx, j) }); panicked != nil {
				return panicked
			}
			return err
		})
	}
	return all.Wait()
}
