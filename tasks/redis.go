package tasks

import (
	"context"

	"github.com/redis/go-redis/v9"

	"causeway/gather"
)

const (
	redisLanes  = 2  // commands or groups of them on their way at the same time
	redisAtOnce = 64 // commands in one group
)

// Together has GETs and scripts that come while others are on their way to Redis travel together, in one write and one
// read. A lone one travels as ever. Those of a group end by the client's own time limits, not by their contexts'; a panic
// fails those of its group. All other commands are left alone: among them those that greet Redis on a new connection, for
// which a command on its way waits.
func Together(client redis.UniversalClient) {
	t := &traffic{client: client}
	t.lanes.Most, t.lanes.Take = redisLanes, gather.UpTo[*traveller](redisAtOnce)
	t.lanes.Work, t.lanes.Failed = t.send, arrived
	client.AddHook(t)
}

// traffic is a redis.Hook.
type traffic struct {
	client redis.UniversalClient
	lanes  gather.Lanes[*traveller]
}

// traveller is one command on its way.
type traveller struct {
	command redis.Cmder
	alone   func() error // sends it by itself
	err     error
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
		one := &traveller{command: command, alone: func() error { return next(ctx, command) }, done: make(chan struct{})}
		if !t.lanes.Here(one) {
			t.lanes.Add(one)
		}
		<-one.done
		return one.err
	}
}

func (t *traffic) send(group []*traveller) {
	if len(group) == 1 {
		group[0].err = group[0].alone()
	} else {
		t.sendTogether(group)
	}
	arrived(group, nil)
}

func (t *traffic) sendTogether(group []*traveller) {
	ctx, pipe := context.Background(), t.client.Pipeline()
	for _, one := range group {
		_ = pipe.Process(ctx, one.command)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for _, one := range group {
		one.err = one.command.Err()
	}
}

// arrived ends a group; err stands for what became of it after a panic.
func arrived(group []*traveller, err error) {
	for _, one := range group {
		if err != nil {
			one.err = err
		}
		close(one.done)
	}
}
