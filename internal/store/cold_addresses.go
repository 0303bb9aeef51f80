package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
)

// OpenCold keeps the block at which the holdings of a cold address were booked. It returns false if they are booked already.
func (s *Store) OpenCold(ctx context.Context, network, address string, height int64) (bool, error) {
	res, err := s.Q.NewRaw(`insert into cold_addresses as c (network, address, height) values (?, ?, ?)
		on conflict (network, address) do update set height = excluded.height where c.height is null`, network, address, height).Exec(ctx)
	return changed(res, err, "open a cold address")
}

// UndoCold notes that the cold addresses of a network opened above a height are to be opened again, and returns them in order.
func (s *Store) UndoCold(ctx context.Context, network string, above int64) (addresses []string, err error) {
	err = s.Q.NewRaw(`with undone as (
			update cold_addresses set height = null where network = ? and height > ? returning address)
		select address from undone order by address`, network, above).Scan(ctx, &addresses)
	if err != nil {
		return nil, fmt.Errorf("undo cold addresses: %w", err)
	}
	return addresses, nil
}

// ColdAddresses returns the cold addresses of a network, of now and of before, in order: those whose holdings are in the books, and the
// others.
func (s *Store) ColdAddresses(ctx context.Context, network string) (booked, others []string, err error) {
	var rows []struct {
		Address string
		Booked  bool
	}
	err = s.Q.NewRaw("select address, height is not null as booked from cold_addresses where network = ? order by address", network).Scan(ctx, &rows)
	if err != nil {
		return nil, nil, fmt.Errorf("read cold addresses: %w", err)
	}
	for _, r := range rows {
		if r.Booked {
			booked = append(booked, r.Address)
		} else {
			others = append(others, r.Address)
		}
	}
	return booked, others, nil
}

// Booked is an amount in the ledger under one subject.
type Booked struct {
	Amount decimal.Decimal // zero when it was taken back
	Times  int             // how many entries there are
}

// OpeningBooked returns what the ledger has of the opening of an address, by its subject (ledger.Cold).
func (s *Store) OpeningBooked(ctx context.Context, subject uuid.UUID) (b Booked, err error) {
	err = s.Q.NewRaw(`select coalesce(sum(case when f.name like 'outside:%' then p.amount else -p.amount end), 0) as amount, count(distinct e.id) as times
		from entries e join postings p on p.id between e.id * 16 and e.id * 16 + 15 join accounts f on f.id = p.from_account
		where e.subject = ? and e.kind = 'treasury_opened'`, subject).Scan(ctx, &b)
	return b, one(err, "what is booked of a cold address")
}

// ColdSpent returns by network and asset the amounts that have left cold addresses and that no operator has booked yet.
func (s *Store) ColdSpent(ctx context.Context) (map[string]map[string]decimal.Decimal, error) {
	var rows []struct {
		Network, Asset string
		Spent          decimal.Decimal
	}
	err := s.Q.NewRaw(`select u.network, k.balance_key as asset, sum(u.amount) as spent from unknown_spends u
			join tokens k on k.network = u.network and k.symbol = u.token
		where u.sender <> '' and u.decision is null and u.undone_at is null group by u.network, k.balance_key`).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("add up spends of cold addresses: %w", err)
	}
	out := map[string]map[string]decimal.Decimal{}
	for _, r := range rows {
		if out[r.Network] == nil {
			out[r.Network] = map[string]decimal.Decimal{}
		}
		out[r.Network][r.Asset] = r.Spent
	}
	return out, nil
}
