package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// PostingRow is one posting with its accounts and entry.
type PostingRow struct {
	Entry        int64               `json:"entry"` // its number: postings of one event share it
	Kind         string              `json:"kind"`  // of the event
	From         string              `bun:"from_name" json:"from"`
	To           string              `bun:"to_name" json:"to"`
	Asset        string              `json:"asset"`
	Amount       decimal.Decimal     `json:"amount"`
	Movement     *string             `json:"movement"`
	BalanceAfter decimal.NullDecimal `json:"balance_after"`
	CreatedAt    time.Time           `json:"created_at"`
}

// PostingsOf returns the postings of entries about these payouts, transfers and others (ledger.Reference), oldest first.
func (s *Store) PostingsOf(ctx context.Context, subjects []uuid.UUID) ([]PostingRow, error) {
	out := []PostingRow{}
	err := s.Q.NewRaw(`select e.id as entry, e.kind, f.name as from_name, t.name as to_name, p.asset, p.amount, p.movement, p.balance_after, p.created_at
		from entries e join postings p on p.id between e.id * 16 and e.id * 16 + 15
		join accounts f on f.id = p.from_account join accounts t on t.id = p.to_account
		where e.subject = any(?) order by p.id`, pg.Array(subjects)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read postings: %w", err)
	}
	return out, nil
}

// BookedGas is the cost of a transaction, as the ledger has it.
type BookedGas struct {
	Cost  decimal.Decimal // zero when it was given back
	Times int             // how many entries there are
}

// GasBooked returns the costs of transactions in the ledger, by the subjects under which they are booked (ledger.Gas).
// A subject without an entry is missing.
func (s *Store) GasBooked(ctx context.Context, subjects []uuid.UUID) (map[uuid.UUID]BookedGas, error) {
	out := map[uuid.UUID]BookedGas{}
	if len(subjects) == 0 {
		return out, nil
	}
	var rows []struct {
		Subject uuid.UUID
		BookedGas
	}
	err := s.Q.NewRaw(`select e.subject, coalesce(sum(case when f.name like 'outside:%' then -p.amount else p.amount end), 0) as cost, count(distinct e.id) as times
		from entries e left join postings p on p.id between e.id * 16 and e.id * 16 + 15 left join accounts f on f.id = p.from_account
		where e.subject = any(?) and e.kind = 'gas_spent' group by 1`, pg.Array(subjects)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("read booked gas: %w", err)
	}
	for _, r := range rows {
		out[r.Subject] = r.BookedGas
	}
	return out, nil
}
