package store

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"
)

// Pot is what may be spent at once where coins are spent whole: the coins of a hot wallet and of deposit addresses leased to no slot, in
// final blocks or change of ours. Coins not worth the fee of spending them are left. Mixed coins are not
// in it.
type Pot struct {
	Amount, Left     decimal.Decimal
	Coins, LeftCoins int64
}

// worthwhile is how often a coin must be worth its fee, as connectors have it: this package knows none of them.
const worthwhile = 3

// Pot returns the pot of a token. A coin of least or below is left.
func (s *Store) Pot(ctx context.Context, network, hot, token string, least decimal.Decimal) (p Pot, err error) {
	err = s.Q.NewRaw(`select coalesce(sum(amount) filter (where amount > ?3), 0) as amount, count(*) filter (where amount > ?3) as coins,
			coalesce(sum(amount) filter (where amount <= ?3), 0) as left, count(*) filter (where amount <= ?3) as left_coins
		from spendable_coins(?0, ?1) where token = ?2`, network, hot, token, least).Scan(ctx, &p)
	return p, one(err, "pot of "+network)
}

// SmallCoins returns free coins of a token above least and below an amount, the smallest first.
func (s *Store) SmallCoins(ctx context.Context, network, hot, token string, least, below decimal.Decimal, limit int) (coins []FreeCoin, err error) {
	err = s.Q.NewRaw(`select `+freeColumns+` from spendable_coins(?0, ?1) where token = ?2 and amount > ?3 and amount < ?4
		order by amount, id limit ?5`, network, hot, token, least, below, limit).Scan(ctx, &coins)
	if err != nil {
		return nil, fmt.Errorf("read the small coins of %s: %w", network, err)
	}
	return coins, nil
}

// SpentBySlot returns what the coins of a slot were together that a transaction in a block has spent.
func (s *Store) SpentBySlot(ctx context.Context, network, hot string, slot int64, txid string) (sum decimal.Decimal, err error) {
	err = s.Q.NewRaw("select coalesce(sum(amount), 0) from coins where network = ? and address = ? and slot = ? and spent_by = ?", network, hot, slot, txid).
		Scan(ctx, &sum)
	return sum, one(err, "coins of a slot on "+network)
}

// SlotLost reports whether a final block has the first coin of a slot in a transaction unknown to the books: none of the slot can be mined
// any more.
func (s *Store) SlotLost(ctx context.Context, network, hot string, slot int64) (lost bool, err error) {
	err = s.Q.NewRaw(`select exists (select from coins c join followers f on f.network = c.network
		where c.network = ?0 and c.address = ?1 and c.slot = ?2 and c.place = 0 and c.spent_height <= f.final
			and not exists (select from signed_transactions t where t.network = c.network and t.txid = c.spent_by))`, network, hot, slot).Scan(ctx, &lost)
	return lost, one(err, "who has spent the coins of a slot on "+network)
}
