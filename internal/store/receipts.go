package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// PayerReceiver begins the receiver of a receipt for a payer; an e-mail address follows.
const PayerReceiver = "payer:"

// TellPaid records receipts for the payers of payins completed in this transaction, if their merchants send receipts. A payment
// request has one at most. Finals says of each payin whether its money is final.
func (s *Store) TellPaid(ctx context.Context, payins []uuid.UUID, finals []bool) error {
	if len(payins) == 0 {
		return nil
	}
	_, err := pg.Exec(ctx, s.Q, "tell payers of payments", "select tell_payers_paid($1::uuid[], $2::boolean[])", payins, finals)
	return err
}

// TellRefunded records receipts for the payers of refunds by payouts completed in this transaction. A refund has one at most.
func (s *Store) TellRefunded(ctx context.Context, payouts ...uuid.UUID) error {
	if len(payouts) == 0 {
		return nil
	}
	_, err := pg.Exec(ctx, s.Q, "tell payers of refunds", "select tell_payers_refunded($1::uuid[])", payouts)
	return err
}

// Receipts reports whether a merchant's payers are sent receipts.
func (s *Store) Receipts(ctx context.Context, merchant uuid.UUID) (on bool, err error) {
	err = s.Q.NewRaw("select coalesce(bool_or(receipts), false) from merchant_looks where merchant_id = ?", merchant).Scan(ctx, &on)
	return on, one(err, "receipts of merchant "+merchant.String())
}

// SetReceipts switches receipts for a merchant's payers on or off.
func (s *Store) SetReceipts(ctx context.Context, merchant uuid.UUID, on bool) error {
	_, err := s.Q.NewRaw("insert into merchant_looks (merchant_id, receipts) values (?0, ?1) on conflict (merchant_id) do update set receipts = ?1", merchant, on).Exec(ctx)
	if err != nil {
		return fmt.Errorf("set receipts: %w", err)
	}
	return nil
}
