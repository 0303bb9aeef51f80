// Package upkeep does the periodic work: payins expire, fixed wallets are revoked, prices refreshed, hot wallets checked, expired rows
// deleted, and people told of what is amiss.
package upkeep

import (
	"context"

	"causeway/internal/lists"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/guard"
)

// Worker does periodic work.
type Worker struct {
	*desk.Desk
	Guard  *guard.Guard
	Prices []PriceSource

	WebhooksKept int // days after their end until webhooks are deleted; 0 = they are kept for ever
	EmailsKept   int // days after a payment request's end until the customer's address is forgotten; 0 = it is kept for ever
}

// Work is the table of periodic jobs. Reconciliation is not here: it has a handler of its own, since its next time depends on its
// findings.
var Work = map[tasks.Kind]func(*Worker, context.Context) error{
	tasks.ExpirePayins:  (*Worker).expirePayins,
	tasks.RevokeWallets: (*Worker).revokeWallets,
	tasks.RefreshPrices: (*Worker).refreshPrices,
	tasks.Cleanup:       (*Worker).cleanup,
	tasks.CheckWallets:  (*Worker).checkWallets,

	tasks.WatchConditions: (*Worker).watchConditions,
}

// Periodic runs a periodic job: its row stays and is planned for the next time.
func (w *Worker) Periodic(ctx context.Context, j store.DueJob) error {
	if err := desk.Start(ctx, w.Store, j); err != nil {
		return err
	}
	kind := tasks.Kind(j.Kind)
	if err := Work[kind](w, ctx); err != nil {
		return err
	}
	return desk.Fenced(w.Store.RetryJob(ctx, j, tasks.Specs[kind].Every, ""))
}

// forgottenAtOnce is the most old webhooks, and the most addresses of customers, to be forgotten in one run. At a run each five seconds that is 17 million a day.
const forgottenAtOnce = 1000

// cleanup deletes expired rows, old webhooks and old addresses of customers, and folds changes into the counts of the lists.
func (w *Worker) cleanup(ctx context.Context) error {
	if err := w.Store.DeleteExpired(ctx); err != nil {
		return err
	}
	if w.WebhooksKept > 0 {
		if _, err := w.Store.ForgetDeliveries(ctx, w.WebhooksKept, forgottenAtOnce); err != nil {
			return err
		}
	}
	if w.EmailsKept > 0 {
		if _, err := w.Store.ForgetEmails(ctx, w.EmailsKept, forgottenAtOnce); err != nil {
			return err
		}
	}
	return lists.FoldCounts(ctx, w.Store)
}
