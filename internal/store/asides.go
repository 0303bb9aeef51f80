package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pg"
)

// Aside is native coin that reached an address of ours and is no payment, or that transactions of others took from it.
type Aside struct {
	Subject       uuid.UUID // of its entries (ledger.Aside)
	Txid, Address string    // the address in the spelling of transfers
	Amount        decimal.Decimal
	Height        int64
	Entries       int // how many there are, the one to be posted now included
}

// Turn is the turn of the entry to be posted now.
func (a *Aside) Turn() int { return a.Entries - 1 }

// AddAsides keeps asides seen in blocks. It returns those to be booked now: the others are booked already.
func (s *Store) AddAsides(ctx context.Context, network string, all []Aside) (fresh []Aside, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	subjects, txids, addresses := make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
	amounts, heights := make([]string, len(all)), make([]int64, len(all))
	for i := range all {
		a := &all[i]
		subjects[i], txids[i], addresses[i], amounts[i], heights[i] = a.Subject.String(), a.Txid, a.Address, a.Amount.String(), a.Height
	}
	err = s.Q.NewRaw(`insert into asides as a (subject, network, txid, address, amount, height, entries)
		select distinct on (x.subject) x.subject, ?0, x.txid, x.address, x.amount, x.height, 1
		from unnest(?1::uuid[], ?2::text[], ?3::text[], ?4::numeric[], ?5::bigint[]) as x(subject, txid, address, amount, height) order by x.subject
		on conflict (subject) do update set height = excluded.height, entries = a.entries + 1, seen_at = now() where a.height is null
		returning subject, txid, address, amount, height, entries`,
		network, pg.Array(subjects), pg.Array(txids), pg.Array(addresses), pg.Array(amounts), pg.Array(heights)).Scan(ctx, &fresh)
	if err != nil {
		return nil, fmt.Errorf("keep what came or was taken beside payments: %w", err)
	}
	return fresh, nil
}

// UndoAsides notes that the blocks of asides above a height are gone, and returns these: each is to be taken back.
func (s *Store) UndoAsides(ctx context.Context, network string, above int64) (undone []Aside, err error) {
	err = s.Q.NewRaw(`with gone as (select subject, height from asides where network = ?0 and height > ?1 order by subject for update)
		update asides a set height = null, entries = a.entries + 1, seen_at = now() from gone g where a.subject = g.subject
		returning a.subject, a.txid, a.address, a.amount, g.height, a.entries`, network, above).Scan(ctx, &undone)
	if err != nil {
		return nil, fmt.Errorf("undo what came or was taken beside payments: %w", err)
	}
	return undone, nil
}
