package store

import (
	"context"
	"fmt"
)

// DeadSlot is a slot with open transactions, none of which can ever be in a block: the coin that each of them spends cannot exist any more.
type DeadSlot struct {
	Address string // the hot wallet
	Slot    int64
	Height  int64 // of the final block that is the proof: the death is undone with this block
}

// DeadSlots returns the slots of a network whose first coin cannot exist any more, since what was to make it is in no block and never will
// be: another transaction of its slot is final, or its own slot is dead.
func (s *Store) DeadSlots(ctx context.Context, network string) ([]DeadSlot, error) {
	var dead []DeadSlot
	err := s.Q.NewRaw(`select c.address, c.slot, d.height from coins c,
			lateral (select t.payout_id, t.address, t.nonce, t.txid, t.state, t.height from signed_transactions t
				where t.network = ?0 and t.txid = split_part(c.id, ':', 1) and t.place = 0) t,
			lateral (select case t.state when 'expired' then t.height when 'replaced' then (
				select max(o.height) from signed_transactions o where o.payout_id = t.payout_id and o.network = ?0 and o.address = t.address
					and o.nonce = t.nonce and o.txid <> t.txid and o.state in ('final', 'reverted')) end as height) d
		where c.network = ?0 and c.height is null and c.spent_by is null and c.slot is not null and c.place = 0 and d.height is not null
			and exists (select from signed_transactions b where b.network = ?0 and b.address = c.address and b.nonce = c.slot and b.open)
		order by c.address, c.slot`, network).Scan(ctx, &dead)
	if err != nil {
		return nil, fmt.Errorf("look for dead slots of %s: %w", network, err)
	}
	return dead, nil
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
