package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"causeway/tasks"
)

// queues reads the sizes of the Asynq queues. The inspector knows no contexts and may hang as long as Redis does. So one listing at
// a time is made, and nobody waits for it longer than patience.
type queues struct {
	redis     redis.UniversalClient
	inspector *asynq.Inspector
	listing   sync.Mutex
}

func newQueues(opt asynq.RedisConnOpt) *queues {
	client := opt.MakeRedisClient().(redis.UniversalClient) //nolint:forcetypeassert // so it does for every option (asynq)
	return &queues{redis: client, inspector: asynq.NewInspectorFromRedisClient(client)}
}

// announce puts the names of our queues where Asynq looks for them. Asynq's clients do so once in their life, and an empty Redis in
// the place of the former one has forgotten it. A Redis refusing writes still tells of the queues it knows.
func (q *queues) announce(ctx context.Context) {
	_ = q.redis.SAdd(ctx, "asynq:queues", tasks.QueueNames()).Err()
}

var errListing = errors.New("the last listing of the queues has not come back")

// list returns every queue in its order. A queue never used is empty.
func (q *queues) list(ctx context.Context) ([]*asynq.QueueInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var infos []*asynq.QueueInfo
	err := within(ctx, func() error {
		if !q.listing.TryLock() {
			return errListing
		}
		defer q.listing.Unlock()
		q.announce(ctx)
		found, err := q.read()
		infos = found
		return err
	})
	if err != nil {
		return nil, err
	}
	return infos, nil
}

func (q *queues) read() ([]*asynq.QueueInfo, error) {
	known, err := q.inspector.Queues()
	if err != nil {
		return nil, fmt.Errorf("list the queues: %w", err)
	}
	var out []*asynq.QueueInfo
	for _, name := range tasks.QueueNames() {
		info := &asynq.QueueInfo{Queue: name}
		if slices.Contains(known, name) {
			if info, err = q.inspector.GetQueueInfo(name); err != nil {
				return nil, fmt.Errorf("read queue %s: %w", name, err)
			}
		}
		out = append(out, info)
	}
	return out, nil
}
