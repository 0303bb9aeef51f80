// Package desk has the things needed by each line of work: the books, the networks, the bell and the log. It takes jobs under the
// fence of their attempt, and records their outcomes.
package desk

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/internal/batch/gather"
	"causeway/internal/store"
	"causeway/tasks"
)

// Desk is shared by all lines of work of a process.
type Desk struct {
	Store    *store.Store
	Networks *chains.Registry
	Bell     tasks.Ringer
	Log      logrus.FieldLogger

	repeats repeats
}

// ErrFenced ends a handler whose attempt is no longer the job's: somebody else has the work now. Its transaction is rolled back.
var ErrFenced = errors.New("another attempt has taken this job")

// NoteWithin is how long recording the outcome of an attempt may take, when the attempt's own time may be over.
const NoteWithin = 5 * time.Second

// ReasonOf returns the kept text of a failure: all of it, but for the stack of a panic, written to the log alone.
func ReasonOf(err error) string {
	reason := err.Error()
	if errors.Is(err, gather.ErrPanic) {
		reason, _, _ = strings.Cut(reason, "\n")
	}
	return reason
}

// Start takes the job for this attempt, or fails with ErrFenced; in a transaction it is this attempt's until the commit.
func Start(ctx context.Context, s *store.Store, j store.DueJob) error {
	ok, err := s.StartJob(ctx, j, tasks.Visibility)
	return Fenced(ok, err)
}

// Fenced turns a guarded statement without effect into ErrFenced; it rolls back the transaction around it.
func Fenced(ok bool, err error) error {
	if err == nil && !ok {
		return ErrFenced
	}
	return err
}

// Ring rings jobs after their commit; a failure is only logged, since the relay finds them.
func (d *Desk) Ring(ctx context.Context, jobs ...tasks.Job) {
	if err := d.Bell.Ring(ctx, jobs...); err != nil {
		d.Log.WithError(err).Warn("the relay will ring instead")
	}
}

// Record runs work in one transaction, and rings the returned jobs after the commit.
func (d *Desk) Record(ctx context.Context, work func(tx *store.Store) ([]tasks.Job, error)) error {
	var ring []tasks.Job
	err := d.Store.InTx(ctx, func(tx *store.Store) (err error) {
		ring, err = work(tx)
		return err
	})
	if err == nil {
		d.Ring(ctx, ring...)
	}
	return err
}
