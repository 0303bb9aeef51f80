package tasks

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

const (
	redisLanes  = 2  // commands or groups of them on their way at the same time
	redisAtOnce = 64 // commands in one group
)

// Together has GETs and scripts that come while others are on their way to Redis travel together, in one write and one
// read. A lone one travels as ever. Those of a group end by the client's own time limits, not by their contexts'. All other
// commands are left alone: among them those that greet Redis on a new connection, for which a command on its way waits.
func Together(client redis.UniversalClient) {
	client.AddHook(&traffic{client: client})
}

// traffic is a redis.Hook.
type traffic struct {
	client  redis.UniversalClient
	mu      sync.Mutex
	waiting []*waiting
	running int
}

type waiting struct {
	command redis.Cmder
	done    chan struct{}
}

// DialHook implements redis.Hook.
func (t *traffic) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (t *traffic) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook implements redis.Hook.
func (t *traffic) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		if name := command.Name(); name != "evalsha" && name != "get" {
			return next(ctx, command)
		}
		if w := t.queue(command); w != nil {
			<-w.done
			return command.Err()
		}
		defer t.leave() //nolint:contextcheck // a group is of many
		return next(ctx, command)
	}
}

// queue puts a command among those that wait, or answers nil when a lane is free for it.
func (t *traffic) queue(command redis.Cmder) *waiting {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.running < redisLanes {
		t.running++
		return nil
	}
	w := &waiting{command, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	return w
}

// leave frees the lane, or hands it to what waits.
func (t *traffic) leave() {
	if group := t.next(); group != nil {
		go func() {
			for ; group != nil; group = t.next() {
				t.send(group)
			}
		}()
	}
}

// next answers the next group, or frees the lane.
func (t *traffic) next() []*waiting {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := min(len(t.waiting), redisAtOnce)
	if n == 0 {
		t.running, t.waiting = t.running-1, nil
		return nil
	}
	group := t.waiting[:n:n]
	t.waiting = t.waiting[n:]
	return group
}

func (t *traffic) send(group []*waiting) {
	ctx, pipe := context.Background(), t.client.Pipeline()
	for _, w := range group {
		_ = pipe.Process(ctx, w.command)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for _, w := range group {
		close(w.done)
	}
}
