package treasury

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/guard"
	"causeway/workers/settlement"
)

var (
	// errStopped says that nothing is signed: the reasons are those for payouts.
	errStopped = errors.New("the hot wallet or the asset is stopped, or the network is halted or not followed: nothing is moved")
	// errNotFinal says that a reorganisation may still take away the coin for a fee: what was signed would wait for it for ever.
	errNotFinal = errors.New("the coin for its fee is in no final block yet")
	// errTooDear says that a move waits for lower fees.
	errTooDear = errors.New("the fee is higher than the move may cost")
)

// first signs and sends a move with nothing signed yet.
func (w *Worker) first(ctx context.Context, m *move) error {
	if len(m.history) > 0 {
		return fmt.Errorf("move %s is planned, and a transaction was signed for it: somebody has changed its row", m.row.ID)
	}
	spend, err := m.spend(ctx)
	if errors.Is(err, errElsewhere) {
		return w.cancel(ctx, m, err.Error())
	}
	if err != nil {
		return err
	}
	if err := w.maySign(ctx, m); err != nil {
		return err
	}
	if err := w.readFinal(ctx, m); err != nil {
		return err
	}
	if err := m.readLeast(ctx); err != nil {
		return err
	}
	if why, err := w.unasked(ctx, m); err != nil {
		return err
	} else if why != "" {
		return w.cancel(ctx, m, why)
	}
	draft, err := m.network.Sender.Prepare(ctx, spend)
	var short *chains.Short
	switch {
	case m.row.Kind == pay.MoveSweep && errors.As(err, &short):
		return w.short(ctx, m, short)
	case errors.Is(err, chains.ErrUnpayable):
		return w.cancel(ctx, m, err.Error())
	case err != nil:
		return fmt.Errorf("prepare a %s on %s from %s: %w", m.row.Kind, m.network.Name, m.from(), err)
	}
	t, err := w.sign(ctx, m, draft)
	if few := errFew(0); errors.As(err, &few) {
		return w.cancel(ctx, m, few.Error())
	}
	if err != nil {
		return err
	}
	m.history = []pay.SignedTransaction{*t}
	return w.send(ctx, m, t)
}

// maySign returns why nothing may be signed for a move now. A stop of the hot wallet stops sweeps as well: whoever may have its key
// is sent no money.
func (w *Worker) maySign(ctx context.Context, m *move) error { return w.maySignOf(ctx, m, m.asset) }

// maySignOf is maySign for something of an asset; a transaction that only takes a slot is of none.
func (w *Worker) maySignOf(ctx context.Context, m *move, asset string) error {
	if err := w.Guard.Watch(ctx, m.network); err != nil {
		return err
	}
	if err := w.Catalogue.SameContracts(ctx, w.Store, m.network); err != nil {
		return err
	}
	may, err := w.Store.MaySign(ctx, m.network.Name, m.network.Hot, asset, settlement.KindOf(m.network))
	if err == nil && !may {
		err = errStopped
	}
	if err != nil || m.from() == m.network.Hot {
		return err
	}
	return w.follow(ctx, m)
}

// follow takes over the chain's count of a deposit address, if nothing of ours is under way there. Someone else has used the address
// otherwise: an operator's own tool, or a signer whose books are lost. Both ends of a move are ours, so a fee is the most that is lost.
// Where no chain counts, the slots of the address are the books' own.
func (w *Worker) follow(ctx context.Context, m *move) error {
	if m.network.Counter == nil {
		return w.Store.OpenNonces(ctx, m.network.Name, m.from(), 0)
	}
	next, err := m.network.Counter.NextNonce(ctx, m.from())
	if err != nil {
		return fmt.Errorf("nonce of %s on %s: %w", m.from(), m.network.Name, err)
	}
	return w.Store.FollowNonces(ctx, m.network.Name, m.from(), int64(next)) //nolint:gosec // a nonce is far below 2^63
}

// readFinal reads the coin of a deposit address in final blocks, if it pays the fee for a token: what it held at the last followed block,
// less what has come there since the final one.
func (w *Worker) readFinal(ctx context.Context, m *move) error {
	n := m.network
	if m.row.Kind != pay.MoveSweep || m.row.Token == n.Coin || n.HotPays {
		return nil
	}
	blocks, err := w.Store.BlocksBelow(ctx, n.Name, math.MaxInt64, 1)
	if err == nil && len(blocks) == 0 {
		err = errStopped
	}
	if err != nil {
		return err
	}
	unfinal, err := w.Store.UnfinalAt(ctx, n.Name, m.from(), n.Coin)
	if err != nil {
		return err
	}
	held, err := n.Holder.Holdings(ctx, n.Coin, []string{m.from()}, blocks[0].Height)
	if err != nil {
		return fmt.Errorf("holdings of %s on %s: %w", m.from(), n.Name, err)
	}
	m.final = new(held[0].Sub(unfinal))
	return nil
}

// sign signs a move in the next slot of its address, and keeps the bytes. Everything signed for it before must be dead.
func (w *Worker) sign(ctx context.Context, m *move, draft chains.Draft) (t *pay.SignedTransaction, err error) {
	n, spare := m.network, draft.Spare()
	var chain, ours int64
	if spare.Next != nil && m.from() == n.Hot {
		chain = int64(*spare.Next) //nolint:gosec // a nonce is far below 2^63
	}
	err = w.Store.InTx(ctx, func(tx *store.Store) error {
		turn, err := tx.BeginSigning(ctx, store.Signing{Network: n.Name, Address: m.from(), Kind: settlement.KindOf(n), Assets: []string{m.asset},
			Slots: 1, Deducted: store.Deducted{From: spare.From, Untaken: spare.Untaken}})
		if err != nil {
			return err
		}
		switch turn.Outcome {
		case store.TurnReady:
		case store.TurnAgain:
			return fmt.Errorf("the balance read for %s on %s is older than its final transactions: it is read again", m.from(), n.Name)
		default:
			return errStopped
		}
		if ours = turn.First; ours < chain {
			return guard.ErrWalletStopped
		}
		if err := m.affordable(turn, spare); err != nil {
			return err
		}
		slot, err := m.lease(ctx, tx, draft, turn)
		if err != nil {
			return err
		}
		if t, err = m.signed(draft, slot, string(m.row.Kind)); err != nil {
			return err
		}
		if err := m.dear(t); err != nil {
			return err
		}
		if err := m.leaves(ctx, tx, turn, spare, slot, t.Fee); err != nil {
			return err
		}
		if m.final != nil && t.Fee.GreaterThan(*m.final) {
			return errNotFinal
		}
		if err := begun(ctx, tx, m); err != nil {
			return err
		}
		if err := tx.AddAllSigned(ctx, []*pay.SignedTransaction{t}); err != nil {
			return err
		}
		return desk.Start(ctx, tx, m.job)
	})
	if ours < chain {
		return nil, w.Guard.StopWallet(ctx, n, ours, chain)
	}
	return t, err
}

// begun moves a move on to signed. One signed before is still to be made, and its transactions are still dead.
func begun(ctx context.Context, tx *store.Store, m *move) error {
	if len(m.history) == 0 {
		return desk.Fenced(tx.AdvanceMove(ctx, m.row.ID, []pay.MoveStatus{pay.MovePlanned}, pay.MoveSigned, nil, nil, nil))
	}
	if err := stillDead(ctx, tx, m); err != nil {
		return err
	}
	open := []pay.MoveStatus{pay.MoveSigned, pay.MoveSent}
	if err := desk.Fenced(tx.AdvanceMove(ctx, m.row.ID, open, pay.MoveSigned, nil, nil, nil)); err != nil {
		return err
	}
	now, err := tx.Move(ctx, m.row.ID)
	return desk.Fenced(err == nil && !now.Cancelling, err)
}

// affordable fails with chains.ErrShort when everything promised by its address leaves too little for a move or its fee.
func (m *move) affordable(turn *store.SigningTurn, spare chains.Spare) error {
	coin := m.network.Coin
	token, coins := turn.Promised[m.row.Token], turn.Promised[coin].Add(turn.Fees)
	if m.row.Token == coin {
		token = coins
	}
	if token.GreaterThan(decimal.Max(spare.Token, decimal.Zero)) || coins.GreaterThan(decimal.Max(spare.Coin, decimal.Zero)) {
		return fmt.Errorf("%w: %s %s and %s %s are promised to others", chains.ErrShort, token, m.row.Token, coins, coin)
	}
	return nil
}

// leavesQueued fails with chains.ErrShort when a move of the hot wallet takes what queued payouts ask for. A top-up may do so if there is
// not enough for them anyhow: sweeps bring more.
func (m *move) leavesQueued(ctx context.Context, tx *store.Store, turn *store.SigningTurn, spare chains.Spare, fee decimal.Decimal) error {
	if m.from() != m.network.Hot {
		return nil
	}
	queued, count, err := tx.QueuedSum(ctx, m.network.Name, m.row.Token)
	if err != nil || count == 0 {
		return err
	}
	asked, own := queued.Add(turn.Promised[m.row.Token]), m.row.Amount
	if acts[m.row.Kind] != "" && m.row.Kind != pay.MoveStake { // nothing but its fee leaves the wallet
		own = decimal.Zero
	}
	if m.row.Token == m.network.Coin {
		asked, own = asked.Add(turn.Fees).Add(fee.Mul(decimal.NewFromInt(count))), own.Add(fee)
	}
	enough := asked.LessThanOrEqual(spare.Token.Add(own))
	if asked.GreaterThan(spare.Token) && (enough || m.row.Kind == pay.MoveCold || m.row.Kind == pay.MoveStake) {
		return fmt.Errorf("%w: payouts ask for %s %s", chains.ErrShort, asked, m.row.Token)
	}
	return nil
}

// dear fails if a transaction may cost more than its move may. One that only takes a slot has to.
func (m *move) dear(t *pay.SignedTransaction) error {
	if t.Purpose == pay.PurposeVoid || m.row.MaxFee == nil || t.Fee.LessThanOrEqual(*m.row.MaxFee) {
		return nil
	}
	return fmt.Errorf("%w: %s %s, and at most %s", errTooDear, t.Fee, m.network.Coin, m.row.MaxFee)
}

// signed signs a draft for a slot, and returns its row.
func (m *move) signed(draft chains.Draft, slot chains.Slot, purpose string) (*pay.SignedTransaction, error) {
	signed, err := draft.Sign(slot)
	if err != nil {
		return nil, fmt.Errorf("sign on %s: %w", m.network.Name, err)
	}
	return &pay.SignedTransaction{Network: m.network.Name, Txid: signed.Txid, PayoutID: m.row.ID, Purpose: purpose, Address: m.from(),
		Nonce: int64(slot.Number), Raw: signed.Raw, Fee: signed.Fee, Until: signed.Until, State: pay.TxSigned}, nil //nolint:gosec // a number of the books is far below 2^63
}

// cancel ends a planned move that cannot be made.
func (w *Worker) cancel(ctx context.Context, m *move, why string) error {
	return w.Store.InTx(ctx, func(tx *store.Store) error {
		if _, err := tx.AdvanceMove(ctx, m.row.ID, []pay.MoveStatus{pay.MovePlanned}, pay.MoveCancelled, &why, nil, nil); err != nil {
			return err
		}
		return w.end(ctx, tx, m)
	})
}

// end finishes the job of an ended move. After a top-up or a loan the sweep of its address goes on.
func (w *Worker) end(ctx context.Context, tx *store.Store, m *move) error {
	if m.row.Kind == pay.MoveTopup || m.row.Kind == pay.MoveDelegate {
		waiting, err := tx.WaitingSweeps(ctx, m.row.Network, []string{m.row.ToAddress})
		if err != nil {
			return err
		}
		if err := tx.AddJobs(ctx, string(tasks.MoveTreasury), waiting, tasks.RingDelay); err != nil {
			return err
		}
	}
	return desk.Fenced(tx.FinishJob(ctx, m.job))
}
