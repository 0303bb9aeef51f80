package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// TwoPeople returns the worth in USD of payouts: above it two people approve. null: one person is enough for every
// payout.
func (s *Store) TwoPeople(ctx context.Context) (above decimal.NullDecimal, err error) {
	err = s.Q.NewRaw("select above from two_people").Scan(ctx, &above)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return above, fmt.Errorf("read when two people approve: %w", err)
	}
	return above, nil
}

// SetTwoPeople sets the worth in USD of payouts: above it two people approve. null: one person is enough for every
// payout.
func (s *Store) SetTwoPeople(ctx context.Context, above decimal.NullDecimal) (err error) {
	if above.Valid {
		_, err = s.Q.NewRaw("insert into two_people (above) values (?) on conflict (one) do update set above = excluded.above", above.Decimal).Exec(ctx)
	} else {
		_, err = s.Q.NewRaw("delete from two_people").Exec(ctx)
	}
	if err != nil {
		return fmt.Errorf("set when two people approve: %w", err)
	}
	return nil
}

// Approvers are the approvals needed and given for a payout as it is sealed now.
type Approvers struct {
	TwoPeople bool    // it needs two
	FirstBy   *string // the first of two; nil: nobody yet
	Approved  bool    // nobody is needed any more
}

// ApproversOf reads the approvers of a payout. The caller has locked its row.
func (s *Store) ApproversOf(ctx context.Context, payout *pay.Payout) (out Approvers, err error) {
	err = s.Q.NewRaw(`select payout_for_two(p) is not null as two_people, case when a.seal = p.seal then a.first_by end as first_by,
			coalesce(a.decision = 'approved' and a.seal = p.seal, false) as approved
		from payouts p left join payout_approvals a on a.payout_id = p.id where p.id = ?`, payout.ID).Scan(ctx, &out)
	if err != nil {
		return out, fmt.Errorf("read who approves: %w", err)
	}
	return out, nil
}

// ApproveFirst notes the first of two people approving a payout, for the seal of the payout as it was read. It goes on
// waiting.
func (s *Store) ApproveFirst(ctx context.Context, payout *pay.Payout, by string) error {
	_, err := s.Q.NewRaw(`insert into payout_approvals (payout_id, why, first_by, first_at, seal)
			select p.id, coalesce(`+waitsWhy+`, payout_for_two(p), 'decided beforehand'), ?1, now(), ?2 from payouts p `+ofPayouts+` where p.id = ?0
		on conflict (payout_id) do update set first_by = excluded.first_by, first_at = excluded.first_at, seal = excluded.seal,
			decision = null, decided_by = null, decided_at = null`, payout.ID, by, payout.Seal).Exec(ctx)
	if err != nil {
		return fmt.Errorf("note the first approval: %w", err)
	}
	return nil
}
