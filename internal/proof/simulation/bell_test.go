package simulation

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"causeway/tasks"
)

// bell is Redis with Asynq: it carries tasks, may be away, and forgets everything when it is flushed.
type bell struct {
	away  bool
	tasks []tasks.Job
}

var errAway = errors.New("redis is away")

// Ring implements tasks.Ringer: an id already waiting is no error. A ring has a point on both sides.
func (b *bell) Ring(ctx context.Context, jobs ...tasks.Job) error {
	if len(jobs) == 0 {
		return nil
	}
	f := fiberIn(ctx)
	if f != nil {
		if err := f.point(ctx, "ring before", true); err != nil {
			return err
		}
	}
	if b.away {
		return errAway
	}
	jobs = slices.Clone(jobs)
	slices.SortFunc(jobs, func(x, y tasks.Job) int { return cmp.Compare(x.ID(), y.ID()) }) // the database answers in any order
	for _, j := range jobs {
		if !slices.Contains(b.tasks, j) {
			b.tasks = append(b.tasks, j)
		}
	}
	if f == nil {
		return nil
	}
	return f.point(ctx, "ring after", true)
}

// Ping implements scheduler.Bell.
func (b *bell) Ping() error {
	if b.away {
		return errAway
	}
	return nil
}

// Waiting implements scheduler.Bell; this Redis is never full.
func (b *bell) Waiting() (map[tasks.Queue]int, error) {
	if b.away {
		return nil, errAway
	}
	return map[tasks.Queue]int{tasks.Signing: 0, tasks.Chain: 0, tasks.Webhooks: 0, tasks.Upkeep: 0}, nil
}

// take takes a task off the queue.
func (b *bell) take(i int) tasks.Job {
	j := b.tasks[i]
	b.tasks = slices.Delete(b.tasks, i, i+1)
	return j
}
