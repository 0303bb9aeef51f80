// Package onchain has the operators' acts on networks: halted networks and stopped wallets go on, and spends of hot wallets unknown
// to the books are booked. Each act is recorded by admin's Change, as every other act of an operator.
package onchain

import (
	"context"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
)

// Operator acts for one operator.
type Operator struct {
	*desk.Desk
	Catalogue *catalogue.Catalogue
	Admin     *admin.Admin // of the operator; nil for looks alone
}

// By returns the acts of one operator.
func (o *Operator) By(a *admin.Admin) *Operator {
	by := *o
	by.Admin = a
	return &by
}

// change is admin's Change, and rings the resulting jobs after the commit.
func (o *Operator) change(ctx context.Context, action, subject string, work func(tx *store.Store) (before, after any, ring []tasks.Job, err error)) error {
	var ring []tasks.Job
	err := o.Admin.Change(ctx, action, subject, func(tx *store.Store) (before, after any, err error) {
		before, after, ring, err = work(tx)
		return before, after, err
	})
	if err == nil {
		o.Ring(ctx, ring...)
	}
	return err
}
