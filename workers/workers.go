// Package workers takes jobs and does their work. Each line of work is a package below it; each re-reads the row, acts, and records the
// outcome in one transaction that also finishes or reschedules the job. Every handler is safe when it runs twice, at once, or is killed
// anywhere.
//
// Where things are: New is the table of kinds, and seats.go bounds how many jobs are worked on at once.
//
//   - payouts: sign, send and replace the transactions of payouts
//   - follow: arrivals, the fate of our transactions, reorganisations
//   - treasury: moves between our own addresses
//   - deliver: webhooks
//   - tell: messages to people
//   - upkeep: the periodic work
//   - reconcile: the ledger against itself and the networks
//   - settlement, guard, desk, catalogue, notices: shared by them
package workers

import (
	"context"
	"errors"
	"time"

	"github.com/hibiken/asynq"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/deliver"
	"causeway/workers/desk"
	"causeway/workers/follow"
	"causeway/workers/guard"
	"causeway/workers/payouts"
	"causeway/workers/reconcile"
	"causeway/workers/tell"
	"causeway/workers/treasury"
	"causeway/workers/upkeep"
)

// Options are the parts of the lines of work. Networks without a Sender cannot sign here: only the signing queue has one.
type Options struct {
	Store    *store.Store
	Networks *chains.Registry
	Bell     tasks.Ringer
	Secrets  *vault.Vault
	Seals    *vault.Sealer // checks payouts to be signed; nil in a process without SEAL_KEY
	Webhooks *webhooks.Client
	Log      logrus.FieldLogger
	Follow   follow.Pace
	Prices   []upkeep.PriceSource
	Mail     tell.Mailer // nil = no message is sent
	Base     string      // PUBLIC_BASE_URL
	Console  string      // CONSOLE_BASE_URL

	LookFor      time.Duration // of reconcile.Worker
	WebhooksKept int           // of upkeep.Worker
	EmailsKept   int           // of upkeep.Worker
}

// Workers takes jobs and gives each to the line of work of its kind.
type Workers struct {
	*desk.Desk
	Guard     *guard.Guard
	Payouts   *payouts.Worker
	Follow    *follow.Worker
	Deliver   *deliver.Worker
	Tell      *tell.Worker
	Treasury  *treasury.Worker
	Upkeep    *upkeep.Worker
	Reconcile *reconcile.Worker

	handlers map[tasks.Kind]handler
}

// New makes the lines of work of a process.
func New(o Options) *Workers {
	d := &desk.Desk{Store: o.Store, Networks: o.Networks, Bell: o.Bell, Log: o.Log}
	cat, g := new(catalogue.Catalogue), &guard.Guard{Desk: d, Seals: o.Seals}
	w := &Workers{
		Desk:      d,
		Guard:     g,
		Payouts:   &payouts.Worker{Desk: d, Guard: g, Catalogue: cat},
		Deliver:   &deliver.Worker{Desk: d, Secrets: o.Secrets, Webhooks: o.Webhooks},
		Tell:      &tell.Worker{Desk: d, Secrets: o.Secrets, Mail: o.Mail, Base: o.Base, Console: o.Console},
		Treasury:  &treasury.Worker{Desk: d, Guard: g, Catalogue: cat},
		Upkeep:    &upkeep.Worker{Desk: d, Guard: g, Prices: o.Prices, WebhooksKept: o.WebhooksKept, EmailsKept: o.EmailsKept},
		Reconcile: &reconcile.Worker{Desk: d, Guard: g, Catalogue: cat, LookFor: o.LookFor},
	}
	if o.Webhooks != nil {
		w.Tell.Chats = o.Webhooks
	}
	w.Follow = &follow.Worker{Desk: d, Catalogue: cat, Pace: o.Follow, Next: w.Do}
	w.Follow.NameAddresses()
	w.handlers = map[tasks.Kind]handler{
		tasks.BroadcastPayout: w.Payouts.BroadcastPayout,
		tasks.MoveTreasury:    w.Treasury.Move,
		tasks.PlanTreasury:    w.Treasury.PlanMoves,
		tasks.FollowNetwork:   w.Follow.FollowNetwork,
		tasks.DeliverWebhook:  w.Deliver.DeliverWebhook,
		tasks.SendMessage:     w.Tell.Send,
		tasks.Reconcile:       w.Reconcile.Reconcile,
	}
	for kind := range upkeep.Work {
		w.handlers[kind] = w.Upkeep.Periodic
	}
	return w
}

// handler does one kind of work.
type handler func(ctx context.Context, j store.DueJob) error

// Mux returns Asynq's table of contents. It works on at most so many jobs of one queue at the same time, begins
// none when running has ended, and panics when a kind of work has no handler.
func (w *Workers) Mux(running context.Context, most int) *asynq.ServeMux {
	w.Follow.Running = running
	mux, seats := asynq.NewServeMux(), &seats{most: most}
	for kind := range tasks.Specs {
		if w.handlers[kind] == nil {
			panic("no handler for " + kind)
		}
		mux.HandleFunc(string(kind), func(ctx context.Context, t *asynq.Task) error {
			jobs, err := tasks.ParseTask(t)
			if err != nil {
				return err
			}
			return seats.do(ctx, running, jobs, w.Do, func(left []tasks.Job) { w.giveBack(context.WithoutCancel(ctx), left, len(jobs) == 1) })
		})
	}
	return mux
}

// Do works on one attempt of a job. A failure, or a panic, reschedules the job with a growing delay: it is the outcome of the
// attempt, so Asynq is told nothing but success.
func (w *Workers) Do(ctx context.Context, j tasks.Job) error {
	due := store.DueJob{Kind: string(j.Kind), Ref: j.Ref, Attempt: j.Attempt}
	err := gather.Recover(func() error { return w.handlers[j.Kind](ctx, due) })
	w.TellRepeats()
	if err == nil || errors.Is(err, desk.ErrFenced) {
		return nil
	}
	log := w.Log.WithFields(logrus.Fields{"job": j.Kind, "ref": j.Ref, "attempt": j.Attempt})
	if errors.Is(err, gather.ErrPanic) || w.Fresh(due.Kind, desk.ReasonOf(err)) {
		log.WithError(err).Warn("the job will be tried again")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), desk.NoteWithin)
	defer cancel()
	if _, err := w.Store.FailJob(ctx, due, longestPause(j.Kind, err), desk.ReasonOf(err)); err != nil {
		log.WithError(err).Warn("the relay will find the job again")
	}
	return nil
}

// giveBack puts jobs not begun back on the queue, each in a task of its own. A job alone in its task cannot be: the task is still
// running, and has its id. The job is made due in the database instead, and the relay rings it under a new attempt.
func (w *Workers) giveBack(ctx context.Context, jobs []tasks.Job, alone bool) {
	for _, j := range jobs {
		if !alone {
			w.Ring(ctx, j)
		} else if err := w.Store.PutBack(ctx, store.DueJob{Kind: string(j.Kind), Ref: j.Ref, Attempt: j.Attempt}); err != nil {
			w.Log.WithError(err).WithField("job", j.Kind).Warn("the relay will find the job again")
		}
	}
}

// longestPause is how long a job waits at most after a failure. Everybody waits for a followed network: its job goes on as soon as its
// node is back. A payout that waits for blocks goes on with them.
func longestPause(kind tasks.Kind, err error) time.Duration {
	if kind == tasks.FollowNetwork || payouts.AwaitsBlocks(err) {
		return follow.LongestPause
	}
	return time.Minute
}
