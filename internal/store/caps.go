package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// CappedSpend is the amounts of a token on a network signed before, within the last hour and the last day.
type CappedSpend struct{ Hour, Day decimal.Decimal }

// CountCapped counts an amount to be signed now, and returns the amounts counted before. Minutes count whole, so an
// hour is up to a minute longer.
func (s *Store) CountCapped(ctx context.Context, network, token string, amount decimal.Decimal) (CappedSpend, error) {
	var out CappedSpend
	err := s.Q.NewRaw("select hour, day from count_capped(?, ?, ?)", network, token, amount).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("count what is signed under a cap: %w", err)
	}
	return out, nil
}

// NoteCapped notes that a payout is over a cap of the signer; why names the cap.
func (s *Store) NoteCapped(ctx context.Context, payout uuid.UUID, why string) error {
	_, err := s.Q.NewRaw(`insert into capped_payouts (payout_id, why) values (?, ?)
		on conflict (payout_id) do update set why = excluded.why`, payout, why).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note a payout over a cap: %w", err)
	}
	return nil
}

// CappedVitals tells of the payouts over one cap of the signer.
type CappedVitals struct {
	Network  string
	Token    string
	Why      string
	Payouts  int64
	OldestMS int64     // since the oldest was turned away first
	Oldest   uuid.UUID // its id
}

// CappedVitals returns the payouts turned away by a cap of the signer in their last attempt.
func (s *Store) CappedVitals(ctx context.Context) ([]CappedVitals, error) {
	var out []CappedVitals
	err := s.Q.NewRaw(`select p.network, p.token, c.why, count(*) as payouts,
			greatest(0, extract(epoch from now() - min(c.at)) * 1000)::bigint as oldest_ms, (array_agg(p.id order by c.at, p.id))[1] as oldest
		from capped_payouts c join payouts p on p.id = c.payout_id and p.status = 'queued' and not p.cancelling
			join jobs j on j.kind = 'payout.broadcast' and j.ref = p.id and j.last_error = c.why
		group by p.network, p.token, c.why order by p.network, p.token, c.why`).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read payouts over a cap: %w", err)
	}
	return out, nil
}
