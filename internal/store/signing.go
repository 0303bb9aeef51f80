package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
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

// FollowNonces starts the nonces of a deposit address at next, or sets them there if no transaction of ours from it is open. None goes
// to a rejected transaction twice: the same bytes would be rejected again. None goes to a final one: next may be an answer of before.
func (s *Store) FollowNonces(ctx context.Context, network, address string, next int64) error {
	_, err := s.Q.NewRaw(`insert into signing_nonces as n (network, address, next) select ?0, ?1, greatest(?2::bigint, (select max(t.nonce) + 1
			from treasury_moves m join signed_transactions t on t.payout_id = m.id
			where m.network = ?0 and m.from_address = ?1 and t.address = ?1 and t.state in ('rejected', 'final', 'reverted')))
		on conflict (network, address) do update set next = excluded.next, unsent_from = least(n.unsent_from, excluded.next)
		where n.next <> excluded.next and not exists (
			select from signed_transactions t where t.network = ?0 and t.address = ?1 and t.open)`, network, address, next).Exec(ctx)
	if err != nil {
		return fmt.Errorf("follow the nonces of %s: %w", address, err)
	}
	return nil
}

// MaySign reports whether something of an asset may be signed with a hot wallet, by what the books know of stops.
func (s *Store) MaySign(ctx context.Context, network, hot, asset string, kind SigningKind) (may bool, err error) {
	err = s.Q.NewRaw("select may_sign(?, ?, array[?], ?)", network, hot, asset, kind).Scan(ctx, &may)
	return may, one(err, "whether "+hot+" may sign")
}

// Deducted tells the transactions of ours already deducted by a network from the balance it answered for a hot wallet:
// see chains.Spare.
type Deducted struct{ From, Untaken *uint64 }

// BeginAgain is BeginSigning for something of an asset in a slot given out before. Its answer is TurnReady or TurnStopped.
func (s *Store) BeginAgain(ctx context.Context, network, address, asset string, kind SigningKind) (*SigningTurn, error) {
	if _, err := s.Q.NewRaw("select from signing_nonces where network = ? and address = ? for update", network, address).Exec(ctx); err != nil {
		return nil, fmt.Errorf("hold the slots of %s: %w", address, err)
	}
	may, err := s.MaySign(ctx, network, address, asset, kind)
	if err != nil {
		return nil, err
	}
	turn := &SigningTurn{Outcome: TurnStopped, Promised: map[string]decimal.Decimal{}}
	if !may {
		return turn, nil
	}
	turn.Outcome = TurnReady
	var promised []struct {
		Token        string
		Amount, Fees decimal.Decimal
	}
	err = s.Q.NewRaw(`select p.token, coalesce(sum(p.amount) filter (where t.purpose not in ('cancel', 'void', 'unstake', 'withdraw', 'delegate', 'undelegate')), 0) as amount, sum(t.fee) as fees
		from signed_transactions t, lateral (
			select o.token, o.amount from payouts o where t.purpose in ('pay', 'cancel') and o.id = t.payout_id
			union all select m.token, m.amount from treasury_moves m where t.purpose not in ('pay', 'cancel') and m.id = t.payout_id) p
		where t.network = ? and t.address = ? and t.open group by p.token`, network, address).Scan(ctx, &promised)
	if err != nil {
		return nil, fmt.Errorf("add up what %s has promised: %w", address, err)
	}
	for _, p := range promised {
		turn.Promised[p.Token], turn.Fees = p.Amount, turn.Fees.Add(p.Fees)
	}
	turn.Doubtful, err = s.spends(ctx, "network = ? and sender = '' and (decision is null or decision = ?)", network, SpendLost)
	return turn, err
}

// coinRow is the word of begin_signing for a row with a free coin.
const coinRow TurnOutcome = "coin"

// promisedRow is the word of begin_signing for a row with the promised sum of one token in place of an outcome.
const promisedRow TurnOutcome = "promised"

// doubtfulRow is the word of begin_signing for a row with a spend by an unknown hand, perhaps the payment asked for.
const doubtfulRow TurnOutcome = "doubtful"

// SigningTurn is the answer to a transaction signing payouts of one network.
type SigningTurn struct {
	Outcome TurnOutcome
	Why     string          // the limit a payout is above, or the id of an unheld or signed one
	First   int64           // number of the first slot; each has the next
	Fees    decimal.Decimal // the most that promised transactions can cost, in the native coin
	// Promised is, by token, the sum signed before and not deducted from the hot wallet's balance.
	Promised map[string]decimal.Decimal
	// Coins are the free coins of the wallet, the largest first, where coins are spent whole.
	Coins []FreeCoin
	// Doubtful are the spends of the wallet unknown to the books, without a person's decision: their Token, Amount, Recipient, Txid and
	// Memo.
	Doubtful []UnknownSpend
}

// TurnOutcome says whether payouts may be signed; the transaction is to be rolled back unless it is TurnReady.
type TurnOutcome string

// The answers of BeginSigning.
const (
	TurnReady   TurnOutcome = "ready"
	TurnMoved   TurnOutcome = "moved"       // a payout is no longer in the status it was read with, or an operator stops it
	TurnUnheld  TurnOutcome = "unheld"      // the ledger does not hold the payout's debit
	TurnSigned  TurnOutcome = "signed"      // something was signed for a payout already, and its row says queued
	TurnAbove   TurnOutcome = "above"       // a payout is above a limit, without an operator's approval
	TurnWaiting TurnOutcome = "unconfirmed" // a payout waits for a second person of its merchant
	TurnAgain   TurnOutcome = "again"       // the wallet's balance was read before a final transaction, or it sent something unknown to the books
	TurnStopped TurnOutcome = "stopped"     // the wallet or an asset is stopped, the network halted or not followed yet, or OpenNonces was not called
)

// SigningKind is the rule by which the transactions of a network exclude each other, as begin_signing knows it.
type SigningKind string

// The kinds.
const (
	SignsByNumber SigningKind = "number"
	SignsByCoins  SigningKind = "coins"
	SignsByExpiry SigningKind = "expiry"
)

// Signing is what is to be signed together on a network.
type Signing struct {
	Network, Address string // of the hot wallet
	Kind             SigningKind
	Payouts          []*pay.Payout // none for a move of the treasury
	Assets           []string      // of a move; those of the payouts are known
	Slots            int           // how many transactions
	Holds            [][]byte      // the digests of the payouts' holds, to be found in the ledger
	Places           []string      // of the payouts, each for all spellings of its address (OverLimits)
	Deducted         Deducted
}

// BeginSigning moves payouts of one network to signed and hands out the slots of its hot wallet, in one statement. The
// row of the slots is locked until the transaction ends, so their numbers have neither gaps nor doubles. The limits and
// decisions it reads hold for the signatures, since the payouts' rows are locked too. The values in payouts are not
// changed.
func (s *Store) BeginSigning(ctx context.Context, w Signing) (*SigningTurn, error) {
	ids, statuses, _, err := movable(w.Payouts, pay.PayoutSigned)
	if err != nil {
		return nil, err
	}
	assets := slices.Clone(w.Assets)
	for _, p := range w.Payouts {
		assets = append(assets, p.Asset)
	}
	turn := &SigningTurn{Promised: map[string]decimal.Decimal{}}
	err = pg.Rows(ctx, s.Q, "begin to sign on "+w.Network, turn.scan,
		`select outcome, coalesce(why, ''), coalesce(first, 0), coalesce(of_token, ''), coalesce(promised, 0), coalesce(fees, 0)
		from begin_signing($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		w.Network, w.Address, ids, statuses, assets, w.Deducted.From, w.Deducted.Untaken, w.Holds, w.Places, w.Slots, w.Kind)
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
	case coinRow:
		c := FreeCoin{Token: token, Amount: sum, Position: first}
		c.ID, c.Deposit, _ = strings.Cut(why, " ")
		t.Coins = append(t.Coins, c)
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

// PayoutsToSign returns payouts of a network with jobs and nothing signed, the oldest first.
func (s *Store) PayoutsToSign(ctx context.Context, network string, limit int) ([]*pay.Payout, error) {
	var ids []uuid.UUID
	err := s.Q.NewRaw(`select p.id from payouts p join jobs j on j.kind = 'payout.broadcast' and j.ref = p.id
		where p.network = ? and p.wire_status = 'pending' and p.status = 'queued' and not p.cancelling
		order by p.created_at, p.reference_id, p.id limit ?`, network, limit).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("look for payouts to sign: %w", err)
	}
	found, err := s.PayoutsOf(ctx, ids)
	out := make([]*pay.Payout, 0, len(found))
	for _, id := range ids {
		if p := found[id]; p != nil {
			out = append(out, p)
		}
	}
	return out, err
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
