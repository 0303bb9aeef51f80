package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pg"
)

// NextNonce returns the next nonce of BeginSigning, or pay.ErrNotFound before OpenNonces.
func (s *Store) NextNonce(ctx context.Context, network, address string) (int64, error) {
	var next int64
	err := s.Q.NewRaw("select next from signing_nonces where network = ? and address = ?", network, address).Scan(ctx, &next)
	return next, one(err, "nonce of "+address)
}

// OpenNonces starts the nonces of a hot wallet at next, once.
func (s *Store) OpenNonces(ctx context.Context, network, address string, next int64) error {
	_, err := s.Q.NewRaw("insert into signing_nonces (network, address, next) values (?, ?, ?) on conflict do nothing",
		network, address, next).Exec(ctx)
	if err != nil {
		return fmt.Errorf("open nonces of %s: %w", address, err)
	}
	return nil
}

// Deducted tells the transactions of ours already deducted by a network from the balance it answered for a hot wallet:
// see chains.Spare.
type Deducted struct{ From, Untaken *uint64 }

// promisedRow is the word of begin_signing for a row with the promised sum of one token in place of an outcome.
const promisedRow TurnOutcome = "promised"

// doubtfulRow is the word of begin_signing for a row with a spend by an unknown hand, perhaps the payment asked for.
const doubtfulRow TurnOutcome = "doubtful"

// SigningTurn is the answer to a transaction signing payouts of one network.
type SigningTurn struct {
	Outcome TurnOutcome
	Why     string          // the limit a payout is above, or the id of an unheld or signed one
	First   int64           // nonce of the first payout; each has the next
	Fees    decimal.Decimal // the most that promised transactions can cost, in the native coin
	// Promised is, by token, the sum signed before and not deducted from the hot wallet's balance.
	Promised map[string]decimal.Decimal
	// Doubtful are the spends of the wallet unknown to the books, without a person's decision: their Token, Amount, Recipient, Txid and
	// Memo.
	Doubtful []UnknownSpend
}

// TurnOutcome says whether payouts may be signed; the transaction is to be rolled back unless it is TurnReady.
type TurnOutcome string

// The answers of BeginSigning.
const (
	TurnReady   TurnOutcome = "ready"
	TurnMoved   TurnOutcome = "moved"   // a payout is no longer in the status it was read with, or an operator stops it
	TurnUnheld  TurnOutcome = "unheld"  // the ledger does not hold the payout's debit
	TurnSigned  TurnOutcome = "signed"  // something was signed for a payout already, and its row says queued
	TurnAbove   TurnOutcome = "above"   // a payout is above a limit, without an operator's approval
	TurnAgain   TurnOutcome = "again"   // the wallet's balance was read before a final transaction, or it sent something unknown to the books
	TurnStopped TurnOutcome = "stopped" // the wallet or an asset is stopped, the network halted or not followed yet, or OpenNonces was not called
)

// BeginSigning moves payouts of one network to signed and hands out the nonces of its hot wallet, in one statement. The
// row of the nonces is locked until the transaction ends, so nonces have neither gaps nor doubles. The limits and
// decisions it reads hold for the signatures, since the payouts' rows are locked too. Holds are the digests of the
// payouts' holds, to be found in the ledger. Places stand for all spellings of their addresses (OverLimits). The values
// in payouts are not changed.
func (s *Store) BeginSigning(ctx context.Context, network, address string, payouts []*pay.Payout, holds [][]byte, places []string,
	deducted Deducted,
) (*SigningTurn, error) {
	ids, statuses, _, err := movable(payouts, pay.PayoutSigned)
	if err != nil {
		return nil, err
	}
	assets := make([]string, len(payouts))
	for i, p := range payouts {
		assets[i] = p.Asset
	}
	turn := &SigningTurn{Promised: map[string]decimal.Decimal{}}
	err = pg.Rows(ctx, s.Q, "begin to sign on "+network, turn.scan,
		`select outcome, coalesce(why, ''), coalesce(first, 0), coalesce(of_token, ''), coalesce(promised, 0), coalesce(fees, 0)
		from begin_signing($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		network, address, ids, statuses, assets, deducted.From, deducted.Untaken, holds, places)
	return turn, err
}

// scan reads a row of begin_signing: the promised sum of a token, or an outcome. The last outcome holds.
func (t *SigningTurn) scan(rows *sql.Rows) error {
	var outcome TurnOutcome
	var token, why string
	var first int64
	var sum, fees decimal.Decimal
	if err := rows.Scan(&outcome, &why, &first, &token, &sum, &fees); err != nil {
		return err
	}
	switch outcome {
	case promisedRow:
		t.Promised[token], t.Fees = t.Promised[token].Add(sum), t.Fees.Add(fees)
	case doubtfulRow:
		u := UnknownSpend{Token: token, Amount: sum}
		u.Recipient, why, _ = strings.Cut(why, " ")
		u.Txid, u.Memo, _ = strings.Cut(why, " ")
		t.Doubtful = append(t.Doubtful, u)
	default:
		t.Outcome, t.Why, t.First = outcome, why, first
	}
	return nil
}

// SentPayout is a payout with the bytes of Signed taken by its network. Mark: the transaction is recorded as signed and
// not yet as sent. Move: the payout is still signed and this transaction pays it, so it moves to sent.
type SentPayout struct {
	Job        DueJob
	Payout     *pay.Payout
	Signed     *pay.SignedTransaction
	Mark, Move bool
}

// RecordSent marks the transactions as sent, moves the payouts to sent where they are in the status they were read with, and
// finishes the jobs, in one statement on the pool; or it changes nothing and returns ErrNotAll, when a job is no longer its
// attempt's.
func (s *Store) RecordSent(ctx context.Context, group []SentPayout) error {
	jobs, payouts := make([]DueJob, len(group)), make([]*pay.Payout, 0, len(group))
	networks, txids, by := []string{}, []string{}, make([]string, 0, len(group))
	for i, g := range group {
		jobs[i] = g.Job
		if g.Mark {
			networks, txids = append(networks, g.Signed.Network), append(txids, g.Signed.Txid)
		}
		if g.Move {
			payouts, by = append(payouts, g.Payout), append(by, g.Signed.Txid)
		}
	}
	ids, statuses, _, err := movable(payouts, pay.PayoutSent)
	if err != nil {
		return err
	}
	_, refs, attempts := jobArrays(jobs)
	all := false
	err = pg.Rows(ctx, s.Q, "record what was sent", func(rows *sql.Rows) error { return rows.Scan(&all) },
		"select record_sent($1, $2, $3, $4, $5, $6, $7)", refs, attempts, networks, txids, ids, statuses, by)
	if err == nil && !all {
		return ErrNotAll
	}
	return err
}
