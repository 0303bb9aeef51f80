package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/pay"
)

// PayoutLimit is the amount above which payouts of a merchant wait for an operator: of an asset, or worth in a fiat.
type PayoutLimit struct {
	MerchantID uuid.UUID       `bun:",pk" json:"merchant_id"`
	Unit       string          `bun:",pk" json:"unit"`
	Above      decimal.Decimal `json:"above"`
}

// PayoutLimits lists a merchant's limits.
func (s *Store) PayoutLimits(ctx context.Context, merchant uuid.UUID) ([]PayoutLimit, error) {
	out := []PayoutLimit{}
	if err := s.Q.NewSelect().Model(&out).Where("merchant_id = ?", merchant).Order("unit").Scan(ctx); err != nil {
		return nil, fmt.Errorf("read payout limits: %w", err)
	}
	return out, nil
}

// SavePayoutLimit sets a limit in place of the one that was.
func (s *Store) SavePayoutLimit(ctx context.Context, l *PayoutLimit) error {
	_, err := s.Q.NewInsert().Model(l).On("conflict (merchant_id, unit) do update").Set("above = excluded.above").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save payout limit: %w", err)
	}
	return nil
}

// DropPayoutLimit removes a limit; false when there was none.
func (s *Store) DropPayoutLimit(ctx context.Context, merchant uuid.UUID, unit string) (bool, error) {
	res, err := s.Q.NewRaw("delete from payout_limits where merchant_id = ? and unit = ?", merchant, unit).Exec(ctx)
	return changed(res, err, "drop payout limit")
}

// LimitedMerchants answers which merchants have a limit at all.
func (s *Store) LimitedMerchants(ctx context.Context) (map[uuid.UUID]bool, error) {
	var rows []uuid.UUID
	if err := s.Q.NewRaw("select distinct merchant_id from payout_limits").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("read limited merchants: %w", err)
	}
	out := make(map[uuid.UUID]bool, len(rows))
	for _, id := range rows {
		out[id] = true
	}
	return out, nil
}

// OverLimit says which limit a payout is above without an operator's approval; empty when it may be signed. In the
// transaction that signs, it is the word that counts.
func (s *Store) OverLimit(ctx context.Context, payout uuid.UUID) (string, error) {
	var why string
	err := s.Q.NewRaw(`select coalesce(max(payout_over_limit(p)), '') from payouts p where p.id = ?
		and not exists (select from payout_approvals a where a.payout_id = p.id and a.decision = 'approved')`, payout).Scan(ctx, &why)
	if err != nil {
		return "", fmt.Errorf("compare a payout with its limits: %w", err)
	}
	return why, nil
}

// AskApproval notes that a payout waits, and why. The note is locked until the transaction ends: a decision comes before
// it or after it.
func (s *Store) AskApproval(ctx context.Context, payout uuid.UUID, why string) error {
	_, err := s.Q.NewRaw(`insert into payout_approvals as a (payout_id, why) values (?, ?)
		on conflict (payout_id) do update set why = excluded.why`, payout, why).Exec(ctx)
	if err != nil {
		return fmt.Errorf("ask for approval: %w", err)
	}
	return nil
}

// Approval is a payout that waits for an operator, or what was decided of it.
type Approval struct {
	PayoutID  uuid.UUID  `json:"payout_id"`
	Why       string     `json:"why"`
	AskedAt   time.Time  `json:"asked_at"`
	Decision  *string    `json:"decision"` // approved or refused; null = it waits
	DecidedBy *string    `json:"decided_by"`
	DecidedAt *time.Time `json:"decided_at"`
}

// Decide notes an operator's decision of a payout, waiting or not.
func (s *Store) Decide(ctx context.Context, payout uuid.UUID, decision, by string) error {
	_, err := s.Q.NewRaw(`insert into payout_approvals (payout_id, why, decision, decided_by, decided_at) values (?, 'decided beforehand', ?, ?, now())
		on conflict (payout_id) do update set decision = excluded.decision, decided_by = excluded.decided_by, decided_at = excluded.decided_at`,
		payout, decision, by).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note a decision: %w", err)
	}
	return nil
}

// ApprovalOf reads what waits or was decided of a payout; nil when nothing was asked.
func (s *Store) ApprovalOf(ctx context.Context, payout uuid.UUID) (*Approval, error) {
	var rows []Approval
	err := s.Q.NewRaw("select * from payout_approvals where payout_id = ?", payout).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		if err != nil {
			err = fmt.Errorf("read approval: %w", err)
		}
		return nil, err
	}
	return &rows[0], nil
}

// WaitingPayout is a payout that waits for approval.
type WaitingPayout struct {
	pay.Payout `bun:",extend"`
	Merchant   string    `json:"merchant"` // its name
	Why        string    `json:"why"`
	AskedAt    time.Time `json:"asked_at"`
}

// WaitingPayouts lists what waits for approval, longest first.
func (s *Store) WaitingPayouts(ctx context.Context, limit int) ([]WaitingPayout, error) {
	out := []WaitingPayout{}
	err := s.Q.NewRaw(`select `+wholePayout+`, m.name as merchant, a.why, a.asked_at from payout_approvals a
		join payouts p on p.id = a.payout_id join merchants m on m.id = p.merchant_id
		where a.decision is null and p.status = 'queued' and not p.cancelling order by a.asked_at, p.id limit ?`, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("list payouts that wait: %w", err)
	}
	return out, nil
}

// WakeWaiting makes the payouts of a merchant that wait for approval due now, since its limits have changed.
func (s *Store) WakeWaiting(ctx context.Context, kind string, merchant uuid.UUID) error {
	_, err := s.Q.NewRaw(`with waiting as materialized (
			select j.kind, j.ref from payout_approvals a join payouts p on p.id = a.payout_id join jobs j on j.kind = ? and j.ref = p.id
			where a.decision is null and p.merchant_id = ? and p.status = 'queued' order by j.ref for update of j)
		update jobs j set run_at = least(j.run_at, now()) from waiting w where j.kind = w.kind and j.ref = w.ref`, kind, merchant).Exec(ctx)
	if err != nil {
		return fmt.Errorf("wake payouts that wait: %w", err)
	}
	return nil
}
