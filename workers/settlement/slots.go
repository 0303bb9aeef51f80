package settlement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
)

// ErrNoCoins says that no coin that lies at the hot wallet itself is free.
var ErrNoCoins = errors.New("each coin of the hot wallet is in a transaction under way, or it has none of its own")

// KindOf names the exclusion of a network for the books.
func KindOf(n *chains.Network) store.SigningKind {
	return map[chains.Exclusion]store.SigningKind{chains.ByNumber: store.SignsByNumber, chains.ByCoins: store.SignsByCoins,
		chains.ByExpiry: store.SignsByExpiry}[n.Exclusion]
}

// Lease gives a slot the coins of its draft, where coins are spent whole, beside those leased to it before. It returns the coins of
// the slot, and what is left of the free ones.
func Lease(ctx context.Context, tx *store.Store, n *chains.Network, draft chains.Draft, number int64, leased, free []store.FreeCoin,
) (coins []chains.Coin, left []store.FreeCoin, err error) {
	if n.Exclusion != chains.ByCoins {
		return nil, nil, nil
	}
	if len(leased)+len(free) == 0 {
		return nil, nil, fmt.Errorf("%w: %w on %s", chains.ErrShort, ErrNoCoins, n.Name)
	}
	chooser, ok := draft.(chains.Chooser)
	if !ok {
		return nil, nil, fmt.Errorf("the connector of %s chooses no coins", n.Name)
	}
	chosen, err := chooser.Choose(coinsOf(free))
	if err != nil {
		return nil, nil, fmt.Errorf("choose coins on %s: %w", n.Name, err)
	}
	ids := make([]string, len(chosen))
	for i, c := range chosen {
		ids[i] = c.ID
	}
	if err := desk.Fenced(tx.LeaseCoins(ctx, n.Name, number, len(leased), ids)); err != nil {
		return nil, nil, err
	}
	left = slices.DeleteFunc(slices.Clone(free), func(c store.FreeCoin) bool { return slices.Contains(ids, c.ID) })
	return append(coinsOf(leased), chosen...), left, nil
}

func coinsOf(free []store.FreeCoin) []chains.Coin {
	coins := make([]chains.Coin, len(free))
	for i, c := range free {
		coins[i] = chains.Coin{ID: c.ID, Token: c.Token, Amount: c.Amount}
		if c.Deposit != "" {
			coins[i].At = &chains.Wallet{Address: c.Deposit, Index: uint32(c.Position)} //nolint:gosec // indexes end below 2^31
		}
	}
	return coins
}

// LeaseForPayouts is Lease for a new slot of payouts, which begins with a coin of the hot wallet itself. Restored books may not know the
// newest deposit addresses, and would take what deposits alone have paid for a stranger's. They know the hot wallet's coins.
func LeaseForPayouts(ctx context.Context, tx *store.Store, n *chains.Network, draft chains.Draft, number int64, free []store.FreeCoin,
) (coins []chains.Coin, left []store.FreeCoin, err error) {
	if n.Exclusion == chains.ByCoins && !slices.ContainsFunc(free, func(c store.FreeCoin) bool { return c.Deposit == "" }) {
		return nil, nil, fmt.Errorf("%w: %w on %s", chains.ErrShort, ErrNoCoins, n.Name)
	}
	coins, left, err = Lease(ctx, tx, n, draft, number, nil, free)
	if err == nil && n.Exclusion == chains.ByCoins && coins[0].At != nil {
		return nil, nil, fmt.Errorf("the connector of %s does not begin with a coin of the hot wallet", n.Name)
	}
	return coins, left, err
}

// LeaseAgain returns a slot given out before, for another transaction of it: with its coins, and others for a higher fee. Nothing else is
// signed for a slot whose change is leased. It looks for that once it holds the coins: nobody leases one from then on.
func LeaseAgain(ctx context.Context, tx *store.Store, n *chains.Network, draft chains.Draft, number int64, history []pay.SignedTransaction,
) (slot chains.Slot, err error) {
	slot.Number = uint64(number) //nolint:gosec // it came out as a uint64
	if n.Exclusion != chains.ByCoins {
		return slot, nil
	}
	free, err := tx.HoldCoins(ctx, n.Name, n.Hot)
	if err != nil {
		return slot, err
	}
	spent, err := ChangeSpent(ctx, tx, n, history)
	if err := desk.Fenced(spent == nil, err); err != nil {
		return slot, err
	}
	leased, err := tx.CoinsOf(ctx, n.Name, n.Hot, number)
	if err != nil {
		return slot, err
	}
	slot.Coins, _, err = Lease(ctx, tx, n, draft, number, leased, free)
	return slot, err
}

// goneFor is how long a coin has to be in no block, before a transaction that spends it is replaced: most come back with the next blocks.
const goneFor = time.Hour

// Gone reports whether a coin of a slot, other than the first, has been in no block for long. A transaction that spends one waits for ever;
// another one of the slot need not. Until then the error names such a coin; nil if there is none.
func Gone(ctx context.Context, s *store.Store, n *chains.Network, number int64) (long bool, yet error) {
	missing, err := Missing(ctx, s, n, number)
	if err != nil || len(missing) == 0 {
		return false, err
	}
	gone, err := s.GoneCoins(ctx, n.Name, n.Hot, number, goneFor)
	if err != nil || len(gone) > 0 {
		return err == nil, err
	}
	return false, fmt.Errorf("coin %s, which it spends, is in no block any more; after an hour another transaction leaves it out", missing[0].ID)
}

// Missing returns the coins of a slot, without its first one, that are in no block now. A replacement leaves them out.
func Missing(ctx context.Context, s *store.Store, n *chains.Network, number int64) ([]chains.Coin, error) {
	if n.Exclusion != chains.ByCoins {
		return nil, nil
	}
	gone, err := s.GoneCoins(ctx, n.Name, n.Hot, number, 0)
	return coinsOf(gone), err
}

// ChangeSpent returns the open transaction of a payout or move with change leased to another slot, or nil. It is sent until a block has it
// again: nothing else is signed for its slot, since the change would be gone for good.
func ChangeSpent(ctx context.Context, s *store.Store, n *chains.Network, history []pay.SignedTransaction) (*pay.SignedTransaction, error) {
	if n.Exclusion != chains.ByCoins {
		return nil, nil
	}
	txids := make([]string, len(history))
	for i := range history {
		txids[i] = history[i].Txid
	}
	leased, err := s.ChangeLeased(ctx, n.Name, txids)
	if err != nil {
		return nil, err
	}
	for i := range history {
		if t := &history[i]; (t.State == pay.TxSigned || t.State == pay.TxSent) && slices.Contains(leased, t.Txid) {
			return t, nil
		}
	}
	return nil, nil
}
