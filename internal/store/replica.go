package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// Replica answers reads in place of the primary, while it has everything that was committed before the read began.
type Replica struct {
	db     *bun.DB
	system atomic.Pointer[string] // identifies the primary's data, which a replica shares
	rests  atomic.Int64           // until this moment nothing is asked of it, in nanoseconds
	told   func(failure error)    // when it begins to fail, and with nil when it answers again
	failed atomic.Bool
	reads  atomic.Int64
	others atomic.Int64
}

const (
	replicaWaits = 50 * time.Millisecond // for what was committed just now
	replicaRests = 5 * time.Second       // after a failure
)

// NewReplica makes a replica of a pool on it. The caller closes the pool. told hears why it is left alone, once until it answers again:
// then with nil. To be behind is no failure.
func NewReplica(db *bun.DB, told func(failure error)) *Replica { return &Replica{db: db, told: told} }

// Reads returns how many reads it has answered, and how many the primary had to answer in its place.
func (r *Replica) Reads() (answered, others int64) { return r.reads.Load(), r.others.Load() }

// ReplicaReads are the Reads of the store's replica; false without one.
func (s *Store) ReplicaReads() (answered, others int64, has bool) {
	if s.replica == nil {
		return 0, 0, false
	}
	answered, others = s.replica.Reads()
	return answered, others, true
}

// WithReplica returns the store with a replica for Reading; nil is none.
func (s *Store) WithReplica(r *Replica) *Store {
	return &Store{DB: s.DB, Q: s.Q, replica: r}
}

// Reading runs reads that change nothing: on the replica, if it has all that was committed before the call, and otherwise here. So nobody
// misses what they wrote, whichever process wrote it. The reads are run again here when the replica fails: they begin with nothing each time.
func (s *Store) Reading(ctx context.Context, read func(s *Store) error) error {
	r := s.replica
	if r == nil || s.Q != bun.IDB(s.DB) {
		return read(s)
	}
	if time.Now().UnixNano() > r.rests.Load() {
		done, err := r.read(ctx, s, read)
		if done {
			r.reads.Add(1)
			if r.failed.CompareAndSwap(true, false) {
				r.told(nil)
			}
			return err
		}
		if err != nil && ctx.Err() == nil {
			r.rests.Store(time.Now().Add(replicaRests).UnixNano())
			if r.failed.CompareAndSwap(false, true) {
				r.told(err)
			}
		}
	}
	r.others.Add(1)
	return read(s)
}

// read reports whether the replica has answered. Rows that are not there, and refusals, are answers too.
func (r *Replica) read(ctx context.Context, primary *Store, read func(s *Store) error) (done bool, err error) {
	caught, err := r.caughtUp(ctx, primary)
	if err != nil || !caught {
		return false, err
	}
	err = read(New(r.db))
	var refusal *pay.Error
	return err == nil || errors.Is(err, pay.ErrNotFound) || errors.As(err, &refusal), err
}

// caughtUp reports whether the replica has all that the primary has committed by now. It waits a moment for that. Neither a server that was
// promoted nor a server of other data has it.
func (r *Replica) caughtUp(ctx context.Context, primary *Store) (bool, error) {
	var at string
	if err := primary.Q.NewRaw("select pg_current_wal_flush_lsn()::text").Scan(ctx, &at); err != nil {
		return false, fmt.Errorf("read the primary's position: %w", err)
	}
	system, err := r.systemOf(ctx, primary)
	if err != nil {
		return false, err
	}
	const look = "select pg_is_in_recovery() and system_identifier::text = ?, coalesce(pg_last_wal_replay_lsn() >= ?::pg_lsn, false) from pg_control_system()"
	began := time.Now()
	for pause := time.Millisecond; ; pause *= 2 {
		var same, caught bool
		if err := r.db.NewRaw(look, system, at).Scan(ctx, &same, &caught); err != nil {
			return false, fmt.Errorf("read the replica's position: %w", err)
		}
		if !same {
			return false, errors.New("the replica is a primary, or has other data")
		}
		if caught || time.Since(began)+pause > replicaWaits {
			return caught, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (r *Replica) systemOf(ctx context.Context, primary *Store) (string, error) {
	if known := r.system.Load(); known != nil {
		return *known, nil
	}
	var system string
	if err := primary.Q.NewRaw("select system_identifier::text from pg_control_system()").Scan(ctx, &system); err != nil {
		return "", fmt.Errorf("read which data the primary has: %w", err)
	}
	r.system.Store(&system)
	return system, nil
}
