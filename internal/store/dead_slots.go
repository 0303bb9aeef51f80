package store

import (
	"context"
	"fmt"
)

// DeadSlot is a slot with open transactions, none of which can ever be in a block: their first coin cannot exist any more.
type DeadSlot struct {
	Address string // the hot wallet
	Slot    int64
	Height  int64 // of the final block as proof: the death is undone with it
}

// DeadSlots returns the slots of a network whose first coin cannot exist any more: its maker is in no block and never will be. There are
// three proofs of this: another transaction of the maker's slot is final, the maker has a recorded death, or the maker spends such a coin
// itself. It spends the first coin of its slot in any case, and all coins of the slot if nothing else was signed for it.
func (s *Store) DeadSlots(ctx context.Context, network string) ([]DeadSlot, error) {
	var dead []DeadSlot
	err := s.Q.NewRaw(`with recursive missing as materialized (
			select split_part(c.id, ':', 1) as maker, c.address, c.slot, c.place from coins c
			where c.network = ?0 and c.height is null and c.spent_by is null and c.slot is not null),
		never(txid, height) as (
			select m.maker, d.height from (select distinct maker from missing) m,
				lateral (select t.* from signed_transactions t where t.network = ?0 and t.txid = m.maker and t.place = 0) t,
				lateral (select case t.state when 'expired' then t.height when 'replaced' then (
					select max(o.height) from signed_transactions o where o.payout_id = t.payout_id and o.network = ?0 and o.address = t.address
						and o.nonce = t.nonce and o.txid <> t.txid and o.state in ('final', 'reverted')) end as height) d
			where d.height is not null
			union
			select b.txid, n.height from never n join missing m on m.maker = n.txid,
				lateral (select b.txid from signed_transactions b where b.network = ?0 and b.address = m.address and b.nonce = m.slot and b.open
					and b.state <> 'mined' and (m.place = 0 or not exists (select from signed_transactions o where o.payout_id = b.payout_id
						and o.network = ?0 and o.address = b.address and o.nonce = b.nonce and o.txid <> b.txid)) offset 0) b)
		select m.address, m.slot, min(n.height) as height from missing m join never n on n.txid = m.maker
		where m.place = 0 and exists (
			select from signed_transactions b where b.network = ?0 and b.address = m.address and b.nonce = m.slot and b.open)
		group by m.address, m.slot order by m.address, m.slot`, network).Scan(ctx, &dead)
	if err != nil {
		return nil, fmt.Errorf("look for dead slots of %s: %w", network, err)
	}
	return dead, nil
}

// AliveElsewhere reports whether a payout or move of a transaction has another slot, not dead: a reorganisation
// has undone a death, and both could be mined.
func (s *Store) AliveElsewhere(ctx context.Context, network, txid string) (alive bool, err error) {
	err = s.Q.NewRaw(`select exists (select from signed_transactions t, lateral (
			select from signed_transactions o where o.payout_id = t.payout_id and o.network = t.network and (o.address, o.nonce) <> (t.address, t.nonce)
				and o.state not in ('expired', 'rejected', 'replaced') offset 0) o
		where t.network = ? and t.txid = ?)`, network, txid).Scan(ctx, &alive)
	return alive, one(err, "other slots for the payouts of "+txid)
}

// FreeOtherCoins ends the leases of a dead slot, but for its first coin. Should the death be undone, the slot begins with this coin again.
func (s *Store) FreeOtherCoins(ctx context.Context, network, address string, slot int64) error {
	_, err := s.Q.NewRaw("update coins set slot = null, place = null where network = ? and address = ? and slot = ? and place > 0 and spent_by is null",
		network, address, slot).Exec(ctx)
	if err != nil {
		return fmt.Errorf("free the coins of dead slot %d: %w", slot, err)
	}
	return nil
}

// NextSlot hands out the next slot of a hot wallet, whose row the caller holds (BeginAgain).
func (s *Store) NextSlot(ctx context.Context, network, address string) (number int64, err error) {
	err = s.Q.NewRaw("update signing_nonces set next = next + 1 where network = ? and address = ? returning next - 1", network, address).Scan(ctx, &number)
	return number, one(err, "next slot of "+address)
}
