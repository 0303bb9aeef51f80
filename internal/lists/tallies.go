package lists

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/store"
)

// Tally is how many payins or payouts were made in a span of time and are in a status now.
type Tally struct {
	Starts time.Time
	List   string // payins or payouts
	Status string // as the wire names it
	N      int64
}

// Tallies counts all merchants' payins and payouts by day or hour (days of UTC-03:00, as the lists have them) since a time.
func Tallies(ctx context.Context, s *store.Store, hours bool, since time.Time) ([]Tally, error) {
	return reading(ctx, s, func(s *store.Store) ([]Tally, error) { return tallies(ctx, s, hours, since) })
}

func tallies(ctx context.Context, s *store.Store, hours bool, since time.Time) ([]Tally, error) {
	unit := byDay
	if hours {
		unit = byHour
	}
	var out []Tally
	err := s.Q.NewRaw(`select starts, list, status, sum(n) as n from (
			select starts, list, status, n from list_counts where span = ?0 and starts >= ?1
			union all
			select list_bucket(?0, second), list, status, n from list_changes where second >= ?1) x
		group by 1, 2, 3 having sum(n) > 0 order by 1`, string(unit), since).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("count payins and payouts: %w", err)
	}
	return out, nil
}

// Volume is the sum of payins, or of payouts, of a token since a time.
type Volume struct {
	List   string // payins or payouts
	Token  string
	N      int64
	Amount decimal.Decimal
	USD    decimal.NullDecimal `bun:"usd"` // null: no price tells
}

// Volumes adds up completed payins and payouts not refunded, of those made since a time.
func Volumes(ctx context.Context, s *store.Store, since time.Time) ([]Volume, error) {
	return reading(ctx, s, func(s *store.Store) ([]Volume, error) { return volumes(ctx, s, since) })
}

func volumes(ctx context.Context, s *store.Store, since time.Time) ([]Volume, error) {
	var out []Volume
	err := s.Q.NewRaw(`with moved as (
			select 'payins' as list, token, count(*) as n, sum(received) as amount from payins where id >= ?0 and status = 'completed' group by token
			union all
			select 'payouts', token, count(*), sum(amount) from payouts where id >= ?0 and status in ('queued', 'signed', 'sent', 'completed') group by token)
		select m.*, m.amount * p.price as usd from moved m left join prices p on p.base = m.token and p.quote = 'USD'
		order by m.list, usd desc nulls last, m.token`, store.FirstIDAt(since)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("add up volumes: %w", err)
	}
	return out, nil
}
