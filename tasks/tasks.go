// Package tasks names the work: one kind per job with its queue and time limit, how it is written on an Asynq task, and
// how it is rung. The job row in Postgres is the truth; the task is only the bell (docs/architecture.md).
package tasks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// Visibility is how long a taken job is left alone before the relay rings it again. Every Timeout is below it.
const Visibility = 30 * time.Second

// RingDelay is the first run_at of a new job: the direct ring wins the race against the relay.
const RingDelay = time.Second

// Queue names an Asynq queue; only workers that serve Signing load private keys (operator §Roles).
type Queue string

// The queues.
const (
	Signing  Queue = "signing"  // sign and broadcast payouts
	Chain    Queue = "chain"    // follow networks: detect, credit, confirm, undo
	Webhooks Queue = "webhooks" // deliver
	Upkeep   Queue = "upkeep"   // periodic jobs
)

// Weights lists every queue with its share of a worker that serves them all.
var Weights = map[Queue]int{Signing: 4, Chain: 4, Webhooks: 3, Upkeep: 1}

// Kind is the type of a task and of its job row.
type Kind string

// The kinds of work.
const (
	BroadcastPayout Kind = "payout.broadcast"     // ref: payout
	FollowNetwork   Kind = "network.follow"       // ref: RefOf(network)
	DeliverWebhook  Kind = "webhook.deliver"      // ref: delivery
	ExpirePayins    Kind = "payins.expire"        // periodic
	RevokeWallets   Kind = "fixed-wallets.revoke" // periodic
	RefreshPrices   Kind = "prices.refresh"       // periodic
	Reconcile       Kind = "reconcile"            // periodic
	Cleanup         Kind = "cleanup"              // periodic
	CheckWallets    Kind = "wallets.check"        // periodic
)

// Spec is what holds for a kind of work.
type Spec struct {
	Queue   Queue
	Timeout time.Duration
	Every   time.Duration // of a periodic job; zero for work that ends
}

// Specs is the table of all work.
var Specs = map[Kind]Spec{
	BroadcastPayout: {Queue: Signing, Timeout: 25 * time.Second},
	FollowNetwork:   {Queue: Chain, Timeout: 25 * time.Second},
	DeliverWebhook:  {Queue: Webhooks, Timeout: 20 * time.Second},
	ExpirePayins:    {Queue: Upkeep, Timeout: 25 * time.Second, Every: time.Second},
	CheckWallets:    {Queue: Signing, Timeout: 25 * time.Second, Every: time.Minute},
	RevokeWallets:   {Queue: Upkeep, Timeout: 25 * time.Second, Every: 24 * time.Hour},
	RefreshPrices:   {Queue: Upkeep, Timeout: 25 * time.Second, Every: time.Minute},
	Reconcile:       {Queue: Upkeep, Timeout: 25 * time.Second, Every: 30 * time.Second},
	Cleanup:         {Queue: Upkeep, Timeout: 25 * time.Second, Every: 5 * time.Second},
}

// space is the name space of refs that are made from a name.
var space = uuid.MustParse("6f1c3a52-6f0e-4f0e-9d5b-6a1f6b3d2c11")

// RefOf answers the fixed ref of a job that belongs to a name (a network, a periodic job) instead of a row.
func RefOf(name string) uuid.UUID { return uuid.NewSHA1(space, []byte(name)) }

// Job is a due row: one attempt at one piece of work. Attempt is a fencing token: a handler whose attempt is no longer
// the row's must do nothing.
type Job struct {
	Kind    Kind
	Ref     uuid.UUID
	Attempt int
}

// ID is the Asynq task id: the same attempt is never queued twice.
func (j Job) ID() string {
	return string(j.Kind) + ":" + j.Ref.String() + ":" + strconv.Itoa(j.Attempt)
}

// Task writes the job as an Asynq task. Retries, deadlines and dead letters live in the jobs table, so Asynq keeps none.
func (j Job) Task() *asynq.Task {
	spec := Specs[j.Kind]
	return asynq.NewTask(string(j.Kind), []byte(j.Ref.String()+":"+strconv.Itoa(j.Attempt)),
		asynq.TaskID(j.ID()), asynq.Queue(string(spec.Queue)), asynq.MaxRetry(0), asynq.Timeout(spec.Timeout))
}

// ParseJob reads the job back from a task.
func ParseJob(t *asynq.Task) (Job, error) {
	ref, attempt, ok := strings.Cut(string(t.Payload()), ":")
	id, err := uuid.Parse(ref)
	n, err2 := strconv.Atoi(attempt)
	if !ok || err != nil || err2 != nil {
		return Job{}, fmt.Errorf("task %s carries %q: %w", t.Type(), t.Payload(), asynq.SkipRetry)
	}
	return Job{Kind: Kind(t.Type()), Ref: id, Attempt: n}, nil
}

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

// Waiting answers how many tasks wait in a queue.
func (b Bell) Waiting(queue Queue) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), pingPatience)
	defer cancel()
	n, err := b.Redis.LLen(ctx, "asynq:{"+string(queue)+"}:pending").Result() // its Inspector counts much more, for longer
	if err != nil {
		return 0, fmt.Errorf("look at queue %s: %w", queue, err)
	}
	return int(n), nil
}

// ringers is how many of many jobs are enqueued at the same time: each is a script, and they travel together.
const ringers = redisAtOnce

// Ring enqueues each job; one that is queued already is no error. The first failure ends it: the relay rings the rest.
func (b Bell) Ring(ctx context.Context, jobs ...Job) error {
	each := (len(jobs) + ringers - 1) / ringers
	var all errgroup.Group
	for part := range slices.Chunk(jobs, max(each, 1)) {
		all.Go(func() error { return b.ringInTurn(ctx, part) })
	}
	return all.Wait()
}

func (b Bell) ringInTurn(ctx context.Context, jobs []Job) error {
	for _, j := range jobs {
		_, err := b.Client.EnqueueContext(ctx, j.Task())
		if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
			return fmt.Errorf("ring %s: %w", j.Kind, err)
		}
	}
	return nil
}

// pingPatience is how long Redis may take to answer, its client's attempts included.
const pingPatience = 5 * time.Second

// Ping tells whether Redis can be rung: it writes a key that goes away by itself, because a Redis whose memory or disk is
// full, or that has become a replica, still answers a PING and takes no task.
func (b Bell) Ping() error {
	ctx, cancel := context.WithTimeout(context.Background(), pingPatience)
	defer cancel()
	return b.Redis.Set(ctx, "causeway:bell", "", time.Minute).Err()
}
