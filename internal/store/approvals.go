package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/uptrace/bun"

	"causeway/internal/pay"
)

// sameSeal holds if a note a was decided on its payout's seal.
const sameSeal = "a.seal = (select p.seal from payouts p where p.id = a.payout_id)"

// AskApproval notes why a payout waits. It takes back a decision made on another seal than the payout has now. The note
// is locked until the transaction ends: a decision comes before it or after it.
func (s *Store) AskApproval(ctx context.Context, payout uuid.UUID, why string) error {
	_, err := s.Q.NewRaw(`insert into payout_approvals as a (payout_id, why) values (?0, ?1)
		on conflict (payout_id) do update set why = excluded.why,
			decision = case when `+sameSeal+` then a.decision end, decided_by = case when `+sameSeal+` then a.decided_by end,
			decided_at = case when `+sameSeal+` then a.decided_at end,
			first_by = case when `+sameSeal+` then a.first_by end, first_at = case when `+sameSeal+` then a.first_at end`, payout, why).Exec(ctx)
	if err != nil {
		return fmt.Errorf("ask for approval: %w", err)
	}
	return nil
}

// HoldForDecision holds a waiting payout: only a decision or another limit lets it go on, never time.
func (s *Store) HoldForDecision(ctx context.Context, payout uuid.UUID, why string) error {
	_, err := s.Q.NewRaw("update payout_approvals set held = true, why = ? where payout_id = ?", why, payout).Exec(ctx)
	if err != nil {
		return fmt.Errorf("hold for a decision: %w", err)
	}
	return nil
}

// Approval is a payout waiting for an operator, or an operator's decision of it.
type Approval struct {
	PayoutID  uuid.UUID           `json:"payout_id"`
	Why       string              `json:"why"`
	Owes      decimal.NullDecimal `json:"owes"` // the account's debt in the payout's asset; null = nothing
	AskedAt   time.Time           `json:"asked_at"`
	Decision  *string             `json:"decision"` // Approved or Declined; null = it waits
	DecidedBy *string             `json:"decided_by"`
	DecidedAt *time.Time          `json:"decided_at"`
	TwoPeople bool                `json:"two_people"` // two people approve it
	FirstBy   *string             `json:"first_by"`   // the first of them; null = nobody yet, or one was enough
	FirstAt   *time.Time          `json:"first_at"`
}

// The decisions of a payout.
const (
	Approved = "approved"
	Declined = "declined"
)

// Decide notes an operator's decision of a payout, waiting or not. The decision is for the seal of the payout as it was
// read.
func (s *Store) Decide(ctx context.Context, payout *pay.Payout, decision, by string) error {
	_, err := s.Q.NewRaw(`insert into payout_approvals (payout_id, why, decision, decided_by, decided_at, seal)
			select p.id, coalesce(`+waitsWhy+`, 'decided beforehand'), ?1, ?2, now(), ?3
			from payouts p `+ofPayouts+` where p.id = ?0
		on conflict (payout_id) do update set decision = excluded.decision, decided_by = excluded.decided_by, decided_at = excluded.decided_at,
			seal = excluded.seal`, payout.ID, decision, by, payout.Seal).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note a decision: %w", err)
	}
	return nil
}

// whySuspended is why payouts of a suspended merchant wait, as payouts_over_limits says it.
const whySuspended = "its merchant is suspended"

// whyOwes begins the reason for which payouts of an account in debt wait, as payouts_over_limits writes it.
const whyOwes = "its account owes "

// Payouts wait for an operator by these conditions on payouts p, their merchants m, the debts d of their accounts, and
// their notes a. A note is written when a worker turns a payout away. A suspension and a debt hold a payout without a
// note. A note that names one of them counts no more when it has ended.
const (
	waits = `p.status = 'queued' and not p.cancelling and
		case when m.suspended or d.owed > 0 then a.decision is distinct from 'approved' else a.decision is null and ` + namesLimit + ` end`
	namesLimit = `a.why <> '` + whySuspended + `' and not starts_with(a.why, '` + whyOwes + `')`
	waitsWhy   = `case when m.suspended and a.decision is null then '` + whySuspended + `'
		when d.owed > 0 and a.decision is null and (` + namesLimit + `) is not true then '` + whyOwes + `' || trim_scale(d.owed) || ' ' || d.asset
		else a.why end`
	waitsSince = `case when (m.suspended or d.owed > 0) and a.decision is null then least(a.asked_at, greatest(p.created_at,
			least(case when m.suspended then m.suspension_changed_at end, case when d.owed > 0 then d.changed_at end)))
		else coalesce(a.asked_at, p.created_at) end`
	forTwo    = `payout_for_two(p) is not null as two_people, case when a.seal = p.seal then a.first_by end as first_by, case when a.seal = p.seal then a.first_at end as first_at`
	owes      = `case when d.owed > 0 then d.owed end`
	ofPayouts = `join merchants m on m.id = p.merchant_id left join payout_approvals a on a.payout_id = p.id
		left join debts d on d.merchant_id = p.merchant_id and d.asset = p.asset`
	mayWait = `(with open as materialized (select id, merchant_id, asset from payouts where wire_status = 'pending' and status = 'queued'
				and (exists (select from merchants where suspended) or exists (select from debts where owed > 0)))
			select o.id from open o join merchants m on m.id = o.merchant_id and m.suspended
			union select o.id from open o join debts d on d.merchant_id = o.merchant_id and d.asset = o.asset and d.owed > 0
			union select payout_id from payout_approvals where decision is null) c
		join payouts p on p.id = c.id ` + ofPayouts
)

// ApprovalOf reads the approval of a payout; nil when the payout neither waits nor was decided.
func (s *Store) ApprovalOf(ctx context.Context, payout uuid.UUID) (*Approval, error) {
	var rows []Approval
	err := s.Q.NewRaw(`select p.id as payout_id, `+waitsWhy+` as why, `+owes+` as owes, `+waitsSince+` as asked_at, a.decision, a.decided_by, a.decided_at, `+forTwo+`
		from payouts p `+ofPayouts+` where p.id = ? and (a.decision is not null or `+waits+`)`, payout).Scan(ctx, &rows)
	if err != nil || len(rows) == 0 {
		if err != nil {
			err = fmt.Errorf("read approval: %w", err)
		}
		return nil, err
	}
	return &rows[0], nil
}

// WaitingPayout is a payout waiting for approval.
type WaitingPayout struct {
	pay.Payout `bun:",extend"`
	Merchant   string              `json:"merchant"` // its name
	Why        string              `json:"why"`
	Owes       decimal.NullDecimal `json:"owes"` // the account's debt in the payout's asset; null = nothing
	AskedAt    time.Time           `json:"asked_at"`
	TwoPeople  bool                `json:"two_people"` // two people approve it
	FirstBy    *string             `json:"first_by"`   // the first of them; null = nobody yet
	FirstAt    *time.Time          `json:"first_at"`
}

// WaitingPayouts lists payouts waiting for approval, longest first. It begins after a payout, whether or not this still
// waits, or at the first where after is uuid.Nil.
func (s *Store) WaitingPayouts(ctx context.Context, after uuid.UUID, limit int) ([]WaitingPayout, error) {
	var out []WaitingPayout
	err := s.Q.NewRaw(`select `+wholePayout+`, m.name as merchant, `+waitsWhy+` as why, `+owes+` as owes, `+waitsSince+` as asked_at, `+forTwo+` from `+mayWait+`
		where `+waits+` and (?0 = ?1 or (`+waitsSince+`, p.id) > (select `+waitsSince+`, p.id from payouts p `+ofPayouts+` where p.id = ?0))
		order by `+waitsSince+`, p.id limit ?2`, after, uuid.Nil, limit).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("list payouts that wait: %w", err)
	}
	return out, nil
}

// WaitingAmong returns those of the given payouts waiting for approval.
func (s *Store) WaitingAmong(ctx context.Context, payouts []uuid.UUID) (map[uuid.UUID]bool, error) {
	out := map[uuid.UUID]bool{}
	if len(payouts) == 0 {
		return out, nil
	}
	var ids []uuid.UUID
	err := s.Q.NewRaw("select p.id from payouts p "+ofPayouts+" where "+waits+" and p.id in (?)",
		bun.List(payouts)).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("read which payouts wait: %w", err)
	}
	for _, id := range ids {
		out[id] = true
	}
	return out, nil
}

// WakeWaiting makes the payouts of a merchant waiting for approval due now, since its limits have changed or it is not
// suspended any more. uuid.Nil is every merchant.
func (s *Store) WakeWaiting(ctx context.Context, kind string, merchant uuid.UUID) error {
	_, err := s.Q.NewRaw(`with waiting as materialized (
			select j.kind, j.ref from payout_approvals a join payouts p on p.id = a.payout_id join jobs j on j.kind = ?0 and j.ref = p.id
			where a.decision is null and (?1 = ?2 or p.merchant_id = ?1) and p.status = 'queued' order by j.ref for update of j)
		update jobs j set run_at = least(j.run_at, now()) from waiting w where j.kind = w.kind and j.ref = w.ref`, kind, merchant, uuid.Nil).Exec(ctx)
	if err != nil {
		return fmt.Errorf("wake payouts that wait: %w", err)
	}
	return nil
}

// WaitingCounts counts the payouts and transfers waiting for an operator.
type WaitingCounts struct {
	Approvals int64
	Unclaimed int64
}

// WaitingCounts counts for the menu.
func (s *Store) WaitingCounts(ctx context.Context) (WaitingCounts, error) {
	var out WaitingCounts
	err := s.Q.NewRaw(`select
		(select count(*) from `+mayWait+` where `+waits+`) as approvals,
		(select count(*) from transfers where unclaimed) as unclaimed`).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("count what waits: %w", err)
	}
	return out, nil
}
