// Package store keeps the domain's rows and the jobs in Postgres. Guarded updates say whether they took effect, and the callers
// decide how to go on. Only RecordPayouts decides something itself.
//
// Where things are, by the beginning of the file's name:
//
//   - store, replica, errors, ids, sealed: transactions and their errors; package pg sends statements, package lists reads pages
//   - jobs; followers, blocks; signing, signed, unknown_spends, stops: work, networks, hot wallets
//   - payins, payin, transfers, addresses, wallets; payer_payins, contrary; payouts, payout, limits, approvals
//   - deliveries, delivery, redeliveries, inbox: webhooks
//   - postings, ledger_sums, reconcile, quiet_holdings, address_holdings, wallet_holdings, wallet_paid, open_surpluses, corrections, books: the ledger's rows, and its check
//   - treasury_rules, treasury_moves: money between addresses of ours
//   - merchants, merchant_networks, keys, caller, operators, audit, catalogue, prices: people, their rights and terms
//   - idempotency, request_nonces: earlier requests; cleanup: forgetting; vitals, samples: for the operator
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
	Q  bun.IDB // runs queries: the pool, or the transaction

	replica  *Replica // nil for none
	snapshot bool     // Q is a transaction of Snapshot
}

// New makes a store on a pool.
func New(db *bun.DB) *Store { return &Store{DB: db, Q: db} }

// InTx runs work in one transaction and commits when it returns nil. Inside another InTx it is part of the outer
// transaction: an error must then fail that one too. Never talk to a network inside.
func (s *Store) InTx(ctx context.Context, work func(tx *Store) error) error {
	if _, inside := s.Q.(bun.Tx); inside {
		return work(s)
	}
	return s.DB.RunInTx(ctx, nil, func(_ context.Context, tx bun.Tx) error {
		return work(&Store{DB: s.DB, Q: tx})
	})
}

// Snapshot runs reads of the database as it is at one moment.
func (s *Store) Snapshot(ctx context.Context, read func(tx *Store) error) error {
	if s.snapshot {
		return read(s)
	}
	return s.DB.RunInTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, func(_ context.Context, tx bun.Tx) error {
		return read(&Store{DB: s.DB, Q: tx, snapshot: true})
	})
}

// Now returns the database's clock: within a transaction, the moment of its beginning, as in its rows.
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	var now time.Time
	if err := s.Q.NewRaw("select now()").Scan(ctx, &now); err != nil {
		return now, fmt.Errorf("read the clock: %w", err)
	}
	return now, nil
}

// one turns "no rows" into pay.ErrNotFound and names the thing looked for.
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
