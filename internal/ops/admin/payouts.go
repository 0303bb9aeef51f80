package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
)

// PayoutHead is a payout without its history.
type PayoutHead struct {
	pay.Payout
	Status     string           `json:"status"` // as the wire names it
	State      pay.PayoutStatus `json:"state"`  // as we know it
	Cancelling bool             `json:"cancelling"`
	Reason     *string          `json:"reason"`
	Txid       *string          `json:"txid"`
	CreatedAt  time.Time        `json:"created_at"`
	UpdatedAt  time.Time        `json:"updated_at"`
}

func headOf(p *pay.Payout) PayoutHead {
	return PayoutHead{Payout: *p, Status: p.Status.Public(), State: p.Status, Cancelling: p.Cancelling, Reason: p.Reason, Txid: p.Txid,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt}
}

// Payout is a payout with everything recorded about it.
type Payout struct {
	PayoutHead
	Transactions []Transaction       `json:"transactions"`
	Job          *store.JobRow       `json:"job"` // null when nothing is to be signed or sent
	Postings     []store.PostingRow  `json:"postings"`
	Deliveries   []Delivery          `json:"deliveries"`
	Approval     *store.Approval     `json:"approval"`        // null when none was asked for
	Note         string              `json:"note,omitempty"`  // why it cannot be cancelled now
	Amiss        *store.AmissPayment `json:"amiss,omitempty"` // its final payment, if it moved another amount: a person decides
	Contrary     bool                `json:"-"`               // its network has decided against how it had ended
	Undone       bool                `json:"-"`               // it has ended, its network has undone its end, and nothing of it is in a block
}

// Transaction is one transaction signed for a payout or a move of the treasury.
type Transaction struct {
	Txid     string          `json:"txid"`
	Purpose  string          `json:"purpose"` // pay or cancel; of a move its kind, or void
	Address  string          `json:"address"` // its sender
	Nonce    int64           `json:"nonce"`
	MaxFee   decimal.Decimal `json:"max_fee"` // in the native coin
	State    pay.SignedState `json:"state"`
	Height   *int64          `json:"height"`
	SignedAt time.Time       `json:"signed_at"`
	SentAt   *time.Time      `json:"sent_at"`

	Cost *decimal.Decimal `json:"cost,omitempty"` // of a payout: its part by size of what the transaction cost, in the native coin; nil until it is booked
}

func transactionView(t *pay.SignedTransaction) Transaction {
	return Transaction{Txid: t.Txid, Purpose: t.Purpose, Address: t.Address, Nonce: t.Nonce, MaxFee: t.Fee, State: t.State, Height: t.Height,
		SignedAt: t.SignedAt, SentAt: t.SentAt}
}

// payoutState is the part of a payout an operator's decision can change, for the audit row.
type payoutState struct {
	Status     string `json:"status"`
	Cancelling bool   `json:"cancelling"`
}

func stateOf(p *pay.Payout) payoutState { return payoutState{string(p.Status), p.Cancelling} }

// Payout shows the payout named by a word: its id, or a reference_id of only one merchant.
func (a *Admin) Payout(ctx context.Context, word string) (*Payout, error) {
	p, err := a.payoutCalled(ctx, word)
	if err != nil {
		return nil, err
	}
	view := &Payout{PayoutHead: headOf(p), Transactions: []Transaction{}}
	signed, err := a.Store.SignedOf(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	view.Undone, view.Note = undone(p, signed), tooLate(p, signed)
	if view.Contrary, err = a.Store.IsContrary(ctx, p.ID); err != nil {
		return nil, err
	}
	if view.Amiss, err = a.Store.AmissOf(ctx, p.ID); err != nil {
		return nil, err
	}
	subjects := []uuid.UUID{p.ID}
	for i := range signed {
		t := &signed[i]
		view.Transactions = append(view.Transactions, transactionView(t))
		subjects = append(subjects, ledger.Gas(t.Network, t.Txid))
	}
	if err = a.addCosts(ctx, p, view.Transactions); err != nil {
		return nil, err
	}
	if view.Job, err = a.Store.Job(ctx, string(tasks.BroadcastPayout), p.ID); err != nil {
		return nil, err
	}
	if view.Postings, err = a.Store.PostingsOf(ctx, subjects); err != nil {
		return nil, err
	}
	deliveries, err := a.Store.DeliveriesOf(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	if view.Deliveries, err = a.withAttempts(ctx, deliveries); err != nil {
		return nil, err
	}
	view.Approval, err = a.Store.ApprovalOf(ctx, p.ID)
	return view, err
}

// PostingsOfTransfers returns the ledger's postings for transfers, oldest first: every credit, with its end.
func (a *Admin) PostingsOfTransfers(ctx context.Context, transfers []pay.Transfer) ([]store.PostingRow, error) {
	subjects := make([]uuid.UUID, len(transfers))
	for i := range transfers {
		subjects[i] = transfers[i].ID
	}
	return a.Store.PostingsOf(ctx, subjects)
}

func (a *Admin) payoutCalled(ctx context.Context, word string) (*pay.Payout, error) {
	found, err := a.Store.PayoutsCalled(ctx, word, 2)
	if err != nil {
		return nil, err
	}
	return only("payout", word, found)
}

// CancelPayout asks for an open payout to be stopped. The signing worker decides whether that is still possible: the debit comes
// back only when nothing was, or can still be, broadcast (addendum §7).
func (a *Admin) CancelPayout(ctx context.Context, word string) (*Payout, error) {
	return a.changePayout(ctx, "payout.cancel", word, func(tx *store.Store, p *pay.Payout) (before, after any, err error) {
		before = stateOf(p)
		ok, err := tx.CancelPayout(ctx, p.ID)
		if err == nil && !ok {
			err = refuse("payout %s is %s: there is nothing to cancel", p.ID, p.Status)
		}
		p.Cancelling = true
		return before, stateOf(p), err
	})
}

// CancelWithdrawal asks for a withdrawal of a merchant's panel to be stopped, while nothing is signed for it. Its debit comes back when the
// signing worker has seen that.
func (a *Admin) CancelWithdrawal(ctx context.Context, merchant, id uuid.UUID) error {
	return a.Change(ctx, "person.cancel-withdrawal", "payout:"+id.String(), func(tx *store.Store) (before, after any, err error) {
		done, err := tx.CancelWithdrawal(ctx, merchant, id)
		if err == nil && !done {
			err = refuse("it cannot be cancelled any more: something is signed for it, or it has ended")
		}
		if err != nil {
			return nil, nil, err
		}
		return nil, map[string]any{"merchant_id": merchant, "payout": id}, tx.SetDue(ctx, string(tasks.BroadcastPayout), id)
	})
}

// undone reports whether a payout has ended, and its network has undone its end: one of its transactions may still be taken, and
// none is in a block not final yet.
func undone(p *pay.Payout, signed []pay.SignedTransaction) bool {
	untaken := func(t pay.SignedTransaction) bool { return t.State == pay.TxSigned || t.State == pay.TxSent }
	mined := func(t pay.SignedTransaction) bool { return t.State == pay.TxMined }
	return p.Status.Ended() && slices.ContainsFunc(signed, untaken) && !slices.ContainsFunc(signed, mined)
}

// tooLate names the payment already in a block of a payout to be cancelled, or returns "". The payout is cancelled only if the
// network undoes that block.
func tooLate(p *pay.Payout, signed []pay.SignedTransaction) string {
	if !p.Cancelling || p.Status.Ended() {
		return ""
	}
	for _, t := range signed {
		if t.State == pay.TxMined && t.Purpose == pay.PurposePay {
			return fmt.Sprintf("%s, which pays it, is in block %d of %s: it is cancelled only if the network undoes that",
				t.Txid, *t.Height, t.Network)
		}
	}
	return ""
}

// RetryPayout makes a payout's next attempt due now: of an open payout, or of an ended one if its network undid it and has not
// carried it out again.
func (a *Admin) RetryPayout(ctx context.Context, word string) (*Payout, error) {
	return a.changePayout(ctx, "payout.retry", word, func(tx *store.Store, p *pay.Payout) (before, after any, err error) {
		signed, err := tx.SignedOf(ctx, p.ID)
		if err != nil {
			return nil, nil, err
		}
		if p.Status.Ended() && !undone(p, signed) {
			return nil, nil, refuse("payout %s is %s: there is nothing to try again", p.ID, p.Status)
		}
		return stateOf(p), stateOf(p), nil
	})
}

// changePayout changes a payout under the lock of its row, and makes its job due under a new attempt. A worker then reads the payout
// as it is now: an earlier attempt still under way ends nothing any more. Work returns the audit's before and after.
func (a *Admin) changePayout(ctx context.Context, action, called string,
	work func(*store.Store, *pay.Payout) (before, after any, err error)) (*Payout, error) {
	found, err := a.payoutCalled(ctx, called)
	if err != nil {
		return nil, err
	}
	err = a.Change(ctx, action, "payout:"+found.ID.String(), func(tx *store.Store) (before, after any, err error) {
		p, err := tx.PayoutForUpdate(ctx, found.ID)
		if err != nil {
			return nil, nil, err
		}
		if before, after, err = work(tx, p); err != nil {
			return nil, nil, err
		}
		return before, after, tx.SetDue(ctx, string(tasks.BroadcastPayout), p.ID)
	})
	if err != nil {
		return nil, err
	}
	return a.Payout(ctx, found.ID.String())
}
