// Package tasks names the work: one kind per job with its queue and time limit, how it is written on an Asynq task, and
// how it is rung. The job row in Postgres is the truth; the task is only the bell (docs/architecture.md).
package tasks

import (
	"time"

	"github.com/google/uuid"
)

// Visibility is how long a taken job is left alone before the relay rings it again. Every Timeout is below it.
const Visibility = 30 * time.Second

// RingDelay is the first run_at of a new job: the direct ring wins the race against the relay.
const RingDelay = time.Second

// Queue names an Asynq queue; only workers serving Signing load private keys (operator §Roles).
type Queue string

// The queues.
const (
	Signing  Queue = "signing"  // sign and broadcast payouts
	Chain    Queue = "chain"    // follow networks: detect, credit, confirm, undo
	Webhooks Queue = "webhooks" // deliver, and send messages to people
	Upkeep   Queue = "upkeep"   // periodic jobs
)

// Queues lists every queue, in the order of names and tables.
var Queues = []Queue{Signing, Chain, Webhooks, Upkeep}

// QueueNames are the names of Queues.
func QueueNames() []string {
	names := make([]string, len(Queues))
	for i, q := range Queues {
		names[i] = string(q)
	}
	return names
}

// Weights are the share of each queue in a worker serving all of them.
var Weights = map[Queue]int{Signing: 4, Chain: 4, Webhooks: 3, Upkeep: 1}

// Kind is the type of a task and of its job row.
type Kind string

// The kinds of work.
const (
	BroadcastPayout Kind = "payout.broadcast"     // ref: payout
	MoveTreasury    Kind = "treasury.move"        // ref: move
	FollowNetwork   Kind = "network.follow"       // ref: RefOf(network)
	DeliverWebhook  Kind = "webhook.deliver"      // ref: delivery
	SendMessage     Kind = "message.send"         // ref: message
	ExpirePayins    Kind = "payins.expire"        // periodic
	RevokeWallets   Kind = "fixed-wallets.revoke" // periodic
	RefreshPrices   Kind = "prices.refresh"       // periodic
	Reconcile       Kind = "reconcile"            // periodic
	Cleanup         Kind = "cleanup"              // periodic
	CheckWallets    Kind = "wallets.check"        // periodic
	PlanTreasury    Kind = "treasury.plan"        // periodic
	WatchConditions Kind = "conditions.watch"     // periodic
)

// Spec describes a kind of work.
type Spec struct {
	Queue   Queue
	Timeout time.Duration
	Every   time.Duration // of a periodic job; zero for work with an end
	Lot     int           // jobs in one task when they are rung together; zero is one
}

// Specs is the table of all work. Kinds with many short jobs travel in lots: the cost of a task in Asynq and Redis is as high as the
// work's. Payouts come in groups, and are signed in groups. A step of a follower may be long, so fewer of them bind themselves to
// one process.
var Specs = map[Kind]Spec{
	BroadcastPayout: {Queue: Signing, Timeout: 25 * time.Second, Lot: 32},
	MoveTreasury:    {Queue: Signing, Timeout: 25 * time.Second, Lot: 8},
	FollowNetwork:   {Queue: Chain, Timeout: 25 * time.Second, Lot: 4},
	DeliverWebhook:  {Queue: Webhooks, Timeout: 20 * time.Second, Lot: 16},
	SendMessage:     {Queue: Webhooks, Timeout: 25 * time.Second},
	ExpirePayins:    {Queue: Upkeep, Timeout: 25 * time.Second, Every: time.Second},
	CheckWallets:    {Queue: Signing, Timeout: 25 * time.Second, Every: time.Minute},
	PlanTreasury:    {Queue: Upkeep, Timeout: 25 * time.Second, Every: time.Minute},
	RevokeWallets:   {Queue: Upkeep, Timeout: 25 * time.Second, Every: 24 * time.Hour},
	RefreshPrices:   {Queue: Upkeep, Timeout: 25 * time.Second, Every: time.Minute},
	WatchConditions: {Queue: Upkeep, Timeout: 25 * time.Second, Every: time.Minute},
	Reconcile:       {Queue: Upkeep, Timeout: 25 * time.Second, Every: 30 * time.Second},
	Cleanup:         {Queue: Upkeep, Timeout: 25 * time.Second, Every: 5 * time.Second},
}

// space is the name space of refs made from a name.
var space = uuid.MustParse("6f1c3a52-6f0e-4f0e-9d5b-6a1f6b3d2c11")

// RefOf returns the fixed ref of a job of a name (a network, a periodic job) instead of a row.
func RefOf(name string) uuid.UUID { return uuid.NewSHA1(space, []byte(name)) }

// Job is a due row: one attempt at one piece of work. Attempt is a fencing token: a handler must do nothing once the row has another
// attempt.
type Job struct {
	Kind    Kind
	Ref     uuid.UUID
	Attempt int
}
