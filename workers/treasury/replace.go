package treasury

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// bump replaces a stuck transaction by one of the same purpose. If it cannot be replaced now, it is sent again: the network may have
// lost it.
func (w *Worker) bump(ctx context.Context, m *move, stuck *pay.SignedTransaction) error {
	why := w.replace(ctx, m, stuck, stuck.Purpose)
	if errors.Is(why, errStopped) && stuck.Purpose != pay.PurposeVoid { // of its asset alone: later slots do not wait for the end of the stop
		if w.replace(ctx, m, stuck, pay.PurposeVoid) == nil {
			return nil
		}
	}
	if why == nil {
		return nil
	}
	switch outcome, reason := m.network.Sender.Broadcast(ctx, stuck.Raw); outcome {
	case chains.Accepted:
		return why
	case chains.Rejected:
		return w.rejected(ctx, m, stuck, reason)
	case chains.SlotTaken:
		return w.slotTaken(ctx, m, stuck, reason)
	default:
		return fmt.Errorf("%w; and %s does not take %s again: %s", why, m.network.Name, stuck.Txid, reason)
	}
}

// replaceExpired signs another transaction for the slot of one whose time is over for a node. The slot excludes, so no proof is needed: if
// the node was wrong, one of the two is mined. What cannot be moved any more gives its slot to a transaction that moves nothing. An attempt
// replaces once, since a node may say this of everything. A number that the chain is still below is given up.
func (w *Worker) replaceExpired(ctx context.Context, m *move, t *pay.SignedTransaction, reason string) error {
	if beyond, err := w.beyond(ctx, m, t); err != nil {
		return err
	} else if beyond {
		return w.giveUp(ctx, m, pay.TxExpired, "its time is over, and the chain has not come to its number: a node had told a number that is too high")
	}
	if m.replaced {
		return fmt.Errorf("the time of %s is over for a node of %s as soon as it is signed: %s", t.Txid, m.network.Name, reason)
	}
	if newer := settlement.Newer(m.history, t); newer != nil && m.network.Exclusion == chains.ByCoins { // t has leased change, and was sent first
		return w.send(ctx, m, newer)
	}
	m.replaced = true
	err := w.replace(ctx, m, t, t.Purpose)
	if t.Purpose != pay.PurposeVoid && (errors.Is(err, chains.ErrUnpayable) || errors.Is(err, chains.ErrShort) && m.row.Kind == pay.MoveSweep) {
		return w.replace(ctx, m, t, pay.PurposeVoid)
	}
	return err
}

// beyond reports whether no transaction of a move from a deposit address can be mined: their time is over, and the chain does not know them
// and has not come to their number. Then the chain would wait for numbers that the books never give out. A node that says so of a mined
// one costs a fee at most, since both ends of the move are ours.
func (w *Worker) beyond(ctx context.Context, m *move, t *pay.SignedTransaction) (bool, error) {
	if m.from() == m.network.Hot || m.network.Exclusion != chains.ByNumber {
		return false, nil
	}
	status, err := w.lookUp(ctx, m)
	if err != nil {
		return false, err
	}
	for i := range m.history {
		if now := status[m.history[i].Txid].State; now == chains.TxMined || now == chains.TxReverted { // a node may hold one that is over
			return false, nil
		}
	}
	used, err := w.usedBy(ctx, m)
	return used < uint64(t.Nonce), err //nolint:gosec // a nonce is not negative
}

// sendOrLeaveOut sends a transaction again. If its network does not take it, and a coin of it has been in no block for long, another one
// takes its slot without this coin.
func (w *Worker) sendOrLeaveOut(ctx context.Context, m *move, t *pay.SignedTransaction) error {
	long, yet := settlement.Gone(ctx, w.Store, m.network, t.Nonce)
	if long {
		return w.bump(ctx, m, t)
	}
	if err := w.send(ctx, m, t); err != nil {
		return errors.Join(err, yet)
	}
	return nil
}

// replace signs another transaction for the slot of a move, at a higher fee, saves its bytes, and sends them. At most one of a slot
// is ever mined; the follower watches them all.
func (w *Worker) replace(ctx context.Context, m *move, newest *pay.SignedTransaction, purpose string) error {
	spend, err := m.again(ctx, purpose)
	if err != nil {
		return err
	}
	asset := m.asset
	if purpose == pay.PurposeVoid {
		asset = ""
	}
	if err := w.maySignOf(ctx, m, asset); err != nil {
		return err
	}
	for _, t := range settlement.InSlot(m.history, newest) {
		spend.Over = append(spend.Over, t.Raw)
	}
	if spend.Gone, err = settlement.Missing(ctx, w.Store, m.network, newest.Nonce); err != nil {
		return err
	}
	draft, err := m.network.Sender.Prepare(ctx, spend)
	if err != nil {
		return fmt.Errorf("replace %s on %s: %w", newest.Txid, m.network.Name, err)
	}
	t, err := w.keep(ctx, m, draft, newest.Nonce, purpose)
	if err != nil {
		return err
	}
	m.history = append(m.history, *t)
	return w.send(ctx, m, t)
}

// again returns a move as an order for its slot. Whatever has become of its end, its slot can be taken without moving anything.
func (m *move) again(ctx context.Context, purpose string) (s chains.Spend, err error) {
	if purpose != pay.PurposeVoid {
		return m.spend(ctx)
	}
	s.From, err = m.wallet(ctx)
	return s, err
}

// keep signs a draft for a slot given out before, and saves its bytes.
func (w *Worker) keep(ctx context.Context, m *move, draft chains.Draft, number int64, purpose string) (t *pay.SignedTransaction, err error) {
	err = w.Store.InTx(ctx, func(tx *store.Store) error {
		rows, all, err := tx.LockSlot(ctx, m.row.ID)
		if err != nil {
			return err
		}
		if err := desk.Fenced(all && settlement.MayReplace(rows, number) && len(rows) == len(m.history), nil); err != nil { // the follower has seen one in a block meanwhile
			return err
		}
		slot, err := settlement.LeaseAgain(ctx, tx, m.network, draft, number, settlement.Needed(m.history, m.replaced))
		if err != nil {
			return err
		}
		if t, err = m.signed(draft, slot, purpose); err != nil {
			return err
		}
		if err := m.dear(t); err != nil {
			return err
		}
		if err := tx.AddSigned(ctx, []*pay.SignedTransaction{t}); err != nil {
			return err
		}
		return desk.Start(ctx, tx, m.job)
	})
	return t, err
}
