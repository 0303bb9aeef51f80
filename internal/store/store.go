// Package store keeps the domain's rows and the jobs in Postgres. Guarded updates say whether they took effect, and the callers
// decide what that means. Only RecordPayouts decides something itself.
//
// Where things are, by the beginning of the file's name:
//
//   - store, errors, ids, sealed: transactions, and what errors leave behind; package pg sends statements, package lists reads pages
//   - jobs; followers, blocks; signing, signed, unknown_spends, stops: work, networks, hot wallets
//   - payins, payin, transfers, addresses, wallets; payer_payins, contrary; payouts, payout, limits, approvals
//   - deliveries, delivery, redeliveries, inbox: webhooks
//   - postings, ledger_sums, reconcile, quiet_holdings, address_holdings, open_surpluses, corrections, books: the ledger's rows, and its check
//   - merchants, merchant_networks, keys, caller, operators, audit, catalogue, prices: who may do what, at which terms
//   - idempotency, request_nonces: what was asked before; cleanup: what is forgotten; vitals, samples: what the
//     operator sees
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// Store reads and writes domain rows, in a transaction when it was handed out by InTx.
type Store struct {
	DB *bun.DB // the pool
	Q  bun.IDB // what queries run on: the pool, or the transaction

	snapshot bool // Q is a transaction that sees one moment
}

// New makes a store on a pool.
func New(db *bun.DB) *Store { return &Store{DB: db, Q: db} }

// InTx runs work in one transaction and commits when it answers nil. Inside another InTx it is part of that one, which must then
// fail when it does. Never talk to a network inside.
func (s *Store) InTx(ctx context.Context, work func(tx *Store) error) error {
	if _, inside := s.Q.(bun.Tx); inside {
		return work(s)
	}
	return s.DB.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) error {
		return work(&Store{DB: s.DB, Q: tx})
	})
}

// Snapshot runs reads that all see the database at one moment.
func (s *Store) Snapshot(ctx context.Context, read func(tx *Store) error) error {
	if s.snapshot {
		return read(s)
	}
	return s.DB.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, func(_ context.Context, tx bun.Tx) error {
		return read(&Store{DB: s.DB, Q: tx, snapshot: true})
	})
}

// Now returns the database's clock: within a transaction, the moment that it began, which its rows carry.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := s.Q.NewRaw("select now()").Scan(ctx, &now); err != nil {
		return now, fmt.Errorf("read the clock: %w", err)
	}
	return now, nil
}

// one turns "no rows" into pay.ErrNotFound and says what was looked for.
func one(err error, what string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", what, pay.ErrNotFound)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", what, err)
	}
	return nil
}

// changed reports whether a guarded statement took effect.
func changed(res sql.Result, err error, what string) (bool, error) {
	if err != nil {
		return false, fmt.Errorf("%s: %w", what, err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
