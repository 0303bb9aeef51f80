// Package payouts signs the transactions of payouts, saves their bytes, and only then sends them. It replaces stuck transactions, and
// stops payouts not to be paid now.
package payouts

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/catalogue"
	"causeway/workers/desk"
	"causeway/workers/guard"
	"causeway/workers/settlement"
)

// Worker sends payouts.
type Worker struct {
	*desk.Desk
	Guard     *guard.Guard
	Catalogue *catalogue.Catalogue

	groups groups
	stops  stops
	caps   capsSeen
	nodes  nodes
}

// broadcast is one attempt at a payout's job.
type broadcast struct {
	job     store.DueJob
	payout  *pay.Payout
	network *chains.Network         // of the payout
	history []pay.SignedTransaction // every transaction signed for it, oldest first, as last read; nil while there is none
	// replaced says that the attempt has signed another transaction for one whose time was over.
	replaced bool
}

// BroadcastPayout signs a payout once, saves the bytes, and only then sends them; when it comes again it sends the same bytes. The
// job ends when the network has them: following the network does the rest.
func (w *Worker) BroadcastPayout(ctx context.Context, j store.DueJob) error {
	p, err := w.groups.started.Do(ctx, j, w.startPayouts)
	if err != nil {
		return err
	}
	if p == nil { // the job is another attempt's, or has no payout
		if err := desk.Start(ctx, w.Store, j); err != nil {
			return err
		}
		return fmt.Errorf("payout %s: %w", j.Ref, pay.ErrNotFound)
	}
	if p.Status == pay.PayoutQueued && p.Cancelling { // its network is not asked, and may not be configured any more
		return w.failUntaken(ctx, j, p, settlement.Cancelled)
	}
	n, err := w.Network(p.Network)
	if err != nil {
		return err
	}
	if n.Sender == nil {
		return fmt.Errorf("no key to sign on %s here", n.Name)
	}
	b := &broadcast{job: j, payout: p, network: n}
	return w.nodes.ask(n.Name, func() error {
		if p.Status == pay.PayoutQueued {
			return w.firstBroadcast(ctx, b)
		}
		return w.nextBroadcast(ctx, b)
	})
}

// firstBroadcast signs and sends a payout with nothing signed yet.
func (w *Worker) firstBroadcast(ctx context.Context, b *broadcast) error {
	n, p := b.network, b.payout
	if err := w.Guard.AsSealed(ctx, n, p); err != nil {
		return err
	}
	if err := w.checkBeforeSigning(n, p); err != nil {
		return w.failUntaken(ctx, b.job, p, err.Error())
	}
	if err := w.maySign(ctx, n, p, pay.PurposePay); err != nil {
		return w.orHold(ctx, b, err)
	}
	if err := eachUnderCap(n, p); err != nil {
		return w.orCapped(ctx, b, err)
	}
	if wait := b.gathering(); wait > 0 {
		return w.gather(ctx, b, wait)
	}
	if err := w.Catalogue.SameContracts(ctx, w.Store, n); err != nil {
		return err
	}
	draft, err := n.Sender.Prepare(ctx, chains.Spend{Orders: []chains.Order{orderOf(n, p)}})
	if errors.Is(err, chains.ErrUnpayable) {
		return w.failUntaken(ctx, b.job, p, err.Error())
	}
	if err != nil {
		return fmt.Errorf("prepare on %s from %s: %w", n.Name, n.HotAddress(), err)
	}
	signed, err := w.sign(ctx, b, draft)
	if err != nil {
		return w.orHold(ctx, b, err)
	}
	return w.send(ctx, b, signed)
}

// nextBroadcast goes on with a payout already signed. It sends the newest bytes again if the network may still take them, or replaces
// them in the same slot when they are stuck or the operator wants to stop the payout. While another transaction of the payout is in
// a block, none is stuck: the mined one has the slot.
func (w *Worker) nextBroadcast(ctx context.Context, b *broadcast) (err error) {
	p := b.payout
	if b.history, err = w.Store.SignedOf(ctx, p.ID); err != nil {
		return err
	}
	if b.network.Exclusion == chains.ByExpiry {
		return w.nextByExpiry(ctx, b)
	}
	if b.network.Exclusion == chains.ByCoins {
		return w.nextByCoins(ctx, b)
	}
	return w.nextInSlot(ctx, b)
}

// nextInSlot goes on with a payout whose transactions all have one slot, or one for each life of it.
func (w *Worker) nextInSlot(ctx context.Context, b *broadcast) (err error) {
	p := b.payout
	newest, open := settlement.NextToSend(b.history, p), p.Status.May(pay.PayoutFailed) // else its network undid a final transaction
	switch {
	case open && settlement.AllDead(b.history): // with the other payouts of its transactions, which were rejected for good
		return w.failUntaken(ctx, b.job, p, settlement.NotCarriedOut, b.history...)
	case newest == nil, open && p.Cancelling && settlement.AnyMined(b.history): // the mined one decides, or is undone, and then this comes again
		_, err = w.Store.FinishJob(ctx, b.job)
		return err
	case open && p.Cancelling && newest.Purpose == pay.PurposePay:
		return w.replace(ctx, b, newest, pay.PurposeCancel)
	case p.Status == pay.PayoutRefunded && newest.Purpose == pay.PurposePay: // it had moved nothing, and could pay now
		return w.replace(ctx, b, newest, pay.PurposeCancel)
	case settlement.AnyMined(b.history):
		return w.send(ctx, b, newest)
	case settlement.Stuck(b.network, newest):
		return w.bump(ctx, b, newest)
	default:
		return w.sendOrLeaveOut(ctx, b, newest)
	}
}

// sign signs a payout and keeps the bytes, with others of its network coming at the same time.
func (w *Worker) sign(ctx context.Context, b *broadcast, draft chains.Draft) (*pay.SignedTransaction, error) {
	kept, err := w.groups.signer(b.network.Name).Do(ctx, toSign{b.network, b.payout, draft}, w.signPayouts)
	if err == nil && kept == nil {
		err = errAhead
	}
	if err != nil {
		return nil, err
	}
	b.payout.Status = pay.PayoutSigned
	return kept, nil
}

// purposed is a payout in a transaction, and the purpose of the transaction for it.
type purposed struct {
	payout  *pay.Payout
	purpose string
}

// signDraft signs a draft for a slot, and returns a row for each of its payouts.
func signDraft(n *chains.Network, of []purposed, draft chains.Draft, slot chains.Slot) ([]*pay.SignedTransaction, error) {
	signed, err := draft.Sign(slot)
	if err != nil {
		return nil, fmt.Errorf("sign on %s: %w", n.Name, err)
	}
	rows := make([]*pay.SignedTransaction, len(of))
	for i, o := range of {
		rows[i] = &pay.SignedTransaction{Network: n.Name, Txid: signed.Txid, Place: i, PayoutID: o.payout.ID, Purpose: o.purpose,
			Address: n.Hot, Nonce: int64(slot.Number), Until: signed.Until, State: pay.TxSigned} //nolint:gosec // numbers count up
	}
	rows[0].Raw, rows[0].Fee = signed.Raw, signed.Fee
	return rows, nil
}

// failUntaken fails a payout and refunds it: nothing was signed for it, or the network has rejected every transaction for good.
func (w *Worker) failUntaken(ctx context.Context, j store.DueJob, p *pay.Payout, reason string, rejected ...pay.SignedTransaction) error {
	return w.Record(ctx, func(tx *store.Store) ([]tasks.Job, error) {
		if err := neverSigned(ctx, tx, p); err != nil {
			return nil, err
		}
		var mates []uuid.UUID
		if len(rejected) > 0 {
			rows, all, err := tx.LockSlot(ctx, p.ID)
			if err := desk.Fenced(all && rowsOf(rows, p) == len(rejected), err); err != nil { // another one was signed for the slot meanwhile
				return nil, err
			}
			mates = matesOf(rows, p)
		}
		moves := make([]store.SignedMove, 0, len(rejected))
		for _, t := range rejected {
			if t.State != pay.TxExpired {
				moves = append(moves, store.SignedMove{Txid: t.Txid, From: t.State, To: pay.TxRejected})
			}
		}
		moved, err := tx.MarkAllSigned(ctx, p.Network, moves)
		if err := desk.Fenced(len(moved) == len(moves), err); err != nil { // one was followed into a block meanwhile
			return nil, err
		}
		for _, t := range rejected {
			if t.State == pay.TxExpired { // its coins are free already, and its first one stays with it
				continue
			}
			if err := tx.FreeCoins(ctx, t.Network, t.Address, []int64{t.Nonce}); err != nil {
				return nil, err
			}
		}
		ring, err := settlement.Fail(ctx, tx, p, reason)
		if err != nil {
			return nil, err
		}
		if err := tx.AddJobs(ctx, string(tasks.BroadcastPayout), mates, tasks.RingDelay); err != nil { // each ends by its own job
			return nil, err
		}
		return ring, desk.Fenced(tx.FinishJob(ctx, j))
	})
}

// matesOf returns the other payouts of a payout's slot.
func matesOf(rows []pay.SignedTransaction, p *pay.Payout) (mates []uuid.UUID) {
	for i := range rows {
		if rows[i].PayoutID != p.ID {
			mates = append(mates, rows[i].PayoutID)
		}
	}
	return store.Unique(mates)
}

// rowsOf counts the transactions signed for a payout among those of its slot.
func rowsOf(rows []pay.SignedTransaction, p *pay.Payout) (own int) {
	for i := range rows {
		if rows[i].PayoutID == p.ID {
			own++
		}
	}
	return own
}

// neverSigned fails if a payout is queued and a transaction was signed for it. Its row was changed by hand, and it may have been paid.
func neverSigned(ctx context.Context, tx *store.Store, p *pay.Payout) error {
	if p.Status != pay.PayoutQueued {
		return nil
	}
	signed, err := tx.SignedOf(ctx, p.ID)
	if err == nil && len(signed) > 0 {
		err = errSigned(p.ID.String())
	}
	return err
}

// errSigned says that a queued payout has a signed transaction: it is neither paid again nor refunded.
func errSigned(payout string) error {
	return fmt.Errorf("payout %s is queued, and a transaction was signed for it: somebody has changed its row", payout)
}

// checkBeforeSigning checks once more, where the keys are, the address accepted by the front.
func (w *Worker) checkBeforeSigning(n *chains.Network, p *pay.Payout) error {
	canonical, err := n.Addresser.Validate(p.Wallet)
	if err != nil {
		return err
	}
	if n.Addresser.Match(canonical) == n.Hot {
		return errors.New("the destination is our own hot wallet")
	}
	return nil
}

func orderOf(n *chains.Network, p *pay.Payout) chains.Order {
	order := chains.Order{To: p.Wallet, Token: p.Token, Amount: p.Amount}
	if p.Memo != nil {
		order.Memo = n.MemoOnChain(*p.Memo)
	}
	return order
}
