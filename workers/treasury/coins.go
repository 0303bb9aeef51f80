package treasury

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/settlement"
)

// nextByCoins goes on with a signed move where coins exclude. After the recorded death of all its transactions the move is signed again in
// another slot, or has failed. If a reorganisation has undone this death, both slots could be mined, and nothing is sent.
func (w *Worker) nextByCoins(ctx context.Context, m *move, newest *pay.SignedTransaction) error {
	switch died := settlement.Died(m.history); {
	case died && m.row.Status.Open():
		return w.afterDeath(ctx, m)
	case died:
		return w.failDead(ctx, m, lostCoin)
	case newest != nil:
		alive, err := w.Store.AliveElsewhere(ctx, newest.Network, newest.Txid)
		if err != nil {
			return err
		}
		if alive {
			return settlement.LeaveToFollower(ctx, w.Store, m.job, m.row.ID, m.history, nil)
		}
	}
	needed, err := settlement.ChangeSpent(ctx, w.Store, m.network, m.history)
	if err != nil {
		return err
	}
	if needed != nil {
		return w.send(ctx, m, needed)
	}
	return w.nextInSlot(ctx, m, newest)
}

// lostCoin is the reason of a move once done: a reorganisation has undone its transaction for good.
const lostCoin = "a reorganisation has undone it, and a coin that it spends can never exist"

// gather returns a consolidation as an order to its network.
func (m *move) gather() (chains.Spend, error) {
	n := m.network
	if n.Exclusion != chains.ByCoins || m.row.Token != n.Coin || m.row.FromAddress != n.Hot || m.row.ToAddress != n.Hot {
		return chains.Spend{}, errElsewhere
	}
	return chains.Spend{Gather: gatherMost}, nil
}

// readLeast asks what a coin costs, where coins are spent whole.
func (m *move) readLeast(ctx context.Context) error {
	if m.network.CoinCost == nil {
		return nil
	}
	cost, err := m.network.CoinCost(ctx)
	if err != nil {
		return fmt.Errorf("cost of a coin on %s: %w", m.network.Name, err)
	}
	m.least = worthless(cost)
	return nil
}

// lease returns the first slot of a turn, with coins for the draft where coins are spent whole.
func (m *move) lease(ctx context.Context, tx *store.Store, draft chains.Draft, turn *store.SigningTurn) (slot chains.Slot, err error) {
	n, free := m.network, turn.Coins
	slot.Number = uint64(turn.First) //nolint:gosec // numbers count up from zero, or from the chain's
	if m.row.Kind == pay.MoveConsolidate {
		if free, err = m.small(ctx, tx, turn.Coins); err != nil {
			return slot, err
		}
	}
	slot.Coins, _, err = settlement.Lease(ctx, tx, n, draft, turn.First, nil, free)
	return slot, err
}

// errFew says that coins of a consolidation are gone.
type errFew int

// Error implements error.
func (e errFew) Error() string {
	return fmt.Sprintf("%d of its coins are free, and %d are the least", int(e), gatherLeast)
}

// small returns the smallest coins of the hot wallet, as far as they are together no more than was planned. All are all that are free.
func (m *move) small(ctx context.Context, tx *store.Store, all []store.FreeCoin) ([]store.FreeCoin, error) {
	coins, err := tx.SmallCoins(ctx, m.network.Name, m.network.Hot, m.row.Token, m.least, m.row.Amount, gatherMost)
	if err != nil {
		return nil, err
	}
	sum := decimal.Zero
	for i, c := range coins {
		if sum = sum.Add(c.Amount); sum.GreaterThan(m.row.Amount) {
			coins = coins[:i]
			break
		}
	}
	if coins = sparing(coins, all); len(coins) < gatherLeast {
		return nil, errFew(len(coins))
	}
	return coins, nil
}

// sparing leaves the largest coin of the hot wallet itself out, if a consolidation would spend all of them: each payout begins with one, and
// a consolidation may wait for days.
func sparing(coins, all []store.FreeCoin) []store.FreeCoin {
	var largest store.FreeCoin
	for _, c := range all {
		if c.Deposit != "" {
			continue
		}
		if !slices.Contains(ids(coins), c.ID) {
			return coins
		}
		if largest.ID == "" || c.Amount.GreaterThan(largest.Amount) {
			largest = c
		}
	}
	return slices.DeleteFunc(coins, func(c store.FreeCoin) bool { return c.ID == largest.ID })
}

func ids(coins []store.FreeCoin) []string {
	out := make([]string, len(coins))
	for i, c := range coins {
		out[i] = c.ID
	}
	return out
}

// leaves fails with chains.ErrShort when a move of the hot wallet takes what queued payouts ask for.
func (m *move) leaves(ctx context.Context, tx *store.Store, turn *store.SigningTurn, spare chains.Spare, slot chains.Slot, fee decimal.Decimal) error {
	if m.network.Exclusion == chains.ByCoins {
		return m.leavesCoins(ctx, tx, slot, fee)
	}
	return m.leavesQueued(ctx, tx, turn, spare, fee)
}

// leavesCoins is leavesQueued where coins are spent whole. The change of a move to the cold address counts: payouts may wait a block for it.
// What a consolidation makes does not: it can wait itself.
func (m *move) leavesCoins(ctx context.Context, tx *store.Store, slot chains.Slot, fee decimal.Decimal) error {
	n := m.network
	queued, count, err := tx.QueuedSum(ctx, n.Name, m.row.Token)
	if err != nil || count == 0 {
		return err
	}
	pot, err := tx.Pot(ctx, n.Name, n.Hot, m.row.Token, m.least)
	if err != nil {
		return err
	}
	left := pot.Amount
	if m.row.Kind == pay.MoveCold {
		for _, c := range slot.Coins {
			left = left.Add(c.Amount)
		}
		left = left.Sub(m.row.Amount).Sub(fee)
	}
	batch := int64(max(1, n.Batch))
	if asked := queued.Add(fee.Mul(decimal.NewFromInt((count + batch - 1) / batch))); asked.GreaterThan(left) {
		return fmt.Errorf("%w: payouts ask for %s %s, and %s would be left", chains.ErrShort, asked, m.row.Token, left)
	}
	return nil
}
