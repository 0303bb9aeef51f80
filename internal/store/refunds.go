package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

// LockPayin reads a payin, and keeps others from refunding it, and its network from taking anything back, until the transaction ends.
func (s *Store) LockPayin(ctx context.Context, id uuid.UUID) (*pay.Payin, error) {
	found, err := s.PayinsForUpdate(ctx, []uuid.UUID{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, fmt.Errorf("payin %s: %w", id, pay.ErrNotFound)
	}
	return found[id], nil
}

// Refundable returns what came for a payin and is final, by token and network, with what of it was refunded. A decision on money takes it
// with the payin locked.
func (s *Store) Refundable(ctx context.Context, payin uuid.UUID) (out []pay.Refundable, err error) {
	err = s.Q.NewRaw(`select t.network, t.token, sum(t.credited) as arrived, sum(t.counted) as counted, refunded(t.payin_id, t.network, t.token) as refunded
		from transfers t where t.payin_id = ? and t.status = 'final' group by t.payin_id, t.network, t.token order by t.network, t.token`, payin).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read what is refundable: %w", err)
	}
	return out, nil
}

// AddRefund records a refund; false when the merchant has the reference already. A payin that is not completed will be completed no more:
// money that is given back completes nothing. The caller holds the payin.
func (s *Store) AddRefund(ctx context.Context, r *pay.Refund) (bool, error) {
	res, err := s.Q.NewInsert().Model(r).On("conflict (merchant_id, reference_id) do nothing").Returning("created_at").Exec(ctx)
	added, err := changed(res, err, "add refund")
	if err != nil || !added {
		return added, err
	}
	_, err = s.Q.NewRaw("update payins set given_back = true where id = ? and status <> 'completed' and not given_back", r.PayinID).Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("mark the payin of a refund: %w", err)
	}
	return true, nil
}

// Refund reads a refund by its id.
func (s *Store) Refund(ctx context.Context, id uuid.UUID) (*pay.Refund, error) {
	r := new(pay.Refund)
	err := s.Q.NewSelect().Model(r).Where("id = ?", id).Scan(ctx)
	return r, one(err, "refund "+id.String())
}

// MerchantRefund reads a refund of a merchant by its id, or by the merchant's reference.
func (s *Store) MerchantRefund(ctx context.Context, merchant, id uuid.UUID, reference string) (*pay.Refund, error) {
	r := new(pay.Refund)
	err := s.Q.NewSelect().Model(r).Where("merchant_id = ?", merchant).Where("id = ? or reference_id = ?", id, reference).
		OrderExpr("id = ? desc", id).Limit(1).Scan(ctx)
	return r, one(err, "refund "+reference)
}

// mostRefunds bounds the refunds shown of a payin.
const mostRefunds = 500

// RefundsOf returns the refunds of a payin, newest first, at most mostRefunds.
func (s *Store) RefundsOf(ctx context.Context, payin uuid.UUID) (out []pay.Refund, err error) {
	if err := s.Q.NewSelect().Model(&out).Where("payin_id = ?", payin).OrderExpr("id desc").Limit(mostRefunds).Scan(ctx); err != nil {
		return nil, fmt.Errorf("read refunds: %w", err)
	}
	return out, nil
}

// PayRefund notes the payout of a promised refund; false when the promise has ended, or was kept already. The caller holds the payin.
func (s *Store) PayRefund(ctx context.Context, id, payout uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update refunds set payout_id = ? where id = ? and payout_id is null and revoked_at is null and expires_at > now()", payout, id).Exec(ctx)
	return changed(res, err, "pay refund")
}

// RevokeRefund ends the link of a merchant's refund; false when there is no open one.
func (s *Store) RevokeRefund(ctx context.Context, merchant, id uuid.UUID) (bool, error) {
	res, err := s.Q.NewRaw("update refunds set revoked_at = now() where id = ? and merchant_id = ? and payout_id is null and revoked_at is null and expires_at > now()",
		id, merchant).Exec(ctx)
	return changed(res, err, "revoke refund")
}

// IsOurs reports whether an address, in the spelling of transfers, is of a payin, a fixed wallet or our own treasury.
func (s *Store) IsOurs(ctx context.Context, family pay.Family, match string) (ours bool, err error) {
	err = s.Q.NewRaw(`select exists (select from addresses where family = ? and match = ?) or exists (select from cold_addresses where address = ?)`,
		family, match, match).Scan(ctx, &ours)
	if err != nil {
		return false, fmt.Errorf("look whose an address is: %w", err)
	}
	return ours, nil
}

// HasPayout reports whether a merchant has a payout of a reference.
func (s *Store) HasPayout(ctx context.Context, merchant uuid.UUID, reference string) (found bool, err error) {
	err = s.Q.NewRaw("select exists (select from payouts where merchant_id = ? and reference_id = ?)", merchant, reference).Scan(ctx, &found)
	if err != nil {
		return false, fmt.Errorf("look for a payout: %w", err)
	}
	return found, nil
}

// MayWithdraw reports whether a person may withdraw for a merchant now.
func (s *Store) MayWithdraw(ctx context.Context, merchant uuid.UUID, email string) (may bool, err error) {
	err = s.Q.NewRaw(`select exists (select from members m join people p on p.id = m.person_id
		where m.merchant_id = ? and p.email = ? and m.role in ('owner', 'finance') and p.locked_at is null)`, merchant, email).Scan(ctx, &may)
	if err != nil {
		return false, fmt.Errorf("look for a member: %w", err)
	}
	return may, nil
}
