package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/pay"
)

// PayoutItem is one payout to be recorded. Entry is its ledger entry, ledger.PayoutHeld; DailyLimit and USD are set when its
// key has a daily limit.
type PayoutItem struct {
	Payout     *pay.Payout
	Entry      interface{ Seal() []byte }
	DailyLimit *decimal.Decimal
	USD        *decimal.Decimal
}

// PayoutOutcome is what the database decided of one item: created, insufficient_balance,
// daily_payout_limit_unavailable, daily_payout_limit_exceeded, or duplicate with the original.
type PayoutOutcome struct {
	Ord               int // position in the items, from 0
	Outcome           string
	Available         decimal.Decimal // what the balance held when the item was decided
	OriginalID        *uuid.UUID
	OriginalStatus    *string // as the wire names it
	OriginalCreatedAt *time.Time
}

// RecordPayouts decides items each on its own and writes the accepted ones with their entries and jobs, in one call.
// Where another transaction took a reference at the same moment, nothing is written: IsRace(err) says try again.
func (s *Store) RecordPayouts(ctx context.Context, items []PayoutItem) ([]PayoutOutcome, error) {
	return s.decidePayouts(ctx, items, false)
}

// RehearsePayouts answers what RecordPayouts would decide now, from a transaction that cannot write. What is answered as
// created is not there.
func (s *Store) RehearsePayouts(ctx context.Context, items []PayoutItem) (out []PayoutOutcome, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	err = s.Snapshot(ctx, func(tx *Store) error {
		out, err = tx.decidePayouts(ctx, items, true)
		return err
	})
	return out, err
}

func (s *Store) decidePayouts(ctx context.Context, items []PayoutItem, rehearsal bool) (out []PayoutOutcome, err error) {
	rows, err := s.prepared(ctx, "select * from record_payouts($1, $2)", payoutLiteral(items), rehearsal)
	if err != nil {
		return nil, fmt.Errorf("record payouts: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out = make([]PayoutOutcome, 0, len(items))
	for rows.Next() {
		var o PayoutOutcome
		if err := rows.Scan(&o.Ord, &o.Outcome, &o.Available, &o.OriginalID, &o.OriginalStatus, &o.OriginalCreatedAt); err != nil {
			return nil, fmt.Errorf("record payouts: %w", err)
		}
		out = append(out, o)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("record payouts: %w", err)
	}
	return out, nil
}

// wholePayout are what scanPayout reads of p, a row of payouts.
const wholePayout = `p.id, p.merchant_id, p.key_id, p.reference_id, p.wallet, p.memo, p.token, p.asset, p.network, p.process_by, p.amount,
	p.debit, p.rate_fee, p.network_fee, p.pays_network_fee, p.fee_from_amount, p.percent_rate, p.fiat_currency, p.fiat_amount, p.price,
	p.customer_info, p.webhook_url, p.status, p.cancelling, p.reason, p.txid, p.created_at, p.updated_at`

// scanPayout reads the columns before wholePayout into first, and then a payout.
func scanPayout(rows *sql.Rows, first ...any) (*pay.Payout, error) {
	p := new(pay.Payout)
	err := rows.Scan(append(first, &p.ID, &p.MerchantID, &p.KeyID, &p.ReferenceID, &p.Wallet, &p.Memo, &p.Token, &p.Asset, &p.Network, &p.ProcessBy,
		&p.Amount, &p.Debit, &p.RateFee, &p.NetworkFee, &p.PaysNetworkFee, &p.FeeFromAmount, &p.PercentRate, &p.FiatCurrency, &p.FiatAmount,
		&p.Price, &p.CustomerInfo, &p.WebhookURL, &p.Status, &p.Cancelling, &p.Reason, &p.Txid, &p.CreatedAt, &p.UpdatedAt)...)
	return p, err
}

// Payout reads a payout by its id.
func (s *Store) Payout(ctx context.Context, id uuid.UUID) (*pay.Payout, error) {
	p := new(pay.Payout)
	err := s.Q.NewSelect().Model(p).Where("id = ?", id).Scan(ctx)
	return p, one(err, "payout "+id.String())
}

// PayoutForUpdate reads a payout and keeps it from changing until the transaction ends.
func (s *Store) PayoutForUpdate(ctx context.Context, id uuid.UUID) (*pay.Payout, error) {
	p := new(pay.Payout)
	err := s.Q.NewSelect().Model(p).Where("id = ?", id).For("update").Scan(ctx)
	return p, one(err, "payout "+id.String())
}

// MovePayout changes the status of a payout that is in the status it was read with; false when it was not.
// Txid and Reason are written where p has them.
func (s *Store) MovePayout(ctx context.Context, p *pay.Payout, next pay.PayoutStatus) (bool, error) {
	if !p.Status.May(next) {
		return false, fmt.Errorf("payout %s may not move from %s to %s", p.ID, p.Status, next)
	}
	res, err := s.Q.NewRaw(`update payouts set status = ?, txid = coalesce(?, txid), reason = coalesce(?, reason), updated_at = now()
		where id = ? and status = ?`, next, p.Txid, p.Reason, p.ID, p.Status).Exec(ctx)
	moved, err := changed(res, err, "move payout")
	if moved {
		p.Status = next
	}
	return moved, err
}

// CancelPayout marks an open payout as to be stopped by the operator; false when it is not open.
func (s *Store) CancelPayout(ctx context.Context, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw(`update payouts set cancelling = true, updated_at = now()
		where id = ? and status in ('queued', 'signed', 'sent')`, id).Exec(ctx)
	return changed(res, err, "cancel payout")
}
