// Package workers does the work that jobs ask for: one method per kind. Each re-reads the row, acts, and records the
// outcome in one transaction that also finishes or reschedules the job. Every handler is safe when it runs twice, at
// once, or is killed anywhere.
//
// Where things are: Mux and handlerOf, here, are the table of contents. Each kind of job has a file of its name, and the files that it
// alone needs begin with its first word:
//
//   - broadcast_payout.go and broadcast_*: sign, send and replace a payout's transactions; fail_payout.go refunds
//   - follow_network.go and follow_*: what came in, what of ours was mined, what a reorganisation undid
//   - deliver_webhook.go and deliver_together.go; notices.go writes what is to be delivered
//   - reconcile.go and reconcile_*
//   - periodic.go runs the other jobs that come again: expire_payins, revoke_wallets, refresh_prices, check_wallets, and cleanup,
//     which is in it
//   - operator_*: what an operator asks for by the command line or in the console
//   - catalogue.go: tokens and prices, read again once they have changed; ids.go: the ids of rows
//   - *_together.go: jobs that are worked on at once and share statements; slots.go bounds how many
package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/tasks"
)

// Workers has what the handlers need. Networks without a Sender cannot sign here: only the signing queue has one.
type Workers struct {
	Store    *store.Store
	Networks *chains.Registry
	Bell     tasks.Ringer
	Secrets  *vault.Vault
	Seals    *vault.Sealer // checks what is signed; nil in a process that was not given SEAL_KEY
	Webhooks *webhooks.Client
	Log      logrus.FieldLogger
	Follow   Pace
	Prices   []PriceSource

	LookFor time.Duration // reconciliation asks networks for so long at a time, 10 s when zero; one that took a fifth of it rests

	Told func(what string, done, total int) // of what takes long; nil = nobody asks

	running   context.Context // of the process that serves tasks, as Mux was told; nil when there is none
	catalogue catalogue
	stops     stops
	watched   watched
	caps      capsSeen
	nodes     nodes
	repeats   repeats

	deliveries deliveryGroups
	payouts    payoutGroups
	follows    followGroups
}

func (w *Workers) tell(what string, done, total int) {
	if w.Told != nil {
		w.Told(what, done, total)
	}
}

// errFenced ends a handler whose attempt is no longer the job's: somebody else has the work now. What it did in its
// transaction is rolled back.
var errFenced = errors.New("another attempt has taken this job")

// noteWithin is how long it may take to write down what became of an attempt, when its own time may be over.
const noteWithin = 5 * time.Second

// handler does one kind of work.
type handler func(w *Workers, ctx context.Context, j store.DueJob) error

// handlerOf returns what does a kind of work, or nil. It is a switch and not a map, since followNetwork goes on through Do, which
// would make the initialisation of a map circular.
func handlerOf(kind tasks.Kind) handler {
	switch kind {
	case tasks.BroadcastPayout:
		return (*Workers).broadcastPayout
	case tasks.FollowNetwork:
		return (*Workers).followNetwork
	case tasks.DeliverWebhook:
		return (*Workers).deliverWebhook
	case tasks.Reconcile:
		return (*Workers).reconcile
	default:
		if periodicWork[kind] != nil {
			return (*Workers).periodic
		}
		return nil
	}
}

// Mux returns Asynq's table of contents. It works on at most so many jobs of one queue at the same time, begins
// none when running has ended, and panics when a kind of work has no handler.
func (w *Workers) Mux(running context.Context, most int) *asynq.ServeMux {
	w.running = running
	mux, slots := asynq.NewServeMux(), &slots{most: most}
	for kind := range tasks.Specs {
		if handlerOf(kind) == nil {
			panic("no handler for " + kind)
		}
		mux.HandleFunc(string(kind), func(ctx context.Context, t *asynq.Task) error {
			jobs, err := tasks.ParseTask(t)
			if err != nil {
				return err
			}
			return slots.do(ctx, running, jobs, w.Do, func(left []tasks.Job) { w.giveBack(context.WithoutCancel(ctx), left, len(jobs) == 1) })
		})
	}
	return mux
}

// Do works on one attempt of a job. A failure, or a panic, reschedules the job with a growing delay: it is the outcome of the
// attempt, so Asynq is told nothing but success.
func (w *Workers) Do(ctx context.Context, j tasks.Job) error {
	due := store.DueJob{Kind: string(j.Kind), Ref: j.Ref, Attempt: j.Attempt}
	err := gather.Recover(func() error { return handlerOf(j.Kind)(w, ctx, due) })
	w.repeats.tell(w.Log, time.Now())
	if err == nil || errors.Is(err, errFenced) {
		return nil
	}
	log := w.Log.WithFields(logrus.Fields{"job": j.Kind, "ref": j.Ref, "attempt": j.Attempt})
	if errors.Is(err, gather.ErrPanic) || w.repeats.fresh(due.Kind, reasonOf(err), time.Now()) {
		log.WithError(err).Warn("the job will be tried again")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteWithin)
	defer cancel()
	if _, err := w.Store.FailJob(ctx, due, longestPause(j.Kind), reasonOf(err)); err != nil {
		log.WithError(err).Warn("the relay will find the job again")
	}
	return nil
}

// reasonOf is what is kept of a failure: all of it, but for the stack of a panic, which is for the log.
func reasonOf(err error) string {
	reason := err.Error()
	if errors.Is(err, gather.ErrPanic) {
		reason, _, _ = strings.Cut(reason, "\n")
	}
	return reason
}

// giveBack puts jobs that were not begun back on the queue, each in a task of its own. A job that was alone in its task cannot be:
// that task is still running, and has its id. It is made due in the database instead, and the relay rings it under a new attempt.
func (w *Workers) giveBack(ctx context.Context, jobs []tasks.Job, alone bool) {
	for _, j := range jobs {
		if !alone {
			w.ring(ctx, j)
		} else if err := w.Store.PutBack(ctx, store.DueJob{Kind: string(j.Kind), Ref: j.Ref, Attempt: j.Attempt}); err != nil {
			w.Log.WithError(err).WithField("job", j.Kind).Warn("the relay will find the job again")
		}
	}
}

// longestPause is how long a job waits at most after failures. Everybody waits for a network that is followed: one whose
// node was away goes on as soon as it is back.
func longestPause(kind tasks.Kind) time.Duration {
	if kind == tasks.FollowNetwork {
		return 5 * time.Second
	}
	return time.Minute
}

// start takes the job for this attempt, or fails with errFenced; in a transaction it is this attempt's until the commit.
func start(ctx context.Context, s *store.Store, j store.DueJob) error {
	ok, err := s.StartJob(ctx, j, tasks.Visibility)
	return fenced(ok, err)
}

// fenced turns a guarded statement without effect into errFenced, which rolls back the transaction around it.
func fenced(ok bool, err error) error {
	if err == nil && !ok {
		return errFenced
	}
	return err
}

// ring rings jobs after their commit; a failure is only logged, since the relay finds them.
func (w *Workers) ring(ctx context.Context, jobs ...tasks.Job) {
	if err := w.Bell.Ring(ctx, jobs...); err != nil {
		w.Log.WithError(err).Warn("the relay will ring instead")
	}
}

// record runs work in one transaction, and rings what it returns after the commit.
func (w *Workers) record(ctx context.Context, work func(tx *store.Store) ([]tasks.Job, error)) error {
	var ring []tasks.Job
	err := w.Store.InTx(ctx, func(tx *store.Store) (err error) {
		ring, err = work(tx)
		return err
	})
	if err == nil {
		w.ring(ctx, ring...)
	}
	return err
}

// network returns a configured network.
func (w *Workers) network(name string) (*chains.Network, error) {
	n, ok := w.Networks.Network(name)
	if !ok {
		return nil, fmt.Errorf("network %s is not configured here", name)
	}
	return n, nil
}

// networkNamed is network for a person, who may have mistyped it.
func (w *Workers) networkNamed(name string) (*chains.Network, error) {
	n, ok := w.Networks.Network(name)
	if !ok {
		return nil, fmt.Errorf("there is no network %q", name)
	}
	return n, nil
}
