package follow

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// spender is a transaction in the step's blocks, or in the mempool, that spends coins of ours.
type spender struct {
	coins   int    // how many it spends,
	ours    int    // and how many of them are ours
	wallet  string // the hot wallet of the coins
	hot     bool   // one lies at the hot wallet itself
	leased  bool   // one is leased to a slot
	deposit string // else the deposit address of one
	signed  string // the hot wallet that has signed it by the books; "" for none
	pays    int    // transfers,
	outside bool   // and one of them goes to others
}

// collects reports whether a transaction unknown to the books only brings free coins of deposit addresses to addresses of ours: an
// operator's tool has collected them.
func (s *spender) collects() bool {
	return s != nil && !s.hot && !s.leased && s.pays > 0 && !s.outside
}

// sender is the address that has sent it, as far as books can know: a deposit address if it collects, else the hot wallet of its coins.
func (s *spender) sender() string {
	switch {
	case s.signed != "":
		return s.signed
	case !s.hot && s.pays > 0 && !s.outside:
		return s.deposit
	default:
		return s.wallet
	}
}

// coinOf returns the coin that a transfer to us is.
func (r *reading) coinOf(t *chains.Transfer) (c store.FreeCoin, ours bool) {
	c = store.FreeCoin{ID: chains.CoinID(t.Txid, t.Position), Token: t.Token, Amount: t.Amount}
	if t.To == r.network.Hot {
		return c, true
	}
	if c.Position, ours = r.coins.deposits[t.To]; ours {
		c.Deposit = t.To
	}
	return c, ours
}

// readSpent finds the coins of ours among those spent, where coins are spent whole: no coin names who spends it, and blocks have the coins
// of everybody. It keeps those of ours alone, and says of the outputs of their transactions who has sent them. Known are the addresses of
// ours among the step's transfers.
func (w *Worker) readSpent(ctx context.Context, r *reading, known map[store.Place]*pay.Address) error {
	if r.network.Exclusion != chains.ByCoins {
		return nil
	}
	if err := r.findDeposits(ctx, known); err != nil {
		return err
	}
	ids := r.maySpend(known)
	if len(ids) == 0 {
		return nil
	}
	own, err := w.Store.OwnCoins(ctx, r.network.Name, ids)
	if err != nil {
		return err
	}
	r.addMade(own)
	r.keepSpent(own)
	if len(r.coins.spenders) == 0 {
		return nil
	}
	if err := w.readCopies(ctx, r); err != nil {
		return err
	}
	r.lookAtPaid(known)
	txids := make([]string, 0, len(r.coins.spenders))
	for txid := range r.coins.spenders {
		txids = append(txids, r.original(txid))
	}
	signed, err := w.Store.SignersAmong(ctx, r.network.Name, txids)
	if err != nil {
		return err
	}
	for txid, by := range r.coins.spenders {
		by.signed = signed[r.original(txid)]
	}
	r.nameSenders()
	return nil
}

// findDeposits notes the deposit addresses with transfers in the blocks. An address of a former seed is none: the signer has no key of it.
func (r *reading) findDeposits(ctx context.Context, known map[store.Place]*pay.Address) error {
	r.coins.deposits = map[string]int64{}
	for i := range r.blocks {
		for _, t := range r.blocks[i].Transfers {
			a := known[placeOf(r.network, t)]
			if _, noted := r.coins.deposits[t.To]; a == nil || noted {
				continue
			}
			derived, err := r.network.Addresser.Derive(ctx, uint32(a.Position)) //nolint:gosec // indexes end below 2^31
			if err != nil {
				return fmt.Errorf("deposit address %d of %s: %w", a.Position, r.network.Name, err)
			}
			if r.network.Addresser.Match(derived) == t.To {
				r.coins.deposits[t.To] = a.Position
			}
		}
	}
	return nil
}

// maySpend returns the coins that may be ours: all spent in the blocks, and those of transactions in the mempool that pay addresses of ours.
func (r *reading) maySpend(known map[store.Place]*pay.Address) (ids []string) {
	for i := range r.blocks {
		for _, s := range r.blocks[i].Spent {
			ids = append(ids, s.Coin)
		}
	}
	paying := map[string]bool{}
	for _, t := range r.pending.Transfers {
		if known[placeOf(r.network, t)] != nil {
			paying[t.Txid] = true
		}
	}
	kept := r.pending.Spent[:0:0]
	for _, s := range r.pending.Spent {
		if paying[s.Txid] {
			ids, kept = append(ids, s.Coin), append(kept, s)
		}
	}
	r.pending.Spent = kept
	return ids
}

// addMade adds the coins that the step itself finds.
func (r *reading) addMade(own map[string]store.OwnCoin) {
	for _, c := range r.coins.opening {
		own[c.ID] = store.OwnCoin{Address: r.network.Hot}
	}
	for i := range r.blocks {
		for _, t := range r.blocks[i].Transfers {
			if c, ours := r.coinOf(&t); ours {
				if _, known := own[c.ID]; !known {
					own[c.ID] = store.OwnCoin{Address: r.network.Hot, Deposit: c.Deposit}
				}
			}
		}
	}
}

// keepSpent keeps the coins of ours among those spent, and notes their spenders.
func (r *reading) keepSpent(own map[string]store.OwnCoin) {
	r.coins.spenders = map[string]*spender{}
	all := map[string]int{}
	keep := func(spent []chains.Spending) (kept []chains.Spending) {
		for _, s := range spent {
			all[s.Txid]++
			c, ours := own[s.Coin]
			if !ours {
				continue
			}
			by := r.coins.spenders[s.Txid]
			if by == nil {
				by = new(spender)
				r.coins.spenders[s.Txid] = by
			}
			by.ours, by.wallet, by.leased = by.ours+1, c.Address, by.leased || c.Leased
			if by.hot = by.hot || c.Deposit == ""; c.Deposit != "" {
				by.deposit = c.Deposit
			}
			kept = append(kept, s)
		}
		return kept
	}
	for i := range r.blocks {
		r.blocks[i].Spent = keep(r.blocks[i].Spent)
	}
	r.pending.Spent = keep(r.pending.Spent)
	for txid, by := range r.coins.spenders {
		by.coins = all[txid]
	}
}

// lookAtPaid notes whether the spenders pay others than us.
func (r *reading) lookAtPaid(known map[store.Place]*pay.Address) {
	r.eachTransfer(func(t *chains.Transfer) {
		if by := r.coins.spenders[t.Txid]; by != nil {
			by.pays++
			by.outside = by.outside || !r.isOwn(t.To) && known[placeOf(r.network, *t)] == nil
		}
	})
}

// nameSenders says of the outputs of spenders who has sent them, unless the connector does.
func (r *reading) nameSenders() {
	r.eachTransfer(func(t *chains.Transfer) {
		if by := r.coins.spenders[t.Txid]; by != nil && t.From == "" {
			t.From = by.sender()
		}
	})
}

func (r *reading) eachTransfer(do func(*chains.Transfer)) {
	for i := range r.blocks {
		for j := range r.blocks[i].Transfers {
			do(&r.blocks[i].Transfers[j])
		}
	}
	for i := range r.pending.Transfers {
		do(&r.pending.Transfers[i])
	}
}

// whole reports whether a transaction spends coins of ours alone, so that we have paid its fee.
func (r *reading) whole(txid string) bool {
	by := r.coins.spenders[txid]
	return by != nil && by.ours == by.coins
}
