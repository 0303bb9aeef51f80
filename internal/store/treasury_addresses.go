package store

import (
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// Cold is an address of the operator beside the hot wallet, and the person who has seen the first amount arrive there.
type Cold struct {
	Address     string // in the spelling of transfers
	Watched     bool   // what it holds counts as ours
	ConfirmedBy *string
	ConfirmedAt *time.Time
	AddedAt     time.Time
}

// ColdOf returns the cold addresses of a network, the newest first; former ones are among them.
func (s *Store) ColdOf(ctx context.Context, network string) ([]Cold, error) {
	var out []Cold
	err := s.Q.NewRaw(`select address, height is not null as watched, confirmed_by, confirmed_at, added_at from cold_addresses where network = ? order by added_at desc, address`, network).
		Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read cold addresses of %s: %w", network, err)
	}
	return out, nil
}

// ConfirmCold notes that a person has seen the first amount arrive at a cold address. It has no effect twice, nor before a move to
// the address is done.
func (s *Store) ConfirmCold(ctx context.Context, network, address, by string) (bool, error) {
	res, err := s.Q.NewRaw(`update cold_addresses c set confirmed_by = ?2, confirmed_at = now()
		where network = ?0 and address = ?1 and confirmed_at is null and exists (
			select from treasury_moves m where m.network = c.network and m.to_address = c.address and m.kind = 'cold' and m.status = 'done')`,
		network, address, by).Exec(ctx)
	return changed(res, err, "confirm a cold address")
}

// Unswept is what deposit addresses hold of an asset, by the time since money last came to each.
type Unswept struct {
	Asset     string          `json:"asset"`
	Age       string          `json:"age"` // day, week, month, older, or unknown
	Addresses int64           `json:"addresses"`
	Amount    decimal.Decimal `json:"amount"`
}

// UnsweptAt is what one deposit address holds.
type UnsweptAt struct {
	Address string          `json:"address"`
	Asset   string          `json:"asset"`
	Amount  decimal.Decimal `json:"amount"`
	Since   *time.Time      `json:"since"` // the newest transfer to it; null where none is known
}

// unswept are the holdings of deposit addresses of a network, each with its newest transfer.
const unswept = `with came as materialized (
		select address, max(coalesce(mined_at, seen_at)) as since from transfers where network = ?0 and status <> 'dropped' group by 1),
	held as (select h.address, h.asset, h.amount, c.since from address_holdings h left join came c using (address)
		where h.network = ?0 and h.amount > 0 and h.address <> all(?1::text[]))
	`

// Unswept sums up what deposit addresses of a network held when they were last asked about, by asset and age. Without are addresses
// of another kind.
func (s *Store) Unswept(ctx context.Context, network string, without []string) ([]Unswept, error) {
	out := []Unswept{}
	err := s.Q.NewRaw(unswept+`select asset, age, count(*) as addresses, sum(amount) as amount
		from held, lateral (values (case when since is null then 'unknown' when since > now() - interval '1 day' then 'day'
			when since > now() - interval '7 days' then 'week' when since > now() - interval '30 days' then 'month' else 'older' end,
			coalesce(extract(epoch from since), 0))) as a(age, at)
		group by asset, age order by asset, min(at) desc`, network, pg.Array(without)).Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("add up what is unswept on %s: %w", network, err)
	}
	return out, nil
}

// UnsweptAddresses returns the deposit addresses of a network with money, those first whose newest transfer is the oldest.
func (s *Store) UnsweptAddresses(ctx context.Context, network string, without []string, limit int) ([]UnsweptAt, error) {
	out := []UnsweptAt{}
	err := s.Q.NewRaw(unswept+"select * from held order by since nulls last, amount desc, address, asset limit ?2", network, pg.Array(without), limit).
		Scan(ctx, &out)
	if err != nil {
		return nil, fmt.Errorf("read what is unswept on %s: %w", network, err)
	}
	return out, nil
}
