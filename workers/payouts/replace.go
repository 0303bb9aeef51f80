package payouts

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// replacement is a draft to take the slot of a payout's newest transaction, for all payouts of the slot.
type replacement struct {
	draft chains.Draft
	of    []purposed
}

// bump replaces a stuck transaction by one of the same purpose. If it cannot be replaced now, it is sent again: the network may have
// lost it, and later slots of the wallet may wait behind it. The job stays, to replace it as soon as possible.
//
// A payment to be stopped by the operator is never sent again here. Its cancellation is, once there is one; until then the attempt
// fails with the reason why none could be signed.
func (w *Worker) bump(ctx context.Context, b *broadcast, stuck *pay.SignedTransaction) error {
	if stuck.State == pay.TxSigned {
		return w.bumpUntaken(ctx, b, stuck)
	}
	r, why := w.replacement(ctx, b, stuck, stuck.Purpose)
	if why == nil {
		return w.keepReplacement(ctx, b, stuck, r)
	}
	switch v := b.broadcastBytes(ctx, stuck); v.outcome {
	case chains.Accepted:
		return fmt.Errorf("%s accepted %s again, unchanged; it is overdue and could not be replaced: %s", b.network.Name, stuck.Txid,
			why.Error()) // its node is well
	case chains.Rejected:
		return w.handleRejection(ctx, b, stuck, v.reason)
	default:
		return fmt.Errorf("%w; and %s does not take %s again: %s", why, b.network.Name, stuck.Txid, v.reason)
	}
}

// bumpUntaken sends a stuck transaction not known to be with the network, since it may be taken by now as it is. It replaces the
// transaction if it offers less than fees have risen to: a higher fee helps against no other reason of a node.
func (w *Worker) bumpUntaken(ctx context.Context, b *broadcast, stuck *pay.SignedTransaction) error {
	v := b.broadcastBytes(ctx, stuck)
	if v.outcome != chains.Underpriced {
		return w.handleOutcome(ctx, b, stuck, v, w.handleRejection)
	}
	r, err := w.replacement(ctx, b, stuck, stuck.Purpose)
	if err != nil {
		return fmt.Errorf("%w; and %s does not take %s: %s", err, b.network.Name, stuck.Txid, v.reason)
	}
	return w.keepReplacement(ctx, b, stuck, r)
}

// sendOrLeaveOut sends a transaction again. If its network does not take it, and a coin of it has been in no block for long, another one
// takes its slot without this coin.
func (w *Worker) sendOrLeaveOut(ctx context.Context, b *broadcast, t *pay.SignedTransaction) error {
	v := b.broadcastBytes(ctx, t)
	if v.outcome != chains.NotTaken && v.outcome != chains.SlotTaken {
		return w.handleOutcome(ctx, b, t, v, w.handleRejection)
	}
	long, yet := settlement.Gone(ctx, w.Store, b.network, t.Nonce)
	switch {
	case t.Address != b.network.Hot, !long && yet == nil:
		return w.handleOutcome(ctx, b, t, v, w.handleRejection)
	case long:
		return w.replace(ctx, b, t, t.Purpose)
	default:
		return fmt.Errorf("%s does not take %s: %s; %w", b.network.Name, t.Txid, v.reason, yet)
	}
}

// replace signs another transaction for the slot of a payout's newest one, at a higher fee. For the payout it has the purpose, and for
// the others of the slot the one it had. At most one of a slot is ever mined; the follower watches them all.
func (w *Worker) replace(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, purpose string) error {
	r, err := w.replacement(ctx, b, newest, purpose)
	if err != nil {
		return err
	}
	return w.keepReplacement(ctx, b, newest, r)
}

// keepReplacement signs a draft for the slot of a payout's newest transaction, saves the bytes, and only then sends them.
func (w *Worker) keepReplacement(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, r *replacement) error {
	var kept []*pay.SignedTransaction
	err := w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := stillOpen(ctx, tx, b, newest.Nonce); err != nil {
			return err // its slot was taken while the network was asked: a transaction signed for it now would wait for ever
		}
		for _, o := range inOrder(r.of) { // payouts before the job, as all lock them
			now, err := tx.PayoutForUpdate(ctx, o.payout.ID)
			if err := desk.Fenced(err == nil && mayEndBy(now, o.purpose), err); err != nil {
				return err
			}
		}
		if err := desk.Start(ctx, tx, b.job); err != nil {
			return err
		}
		for _, o := range r.of {
			if o.purpose != pay.PurposePay {
				continue
			}
			if err := settlement.WasHeld(ctx, tx, o.payout); err != nil {
				return err
			}
		}
		slot, err := settlement.LeaseAgain(ctx, tx, b.network, r.draft, newest.Nonce, settlement.Needed(b.history, b.replaced))
		if err != nil {
			return err
		}
		if kept, err = signDraft(b.network, r.of, r.draft, slot); err != nil {
			return err
		}
		return tx.AddSigned(ctx, kept)
	})
	if err != nil {
		return err
	}
	return w.sendWith(ctx, b, kept[0], rejectedToo)
}

// stillOpen fails unless every transaction of a payout's slot may still be taken, or was rejected, and none was signed for the slot
// since its history was read: another one may have dropped a payout of the slot.
func stillOpen(ctx context.Context, tx *store.Store, b *broadcast, number int64) error {
	rows, all, err := tx.LockSlot(ctx, b.payout.ID)
	if err != nil {
		return err
	}
	return desk.Fenced(all && settlement.MayReplace(rows, number) && rowsOf(rows, b.payout) == len(b.history), nil)
}

// inOrder returns payouts in the order in which their rows are locked.
func inOrder(of []purposed) []purposed {
	return slices.SortedFunc(slices.Values(of), func(a, b purposed) int { return bytes.Compare(a.payout.ID[:], b.payout.ID[:]) })
}

// mayEndBy reports whether a transaction of a purpose may be signed for a payout already signed. A payout whose end was undone by its
// network may only end the same way again.
func mayEndBy(p *pay.Payout, purpose string) bool {
	switch p.Status {
	case pay.PayoutCompleted:
		return purpose == pay.PurposePay
	case pay.PayoutRefunded:
		return purpose == pay.PurposeCancel
	default:
		return p.Status.May(pay.PayoutFailed)
	}
}

// replacement prepares a transaction to take the slot of a payout's newest one. It is signed by the wallet of the newest one, or by
// none: a slot of another wallet takes nothing from it, and both would be mined.
func (w *Worker) replacement(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, purpose string) (r *replacement, err error) {
	n := b.network
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace slot %d of %s on %s: %w", newest.Nonce, newest.Address, n.Name, err)
		}
	}()
	if newest.Address != n.Hot {
		return nil, fmt.Errorf("the hot wallet is %s now, and cannot: only a signer with the seed and NETWORKS_FILE of that time can", n.Hot)
	}
	r = new(replacement)
	if r.of, err = w.slotOf(ctx, b, newest, purpose); err != nil {
		return nil, err
	}
	var spend chains.Spend
	for _, o := range r.of {
		if o.purpose != pay.PurposePay {
			continue
		}
		if err := w.Guard.AsSealed(ctx, n, o.payout); err != nil {
			return nil, err
		}
		spend.Orders = append(spend.Orders, orderOf(n, o.payout))
	}
	if err := w.maySign(ctx, n, b.payout, purpose); err != nil {
		return nil, err
	}
	for _, t := range settlement.InSlot(b.history, newest) {
		spend.Over = append(spend.Over, t.Raw)
	}
	if spend.Gone, err = settlement.Missing(ctx, w.Store, n, newest.Nonce); err != nil {
		return nil, err
	}
	r.draft, err = n.Sender.Prepare(ctx, spend)
	return r, err
}

// slotOf returns the payouts of a payout's newest transaction. A replacement has the purpose for the payout itself, and for each
// other the one of the newest transaction: a dropped payout stays dropped.
func (w *Worker) slotOf(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, purpose string) ([]purposed, error) {
	if b.network.Batch <= 1 {
		return []purposed{{b.payout, purpose}}, nil
	}
	rows, err := w.Store.SignedWith(ctx, newest.Network, newest.Txid)
	if err != nil {
		return nil, err
	}
	ids := make([]uuid.UUID, len(rows))
	for i := range rows {
		ids[i] = rows[i].PayoutID
	}
	payouts, err := w.Store.PayoutsOf(ctx, ids)
	if err != nil {
		return nil, err
	}
	of := make([]purposed, len(rows))
	for i := range rows {
		of[i] = purposed{payouts[rows[i].PayoutID], rows[i].Purpose}
		if of[i].payout == nil {
			return nil, fmt.Errorf("payout %s: %w", rows[i].PayoutID, pay.ErrNotFound)
		}
		if rows[i].PayoutID == b.payout.ID {
			of[i].purpose = purpose
		}
	}
	return of, nil
}
