package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/internal/pg"
)

// TakenSlot is a slot whose first coin a transaction unknown to the books has spent.
type TakenSlot struct {
	Txid    string // of that transaction
	Height  int64  // of its block
	Address string // the hot wallet
	Slot    int64
	Ours    []string // the transactions signed for the slot
	Raws    [][]byte // their bytes
}

// TakenSlots returns the slots whose first coins are among those spent, by transactions unknown to the books.
func (s *Store) TakenSlots(ctx context.Context, network string, spent []SpentCoin) ([]TakenSlot, error) {
	if len(spent) == 0 {
		return nil, nil
	}
	ids, txids, heights := make([]string, len(spent)), make([]string, len(spent)), make([]int64, len(spent))
	for i, c := range spent {
		ids[i], txids[i], heights[i] = c.ID, c.Txid, c.Height
	}
	var rows []struct {
		Txid    string
		Height  int64
		Address string
		Slot    int64
		Ours    string
		Raw     []byte
	}
	err := s.Q.NewRaw(`select s.txid, s.height, c.address, c.slot, o.txid as ours, o.raw
		from unnest(?1::text[], ?2::text[], ?3::bigint[]) as s(id, txid, height)
		join coins c on c.network = ?0 and c.id = s.id and c.place = 0 and c.slot is not null,
		lateral (select distinct t.txid from signed_transactions a join signed_transactions t on t.payout_id = a.payout_id
			where a.network = ?0 and a.address = c.address and a.nonce = c.slot and a.open
			and t.network = ?0 and t.address = c.address and t.nonce = c.slot) t
		join signed_transactions o on o.network = ?0 and o.txid = t.txid and o.place = 0
		where not exists (select from signed_transactions k where k.network = ?0 and k.txid = s.txid)
		order by s.height, s.txid, c.slot, o.signed_at, o.txid`, network, pg.Array(ids), pg.Array(txids), pg.Array(heights)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("look for taken slots: %w", err)
	}
	var out []TakenSlot
	for _, r := range rows {
		if last := len(out) - 1; last < 0 || out[last].Txid != r.Txid || out[last].Slot != r.Slot || out[last].Address != r.Address {
			out = append(out, TakenSlot{Txid: r.Txid, Height: r.Height, Address: r.Address, Slot: r.Slot})
		}
		one := &out[len(out)-1]
		one.Ours, one.Raws = append(one.Ours, r.Ours), append(one.Raws, r.Raw)
	}
	return out, nil
}

// Copy is a mined transaction that does the same as one of ours, under another id.
type Copy struct {
	Txid, Of string
	Raw      []byte
	Height   int64
	Block    uuid.UUID
}

// AdoptCopies keeps copies as transactions of ours, mined: each has the payouts, purposes, slot and fee of its original. A stop of the
// wallet for a copy seen before is over.
func (s *Store) AdoptCopies(ctx context.Context, network string, copies []Copy) error {
	txids, originals, raws := make([]string, len(copies)), make([]string, len(copies)), make([][]byte, len(copies))
	heights, blocks := make([]int64, len(copies)), make([]uuid.UUID, len(copies))
	for i, c := range copies {
		txids[i], originals[i], raws[i], heights[i], blocks[i] = c.Txid, c.Of, c.Raw, c.Height, c.Block
	}
	_, err := pg.Exec(ctx, s.Q, "adopt copies", "select adopt_copies($1, $2, $3, $4, $5, $6)", network, txids, originals, raws, heights, blocks)
	return err
}
