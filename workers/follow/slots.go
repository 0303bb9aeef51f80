package follow

import (
	"context"
	"fmt"
	"slices"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// slotCoins are the coins of ours that a step finds, at the hot wallet and at deposit addresses, and those spent in its blocks.
type slotCoins struct {
	opening  []store.FoundCoin // in the wallet before the first followed block
	found    []store.FoundCoin
	spent    []store.SpentCoin
	deposits map[string]int64    // the deposit addresses with transfers in the blocks, and the indexes of their keys
	spenders map[string]*spender // the transactions that spend coins of ours, by txid
}

func (c *slotCoins) none() bool { return len(c.opening) == 0 && len(c.found) == 0 && len(c.spent) == 0 }

// openCoins returns the hot wallet's coins before the first followed block.
func openCoins(ctx context.Context, n *chains.Network, before int64) ([]store.FoundCoin, error) {
	if before < 0 || n.Unspent == nil {
		return nil, nil
	}
	unspent, err := n.Unspent(ctx, before)
	if err != nil {
		return nil, fmt.Errorf("coins of the hot wallet of %s: %w", n.Name, err)
	}
	coins := make([]store.FoundCoin, len(unspent))
	for i, c := range unspent {
		coins[i] = store.FoundCoin{FreeCoin: store.FreeCoin{ID: c.ID, Token: c.Token, Amount: c.Amount}, Height: before, Mixed: c.Mixed}
	}
	return coins, nil
}

// sending is a transaction in a followed block, sent by an address of ours.
type sending struct {
	store.SignedMove
	from string
}

// readSlots picks what the blocks do to slots: coins of ours where coins are spent, and transactions of our addresses where time alone
// excludes. Who has signed for us is asked after the blocks were read: bytes are saved before they are sent, so no block has a
// transaction of an address that is not known by then.
func (w *Worker) readSlots(ctx context.Context, r *reading) error {
	for i := range r.blocks {
		b := &r.blocks[i]
		switch r.network.Exclusion {
		case chains.ByCoins:
			for _, t := range b.Transfers {
				if c, ours := r.coinOf(&t); ours {
					r.coins.found = append(r.coins.found, store.FoundCoin{Height: b.Height, FreeCoin: c, Mixed: t.Mixed, Apart: t.To == t.Plain,
						Own: c.Deposit == "" && r.network.Addresser.Match(t.From) == r.network.Hot})
				}
			}
			for _, s := range b.Spent {
				r.coins.spent = append(r.coins.spent, store.SpentCoin{ID: s.Coin, Txid: s.Txid, Height: b.Height})
			}
		case chains.ByExpiry:
			for _, s := range b.Sent {
				r.sent = append(r.sent, sending{store.SignedMove{Txid: s.Txid, Height: &b.Height, Block: new(blockID(b.Hash))}, s.From})
			}
		}
	}
	return w.keepOurs(ctx, r)
}

// keepOurs leaves out transactions sent by addresses that are not ours, or have never had a slot.
func (w *Worker) keepOurs(ctx context.Context, r *reading) error {
	seen, others := map[string]bool{r.network.Hot: true}, []string(nil)
	for _, s := range r.sent {
		if r.network.Collects && !seen[s.from] {
			seen[s.from], others = true, append(others, s.from)
		}
	}
	if len(r.sent) == 0 {
		return nil
	}
	signers := map[string]bool{}
	if len(others) > 0 {
		var err error
		if signers, err = w.Store.HadSlots(ctx, r.network.Name, others); err != nil {
			return err
		}
	}
	signers[r.network.Hot] = true
	r.sent = slices.DeleteFunc(r.sent, func(s sending) bool { return !signers[s.from] })
	return nil
}

// takeSlots records what the blocks do to slots. A transaction of the hot wallet unknown to the books stops the wallet: it is never
// the death of one of ours.
func (w *Worker) takeSlots(ctx context.Context, tx *store.Store, r *reading) error {
	n := r.network
	if err := w.adoptCopies(ctx, tx, r); err != nil {
		return err
	}
	if err := tx.AddCoins(ctx, n.Name, n.Hot, slices.Concat(r.coins.opening, r.coins.found)); err != nil {
		return err
	}
	spent, err := tx.SpendCoins(ctx, n.Name, r.coins.spent)
	if err != nil {
		return err
	}
	sent, from := []store.SignedMove(nil), map[string]string{} // the address of each
	for _, s := range r.sent {
		if from[s.Txid] == "" {
			sent = append(sent, s.SignedMove)
		}
		if from[s.Txid] != n.Hot { // of several signers the hot wallet counts
			from[s.Txid] = s.from
		}
	}
	for _, s := range spent {
		if from[s.Txid] == "" {
			sent = append(sent, store.SignedMove{Txid: s.Txid, Height: &s.Height, Block: new(blockID(r.hashAt(s.Height)))})
		}
		from[s.Txid] = s.Address
		if s.Leased {
			r.coins.spenders[s.Txid].leased = true
		}
	}
	if len(sent) == 0 {
		return nil
	}
	txids := make([]string, len(sent))
	for i := range sent {
		txids[i] = sent[i].Txid
	}
	ours, err := tx.SignedAmong(ctx, n.Name, txids)
	if err != nil {
		return err
	}
	for _, s := range sent {
		if ours[s.Txid] || r.coins.spenders[s.Txid].collects() || n.Exclusion == chains.ByExpiry && from[s.Txid] != n.Hot {
			continue // whoever uses a deposit address moves what is there, and no slot of the hot wallet
		}
		w.LogFor(n).WithField("txid", s.Txid).Error("the hot wallet has sent a transaction unknown to the books: it signs nothing before a person has resumed it")
		if err := tx.AddForeign(ctx, n.Name, from[s.Txid], store.ForeignSpend{Txid: s.Txid, Height: s.Height}); err != nil {
			return err
		}
	}
	undead, err := tx.SeeSent(ctx, n.Name, sent)
	for _, txid := range undead {
		w.LogFor(n).WithField("txid", txid).Error("a transaction is in a block that the books knew as dead")
	}
	return err
}

// hashAt returns the hash of a block of this step.
func (r *reading) hashAt(height int64) string {
	for i := range r.blocks {
		if r.blocks[i].Height == height {
			return r.blocks[i].Hash
		}
	}
	return ""
}

// dead reports whether a transaction can be in no block any more, by the followed blocks alone. Where coins exclude, its first coin cannot
// exist. Where time does, its time is over by the clock of a final
// block, and each block up to there was looked through for the transactions of its wallet (takeSlots). Of deposit addresses each block is,
// whichever is the hot wallet, where blocks are read whole. Elsewhere a sweep is found by the hot wallet that it names.
func (r *reading) dead(t *pay.SignedTransaction) bool {
	if r.network.Exclusion == chains.ByCoins {
		return r.deadByCoins(t)
	}
	n, sweep := r.network, r.network.Collects && t.Purpose == string(pay.MoveSweep)
	looked := sweep && n.AskFor == nil
	if t.Address == n.Hot || sweep {
		looked = looked || r.state.Hot == n.Hot && t.SignedAt.After(r.state.Since)
	}
	return r.network.Exclusion == chains.ByExpiry && looked && t.Until != nil && r.clock != nil && *r.clock > *t.Until
}

// freeCoins ends the leases of slots with a final transaction.
func freeCoins(ctx context.Context, tx *store.Store, n *chains.Network, final []*pay.SignedTransaction) error {
	if n.Exclusion != chains.ByCoins {
		return nil
	}
	slots := map[string][]int64{} // by hot wallet
	for _, t := range final {
		slots[t.Address] = append(slots[t.Address], t.Nonce)
	}
	for address, numbers := range slots {
		if err := tx.FreeCoins(ctx, n.Name, address, numbers); err != nil {
			return err
		}
	}
	return nil
}
