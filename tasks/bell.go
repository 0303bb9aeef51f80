package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"

	"causeway/internal/batch/redispipe"
)

// Ringer puts jobs on the queue.
type Ringer interface {
	Ring(ctx context.Context, jobs ...Job) error
}

// Bell rings by Asynq.
type Bell struct {
	Client *asynq.Client
	Redis  redis.Cmdable // for Ping and Waiting
}

// NewBell makes a bell on a Redis.
func NewBell(client redis.UniversalClient) Bell {
	return Bell{Client: asynq.NewClientFromRedisClient(client), Redis: client}
}

// Waiting returns how many tasks wait in each queue, in one round trip. Asynq's Inspector counts much more, for longer. A queue it
// could not measure is missing, and the error says why. In a cluster queues have servers of their own, and a queue is missing too if its
// server takes nothing: Takes tries one server only.
func (b Bell) Waiting() (map[Queue]int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), pingPatience)
	defer cancel()
	asked, pipe := make(map[Queue]*redis.IntCmd, len(Weights)), b.Redis.Pipeline()
	tried, apart := map[Queue]*redis.StatusCmd{}, b.apart()
	for queue := range Weights {
		asked[queue] = pipe.LLen(ctx, "asynq:{"+string(queue)+"}:pending")
		if apart {
			tried[queue] = pipe.Set(ctx, "causeway:bell:{"+string(queue)+"}", "", time.Minute)
		}
	}
	_, _ = pipe.Exec(ctx) // each command has its own error
	waiting, failed := make(map[Queue]int, len(asked)), error(nil)
	for queue, answer := range asked {
		err := answer.Err()
		if err == nil && apart {
			err = tried[queue].Err()
		}
		if err != nil {
			failed = fmt.Errorf("measure queue %s: %w", queue, err)
			continue
		}
		waiting[queue] = int(answer.Val())
	}
	return waiting, failed
}

// apart reports whether queues may be at different servers.
func (b Bell) apart() bool {
	_, cluster := b.Redis.(*redis.ClusterClient)
	return cluster
}

// ringers is how many of many tasks are enqueued at the same time: each is a script, and they travel together.
const ringers = redispipe.AtOnce

// Ring enqueues jobs, those of a kind in lots (Spec). A job already queued is not an error. After a failure some may be queued: the
// relay rings the rest.
func (b Bell) Ring(ctx context.Context, jobs ...Job) error {
	var all errgroup.Group
	all.SetLimit(ringers)
	for _, lot := range lots(jobs) {
		all.Go(func() error { return b.enqueue(ctx, lot) })
	}
	return all.Wait()
}

// lots sorts jobs by kind, in their order, and cuts each kind into tasks.
func lots(jobs []Job) (all [][]Job) {
	open := map[Kind]int{} // the lot still to fill of a kind
	for _, j := range jobs {
		i, ok := open[j.Kind]
		if !ok || len(all[i]) >= Specs[j.Kind].Lot {
			i = len(all)
			all, open[j.Kind] = append(all, nil), i
		}
		all[i] = append(all[i], j)
	}
	return all
}

func (b Bell) enqueue(ctx context.Context, lot []Job) error {
	_, err := b.Client.EnqueueContext(ctx, TaskOf(lot...))
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		return fmt.Errorf("ring %s: %w", lot[0].Kind, err)
	}
	return nil
}

// pingPatience is how long Redis may take to answer, its client's attempts included.
const pingPatience = 5 * time.Second

// Ping is Takes with a limit of pingPatience.
func (b Bell) Ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), pingPatience)
	defer cancel()
	return b.Takes(ctx)
}

// Takes reports whether Redis can be rung. It writes a key with an expiry, because a full Redis (memory or disk), or one turned into
// a replica, still answers a PING and takes no task.
func (b Bell) Takes(ctx context.Context) error {
	return b.Redis.Set(ctx, "causeway:bell", "", time.Minute).Err()
}
