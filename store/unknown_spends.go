package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/pay"
)

// SpendDecision is what an operator has made of an unknown spend.
type SpendDecision string

// The decisions.
const (
	SpendPaid    SpendDecision = "paid"    // a payout of ours was paid by it
	SpendLost    SpendDecision = "lost"    // no payout that we know; a later one to the same recipient waits for a person
	SpendIgnored SpendDecision = "ignored" // it is nobody's payout
)

// UnknownSpend is a transfer that left a hot wallet by a transaction that our books do not know.
type UnknownSpend struct {
	Network   string          `bun:",pk" json:"network"`
	Txid      string          `bun:",pk" json:"txid"`
	Token     string          `bun:",pk" json:"token"`
	Position  int             `bun:",pk" json:"position"`
	Recipient string          `json:"recipient"`
	Memo      string          `json:"memo,omitempty"`
	Amount    decimal.Decimal `json:"amount"`
	Height    int64           `json:"height"`
	SeenAt    time.Time       `json:"seen_at"`
	Decision  *SpendDecision  `json:"decision"` // null while it is open
	PayoutID  *uuid.UUID      `json:"payout"`   // that was paid by it
}

// AddUnknownSpends keeps spends that were seen; those that are known stay as they are.
func (s *Store) AddUnknownSpends(ctx context.Context, spends []UnknownSpend) error {
	if len(spends) == 0 {
		return nil
	}
	if _, err := s.Q.NewInsert().Model(&spends).ExcludeColumn("seen_at").On("conflict do nothing").Returning("NULL").Exec(ctx); err != nil {
		return fmt.Errorf("keep unknown spends: %w", err)
	}
	return nil
}

// ForgetSpends removes open spends in blocks above a height: the chain has undone them.
func (s *Store) ForgetSpends(ctx context.Context, network string, above int64) error {
	_, err := s.Q.NewRaw("delete from unknown_spends where network = ? and height > ? and decision is null", network, above).Exec(ctx)
	if err != nil {
		return fmt.Errorf("forget unknown spends: %w", err)
	}
	return nil
}

// OpenSpends lists spends of a network that nobody has decided on, in the order of the chain.
func (s *Store) OpenSpends(ctx context.Context, network string) ([]UnknownSpend, error) {
	return s.spends(ctx, "network = ? and decision is null", network)
}

// LostSpends lists the spends of all networks that are no payout of ours, as far as is known.
func (s *Store) LostSpends(ctx context.Context) ([]UnknownSpend, error) {
	return s.spends(ctx, "decision = ?", SpendLost)
}

// SpendsOf lists the spends of one transaction.
func (s *Store) SpendsOf(ctx context.Context, network, txid string) ([]UnknownSpend, error) {
	return s.spends(ctx, "network = ? and txid = ?", network, txid)
}

func (s *Store) spends(ctx context.Context, where string, args ...any) ([]UnknownSpend, error) {
	out := []UnknownSpend{}
	if err := s.Q.NewSelect().Model(&out).Where(where, args...).Order("network", "height", "txid", "position").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read unknown spends: %w", err)
	}
	return out, nil
}

// DecideSpend writes what was decided of a spend that stands at from (nil: open); false when it does not.
func (s *Store) DecideSpend(ctx context.Context, u *UnknownSpend, from *SpendDecision) (bool, error) {
	res, err := s.Q.NewRaw(`update unknown_spends set decision = ?, payout_id = ?
		where network = ? and txid = ? and token = ? and position = ? and decision is not distinct from ?`,
		u.Decision, u.PayoutID, u.Network, u.Txid, u.Token, u.Position, from).Exec(ctx)
	return changed(res, err, "decide on a spend")
}

// SignedAmong answers which of the given transactions were signed by us.
func (s *Store) SignedAmong(ctx context.Context, network string, txids []string) (map[string]bool, error) {
	out := make(map[string]bool, len(txids))
	err := s.preparedRows(ctx, "look up signed transactions", func(rows *sql.Rows) error {
		var txid string
		err := rows.Scan(&txid)
		out[txid] = true
		return err
	}, "select * from signed_among($1, $2)", network, txids)
	return out, err
}

// OpenPayoutsLike answers the open payouts of a network that ask for this much of a token, the oldest first.
func (s *Store) OpenPayoutsLike(ctx context.Context, network, token string, amount decimal.Decimal) ([]pay.Payout, error) {
	var out []pay.Payout
	err := s.Q.NewSelect().Model(&out).Where("network = ? and wire_status = 'pending'", network).
		Where("token = ? and amount = ?", token, amount).Order("created_at", "id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read open payouts: %w", err)
	}
	return out, nil
}

// HasOpenPayouts tells whether a payout of a network is not completed or refunded.
func (s *Store) HasOpenPayouts(ctx context.Context, network string) (bool, error) {
	var found bool
	err := s.Q.NewRaw("select exists (select from payouts where network = ? and wire_status = 'pending')", network).Scan(ctx, &found)
	return found, one(err, "open payouts of "+network)
}

// ReplaceSignedOf marks the open transactions of a payout as replaced by one that our books did not know.
func (s *Store) ReplaceSignedOf(ctx context.Context, payout uuid.UUID) error {
	_, err := s.Q.NewRaw("update signed_transactions set state = 'replaced' where payout_id = ? and state in ('signed', 'sent', 'rejected')", payout).Exec(ctx)
	if err != nil {
		return fmt.Errorf("mark replaced: %w", err)
	}
	return nil
}
