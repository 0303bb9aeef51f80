package admin

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/tasks"
)

// TreasuryMove is an amount on its way from one address of ours to another. Amounts are in the token, costs in the native coin.
type TreasuryMove struct {
	ID        uuid.UUID        `json:"id"`
	Network   string           `json:"network"`
	Kind      pay.MoveKind     `json:"kind"` // as in pay.MoveKind
	Token     string           `json:"token"`
	From      string           `json:"from"`
	To        string           `json:"to"`
	Amount    decimal.Decimal  `json:"amount"`
	MaxFee    *decimal.Decimal `json:"max_fee"` // null: anything
	After     *uuid.UUID       `json:"after"`   // of a topup or a delegate: the sweep that it is for
	Status    pay.MoveStatus   `json:"status"`
	Reason    *string          `json:"reason"` // why it waits, has failed, or was cancelled
	Txid      *string          `json:"txid"`
	Moved     *decimal.Decimal `json:"moved"`
	Cost      *decimal.Decimal `json:"cost"` // of its final transactions
	By        string           `json:"by"`   // an operator, or "rules"
	CreatedAt time.Time        `json:"created_at"`
	UpdatedAt time.Time        `json:"updated_at"`
}

// MoveView is a move as the operator sees it.
func MoveView(m *pay.TreasuryMove) TreasuryMove {
	return TreasuryMove{ID: m.ID, Network: m.Network, Kind: m.Kind, Token: m.Token, From: m.FromAddress, To: m.ToAddress, Amount: m.Amount,
		MaxFee: m.MaxFee, After: m.After, Status: m.Status, Reason: m.Reason, Txid: m.Txid, Moved: m.Moved, Cost: m.Cost, By: m.By,
		CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
}

// WholeMove is a move with everything recorded about it.
type WholeMove struct {
	TreasuryMove
	Transactions []Transaction      `json:"transactions"`
	Job          *store.JobRow      `json:"job"` // null when nothing is to be signed or sent
	Postings     []store.PostingRow `json:"postings"`
}

// TreasuryMoves lists moves, newest first: those of a network, unless it is empty, or the open ones alone.
func (a *Admin) TreasuryMoves(ctx context.Context, f store.MoveFilter) ([]TreasuryMove, error) {
	if f.Network != "" {
		n, ok := pay.NetworkCalled(f.Network)
		if !ok {
			return nil, refuse("there is no network %q", f.Network)
		}
		f.Network = n.Name
	}
	if f.Below != uuid.Nil {
		if _, err := a.Store.Move(ctx, f.Below); err != nil {
			return nil, named(err, "move %s", f.Below)
		}
	}
	moves, err := a.Store.ListMoves(ctx, f)
	out := make([]TreasuryMove, len(moves))
	for i := range moves {
		out[i] = MoveView(moves[i])
	}
	return out, err
}

// TreasuryMove shows a move with its transactions, job and postings.
func (a *Admin) TreasuryMove(ctx context.Context, id uuid.UUID) (*WholeMove, error) {
	m, err := a.Store.Move(ctx, id)
	if err != nil {
		return nil, named(err, "move %s", id)
	}
	signed, err := a.Store.SignedOf(ctx, id)
	if err != nil {
		return nil, err
	}
	view := &WholeMove{TreasuryMove: MoveView(m), Transactions: []Transaction{}}
	var costs []uuid.UUID
	for i := range signed {
		view.Transactions = append(view.Transactions, transactionView(&signed[i]))
		costs = append(costs, ledger.Gas(signed[i].Network, signed[i].Txid))
	}
	if view.Job, err = a.Store.Job(ctx, string(tasks.MoveTreasury), id); err != nil {
		return nil, err
	}
	view.Postings, err = a.Store.PostingsOf(ctx, costs)
	return view, err
}

// cancelledReason is the reason of a move cancelled by an operator.
const cancelledReason = "cancelled by the operator"

// CancelMove cancels a move while nothing of it is signed, with the top-ups planned for it. A top-up is cancelled with the sweep that it
// is for. A top-up signed already goes on: its coin stays on the deposit address for the next sweep. Of a signed move the slot is
// taken by a transaction that moves nothing, if the network has not mined the move before.
func (a *Admin) CancelMove(ctx context.Context, id uuid.UUID) (*WholeMove, error) {
	err := a.Change(ctx, "treasury.move.cancel", "move:"+id.String(), func(tx *store.Store) (before, after any, err error) {
		m, err := tx.Move(ctx, id)
		if err != nil {
			return nil, nil, named(err, "move %s", id)
		}
		cancelled, err := cancelPlanned(ctx, tx, id)
		if err != nil {
			return nil, nil, err
		}
		if cancelled {
			err = cancelRest(ctx, tx, m)
		} else {
			err = cancelSigned(ctx, tx, m)
		}
		if err != nil {
			return nil, nil, err
		}
		before = MoveView(m)
		if m, err = tx.Move(ctx, id); err != nil {
			return nil, nil, err
		}
		return before, MoveView(m), nil
	})
	if err != nil {
		return nil, err
	}
	return a.TreasuryMove(ctx, id)
}

// cancelPlanned cancels a move if nothing of it is signed, and drops its job.
func cancelPlanned(ctx context.Context, tx *store.Store, id uuid.UUID) (bool, error) {
	cancelled, err := tx.AdvanceMove(ctx, id, []pay.MoveStatus{pay.MovePlanned}, pay.MoveCancelled, new(cancelledReason), nil, nil)
	if err == nil && cancelled {
		err = tx.DropJob(ctx, string(tasks.MoveTreasury), id)
	}
	return cancelled, err
}

// cancelSigned asks the signer to take the slot of a signed move without moving anything.
func cancelSigned(ctx context.Context, tx *store.Store, m *pay.TreasuryMove) error {
	asked, err := tx.StopMove(ctx, m.ID)
	if err == nil && !asked {
		return refuse("move %s is %s: only a planned, signed or sent one is cancelled", m.ID, statusNow(ctx, tx, m))
	}
	if err != nil {
		return err
	}
	return tx.SetDue(ctx, string(tasks.MoveTreasury), m.ID)
}

// cancelRest cancels what is planned beside a move that was cancelled: the top-ups for a sweep, or the sweep that waits for a top-up.
func cancelRest(ctx context.Context, tx *store.Store, cancelled *pay.TreasuryMove) error {
	open, err := tx.OpenMoves(ctx, cancelled.Network)
	if err != nil {
		return err
	}
	for _, m := range open {
		its := m.After != nil && *m.After == cancelled.ID
		if its || (cancelled.Kind == pay.MoveTopup || cancelled.Kind == pay.MoveDelegate) && m.Kind == pay.MoveSweep && m.FromAddress == cancelled.ToAddress {
			if _, err := cancelPlanned(ctx, tx, m.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// statusNow is the status of a move after a guarded update had no effect: another process may have moved it on since it was read.
func statusNow(ctx context.Context, tx *store.Store, m *pay.TreasuryMove) pay.MoveStatus {
	if now, err := tx.Move(ctx, m.ID); err == nil {
		return now.Status
	}
	return m.Status
}

// RetryMove makes the next attempt of an open move due now. A failed move is planned anew, as a new move by the operator: the result
// is the move that goes on.
func (a *Admin) RetryMove(ctx context.Context, id uuid.UUID) (*WholeMove, error) {
	goesOn := id
	err := a.Change(ctx, "treasury.move.retry", "move:"+id.String(), func(tx *store.Store) (before, after any, err error) {
		m, err := tx.Move(ctx, id)
		switch {
		case err != nil:
			return nil, nil, named(err, "move %s", id)
		case m.Status.Open():
			return MoveView(m), MoveView(m), tx.SetDue(ctx, string(tasks.MoveTreasury), id)
		case m.Status != pay.MoveFailed:
			return nil, nil, refuse("move %s is %s: only an open or a failed one is retried", id, m.Status)
		case m.Kind == pay.MoveTopup:
			return nil, nil, refuse("move %s is a top-up: retry the sweep that it is for", id)
		case m.Kind == pay.MoveDelegate:
			return nil, nil, refuse("move %s is a loan: retry the sweep that it is for", id)
		case m.Kind == pay.MoveUndelegate, m.Kind == pay.MoveWithdraw:
			return nil, nil, refuse("move %s is planned anew by itself", id)
		}
		again, err := a.planAgain(ctx, tx, m)
		if err != nil {
			return nil, nil, err
		}
		goesOn = again.ID
		return MoveView(m), MoveView(again), nil
	})
	if err != nil {
		return nil, err
	}
	return a.TreasuryMove(ctx, goesOn)
}

func (a *Admin) planAgain(ctx context.Context, tx *store.Store, m *pay.TreasuryMove) (*pay.TreasuryMove, error) {
	again := &pay.TreasuryMove{Network: m.Network, Kind: m.Kind, Token: m.Token, FromAddress: m.FromAddress, ToAddress: m.ToAddress, Index: m.Index,
		Amount: m.Amount, MaxFee: m.MaxFee}
	return again, a.AddMove(ctx, tx, again)
}

// AddMove plans a move by the operator, with its job, in a transaction of Change.
func (a *Admin) AddMove(ctx context.Context, tx *store.Store, m *pay.TreasuryMove) error {
	m.ID, m.Status, m.By = uuid.Must(uuid.NewV7()), pay.MovePlanned, a.Actor
	err := tx.AddMove(ctx, m)
	switch {
	case errors.Is(err, store.ErrMoveOpen) && m.Kind == pay.MovePrepare:
		return refuse("a move of %s on %s is under way: see treasury moves list --open", m.FromAddress, m.Network)
	case errors.Is(err, store.ErrMoveOpen) && m.Kind == pay.MoveSweep:
		return refuse("a sweep of %s on %s is under way: see treasury moves list --open", m.FromAddress, m.Network)
	case errors.Is(err, store.ErrMoveOpen):
		return refuse("a move of %s from the hot wallet of %s to %s is under way: see treasury moves list --open", m.Token, m.Network, m.ToAddress)
	case err != nil:
		return err
	}
	return tx.AddJob(ctx, string(tasks.MoveTreasury), m.ID, tasks.RingDelay)
}
