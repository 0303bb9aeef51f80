// Package redispipe sends simultaneous Redis commands in one write.
package redispipe

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"causeway/internal/batch/gather"
)

// AtOnce is how many commands go in one write at most.
const AtOnce = 64

const patience = 5 * time.Millisecond // with a pipeline, before a second one goes out beside it

// Attach makes a client send GETs and scripts as one pipeline, if they arrive while others are on their way to Redis: one write
// and one read. A second pipeline goes out beside the first when the first takes longer than patience: with two at all times,
// each has half as many commands. A lone command is sent as usual. Commands of a pipeline end by the client's own time limits,
// not by their contexts'; a panic fails all of them. Other commands are left alone. Some of them open a connection, and a
// command on its way waits for that.
func Attach(client redis.UniversalClient) {
	t := &pipeliner{client: client}
	t.lanes = gather.New(gather.Rules[*pipelined]{
		Take: gather.UpTo[*pipelined](AtOnce), Work: t.send, Failed: arrived,
		Beside: &gather.Beside[*pipelined]{Lanes: 1, Patience: patience},
	})
	client.AddHook(t)
}

// pipeliner is a redis.Hook.
type pipeliner struct {
	client redis.UniversalClient
	lanes  *gather.Lanes[*pipelined]
}

// pipelined is one command, waiting or on its way.
type pipelined struct {
	command redis.Cmder
	alone   func() error // sends it by itself
	err     error
	done    chan struct{}
}

// DialHook implements redis.Hook.
func (t *pipeliner) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (t *pipeliner) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// ProcessHook implements redis.Hook.
func (t *pipeliner) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		if name := command.Name(); name != "evalsha" && name != "get" {
			return next(ctx, command)
		}
		one := &pipelined{command: command, alone: func() error { return next(ctx, command) }, done: make(chan struct{})}
		if !t.lanes.Here(one) {
			t.lanes.Add(one)
		}
		<-one.done
		return one.err
	}
}

func (t *pipeliner) send(group []*pipelined) {
	if len(group) == 1 {
		group[0].err = group[0].alone()
	} else {
		t.sendPipeline(group)
	}
	arrived(group, nil)
}

func (t *pipeliner) sendPipeline(group []*pipelined) {
	ctx, pipe := context.Background(), t.client.Pipeline()
	for _, one := range group {
		_ = pipe.Process(ctx, one.command)
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	for _, one := range group {
		one.err = one.command.Err()
	}
}

// arrived ends a group; after a panic, err is the error of all its commands.
func arrived(group []*pipelined, err error) {
	for _, one := range group {
		if err != nil {
			one.err = err
		}
		close(one.done)
	}
}
