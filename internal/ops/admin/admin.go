// Package admin has the operator's changes and views beyond the API: merchants, keys, rates, the catalogue, prices, fixed wallets,
// webhooks, payouts and unclaimed money (operator §Admin), and the health and troubles of the installation. The command line and the
// console call the same methods. Each change and its audit row are one transaction.
package admin

import (
	"context"
	"errors"
	"fmt"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// Admin acts for one operator.
type Admin struct {
	Store *store.Store
	Vault *vault.Vault // seals new secrets and hashes new keys; nil where none are made
	Actor string       // the operator's name, for the audit table

	Told func(what string, done, total int) // progress of long work; nil = nobody asks
}

func (a *Admin) tell(what string, done, total int) {
	if a.Told != nil {
		a.Told(what, done, total)
	}
}

// Refusal is a change not made, in one line for the operator to act on. Any other error is a failure of ours.
type Refusal struct {
	why    string
	unread bool
}

// Error implements error.
func (r Refusal) Error() string { return r.why }

// Unread reports whether the input cannot be read, as a word where a number belongs. Any other refusal was understood and cannot be
// done.
func (r Refusal) Unread() bool { return r.unread }

// Refuse makes a refusal for a caller of Change with checks of its own.
func Refuse(why string) error { return Refusal{why: why} }

func refuse(format string, args ...any) error { return Refusal{why: fmt.Sprintf(format, args...)} }

// misread refuses input with nothing in it to act on.
func misread(format string, args ...any) error { return Refusal{fmt.Sprintf(format, args...), true} }

// at puts the name of the refused value before its error.
func at(name string, err error) error {
	var r Refusal
	errors.As(err, &r)
	return Refusal{fmt.Sprintf("%s: %v", name, err), r.unread}
}

// named turns "not found" into a refusal that names the missing thing.
func named(err error, format string, args ...any) error {
	if errors.Is(err, pay.ErrNotFound) {
		return refuse("there is no "+format, args...)
	}
	return err
}

// Change runs work in one transaction with its audit row. Work answers the subject before and after as they are shown,
// without secrets; nil is "was not there".
func (a *Admin) Change(ctx context.Context, action, subject string, work func(tx *store.Store) (before, after any, err error)) error {
	return a.Store.InTx(ctx, func(tx *store.Store) error {
		before, after, err := work(tx)
		if err != nil {
			return err
		}
		return tx.AddAudit(ctx, a.Actor, action, subject, before, after)
	})
}
