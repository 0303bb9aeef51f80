// Package onchain has the acts of operators that ask a network: halted networks and stopped wallets go on, and what has left a hot wallet
// that the books do not know is booked. Each act is recorded by admin's change, as every other act of an operator.
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

// change is admin's Change, and rings after the commit what follows from it.
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
