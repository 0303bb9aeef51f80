package api

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"causeway/internal/batch/gather"
	"causeway/tasks"
)

const (
	bellRoom    = 4096 // jobs waiting to be rung; the relay rings the rest
	bellChunk   = 64
	bellLimit   = time.Second
	bellRest    = time.Second // after a failure nothing is rung for so long
	bellWarning = time.Minute // and at most one warning is written
)

// bell rings committed payouts in the background. It never makes anybody wait and may drop jobs: the relay rings
// whatever is still due a second later (docs/architecture.md §The flow).
type bell struct {
	ringer tasks.Ringer
	warn   func(error) // may be nil
	lanes  *gather.Lanes[tasks.Job]

	mu      sync.Mutex
	resting time.Time // until then
	warned  time.Time
}

func newBell(ringer tasks.Ringer, warn func(error)) *bell {
	b := &bell{ringer: ringer, warn: warn}
	b.lanes = gather.New(gather.Rules[tasks.Job]{
		Take: gather.UpTo[tasks.Job](bellChunk), Work: b.work, Failed: func(_ []tasks.Job, err error) { b.rest(err) },
	})
	return b
}

func (b *bell) ring(payouts []uuid.UUID) {
	if waiting, _ := b.lanes.Waiting(); b.ringer == nil || waiting+len(payouts) > bellRoom || b.rests() {
		return
	}
	jobs := make([]tasks.Job, len(payouts))
	for i, id := range payouts {
		jobs[i] = tasks.Job{Kind: tasks.BroadcastPayout, Ref: id}
	}
	b.lanes.Add(jobs...)
}

// work rings a group, or drops it while the bell rests.
func (b *bell) work(jobs []tasks.Job) {
	if b.rests() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), bellLimit)
	defer cancel()
	if err := b.ringer.Ring(ctx, jobs...); err != nil {
		b.rest(err)
	}
}

func (b *bell) rests() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Before(b.resting)
}

// rest keeps quiet for a while; waiting jobs are dropped.
func (b *bell) rest(err error) {
	b.mu.Lock()
	now := time.Now()
	b.resting = now.Add(bellRest)
	first := now.Sub(b.warned) >= bellWarning
	if first {
		b.warned = now
	}
	b.mu.Unlock()
	if first && b.warn != nil {
		b.warn(err)
	}
}
