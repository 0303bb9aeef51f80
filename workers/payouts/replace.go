package payouts

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// bump replaces a stuck transaction by one of the same purpose. If it cannot be replaced now, it is sent again: the network may have
// lost it, and all later nonces of the wallet wait behind it. The job stays, to replace it as soon as possible.
//
// A payment to be stopped by the operator is never sent again here. Its cancellation is, once there is one; until then the attempt
// fails with the reason why none could be signed.
func (w *Worker) bump(ctx context.Context, b *broadcast, stuck *pay.SignedTransaction) error {
	if stuck.State == pay.TxSigned {
		return w.bumpUntaken(ctx, b, stuck)
	}
	draft, why := w.replacement(ctx, b, stuck, stuck.Purpose)
	if why == nil {
		return w.keepReplacement(ctx, b, stuck, draft, stuck.Purpose)
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
	draft, err := w.replacement(ctx, b, stuck, stuck.Purpose)
	if err != nil {
		return fmt.Errorf("%w; and %s does not take %s: %s", err, b.network.Name, stuck.Txid, v.reason)
	}
	return w.keepReplacement(ctx, b, stuck, draft, stuck.Purpose)
}

// replace signs another transaction for the nonce of a payout's newest one, at a higher fee: the same payment, or one moving nothing.
// At most one of a nonce is ever mined; the follower watches them all.
func (w *Worker) replace(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, purpose string) error {
	draft, err := w.replacement(ctx, b, newest, purpose)
	if err != nil {
		return err
	}
	return w.keepReplacement(ctx, b, newest, draft, purpose)
}

// keepReplacement signs a draft for the nonce of a payout's newest transaction, saves the bytes, and only then sends them.
func (w *Worker) keepReplacement(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, draft chains.Draft, purpose string) error {
	var kept *pay.SignedTransaction
	err := w.Store.InTx(ctx, func(tx *store.Store) error {
		if err := desk.Fenced(tx.StillOpen(ctx, b.payout.ID)); err != nil {
			return err // its nonce was taken while the network was asked: a transaction signed for it now would wait for ever
		}
		now, err := tx.PayoutForUpdate(ctx, b.payout.ID) // before the job, as all lock them
		if err := desk.Fenced(err == nil && mayEndBy(now, purpose), err); err != nil {
			return err
		}
		if err := desk.Start(ctx, tx, b.job); err != nil {
			return err
		}
		if purpose == pay.PurposePay {
			if err := settlement.WasHeld(ctx, tx, b.payout); err != nil {
				return err
			}
		}
		if kept, err = signDraft(b.network, b.payout, draft, newest.Nonce, purpose); err != nil {
			return err
		}
		return tx.AddSigned(ctx, kept)
	})
	if err != nil {
		return err
	}
	return w.sendWith(ctx, b, kept, rejectedToo)
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

// replacement prepares a transaction to take the nonce of a payout's newest one. It is signed by the wallet of the newest one, or by
// none: a nonce of another wallet takes nothing from it, and both would be mined.
func (w *Worker) replacement(ctx context.Context, b *broadcast, newest *pay.SignedTransaction, purpose string) (draft chains.Draft, err error) {
	n := b.network
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace nonce %d of %s on %s: %w", newest.Nonce, newest.Address, n.Name, err)
		}
	}()
	if newest.Address != n.Hot {
		return nil, fmt.Errorf("the hot wallet is %s now, and cannot: only a signer with the seed and NETWORKS_FILE of that time can", n.Hot)
	}
	if purpose == pay.PurposePay {
		if err := w.Guard.AsSealed(ctx, n, b.payout); err != nil {
			return nil, err
		}
	}
	if err := w.maySign(ctx, n, b.payout, purpose); err != nil {
		return nil, err
	}
	var over [][]byte
	for _, t := range b.history {
		if t.Nonce == newest.Nonce && t.Address == newest.Address {
			over = append(over, t.Raw)
		}
	}
	if purpose == pay.PurposeCancel {
		return n.Sender.Cancel(ctx, uint64(newest.Nonce), over) //nolint:gosec // it came out as a uint64
	}
	return n.Sender.Bump(ctx, orderOf(n, b.payout), over)
}
