package treasury

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
)

const (
	// topupsAtMost is how many top-ups a deposit address gets in topupsFor. Fees may rise between a top-up and its sweep; whoever
	// takes the coin away in between gets no third one.
	topupsAtMost = 2
	topupsFor    = 24 * time.Hour
	topupPause   = time.Minute // until a sweep looks again at an earlier top-up
)

// short decides about a sweep whose address holds too little. Without the coin for the fee of a token, the hot wallet lends what saves it,
// or sends it. What was to be moved and is not there any more is left.
func (w *Worker) short(ctx context.Context, m *move, short *chains.Short) error {
	if m.row.Token == m.network.Coin || short.Token != m.network.Coin {
		return w.cancel(ctx, m, short.Error())
	}
	offer, err := w.offer(ctx, m, short)
	if err != nil {
		return err
	}
	missing := short.Missing
	if offer != nil {
		if missing = offer.Rest; missing.IsZero() {
			return w.help(ctx, m, pay.MoveDelegate, offer.Amount)
		}
	}
	if m.row.MaxFee != nil && missing.GreaterThan(*m.row.MaxFee) {
		return fmt.Errorf("%w: %s %s are missing for it, and at most %s", errTooDear, missing, short.Token, m.row.MaxFee)
	}
	had, err := w.Store.MovesSince(ctx, m.row.Network, pay.MoveTopup, *m.row.Index, m.network.Coin, topupsFor)
	if err != nil {
		return err
	}
	if had >= topupsAtMost {
		return w.cancel(ctx, m, fmt.Sprintf("%d top-ups in a day were not enough: %s", had, short.Error()))
	}
	return w.help(ctx, m, pay.MoveTopup, missing)
}

// help plans a top-up or a loan for a sweep. The sweep goes on when this move has ended.
func (w *Worker) help(ctx context.Context, m *move, kind pay.MoveKind, amount decimal.Decimal) error {
	t := &pay.TreasuryMove{ID: uuid.Must(uuid.NewV7()), Network: m.row.Network, Kind: kind, Token: m.network.Coin, FromAddress: m.network.Hot,
		ToAddress: m.from(), Index: m.row.Index, Amount: amount, MaxFee: m.row.MaxFee, After: &m.row.ID, Status: pay.MovePlanned, By: m.row.By}
	why := map[pay.MoveKind]string{pay.MoveTopup: "it waits for the coin for its fee", pay.MoveDelegate: "it waits for a loan that pays for it"}[kind]
	return w.Record(ctx, func(tx *store.Store) ([]tasks.Job, error) {
		err := tx.AddMove(ctx, t)
		if errors.Is(err, store.ErrMoveOpen) { // it may end before this commit: the job stays
			return nil, desk.Fenced(tx.RetryJob(ctx, m.job, topupPause, "a top-up or a loan of its address is under way"))
		}
		if err != nil {
			return nil, err
		}
		ring := []tasks.Job{{Kind: tasks.MoveTreasury, Ref: t.ID}}
		if err := tx.AddJob(ctx, string(tasks.MoveTreasury), t.ID, tasks.RingDelay); err != nil {
			return nil, err
		}
		if _, err := tx.AdvanceMove(ctx, m.row.ID, []pay.MoveStatus{pay.MovePlanned}, pay.MovePlanned, &why, nil, nil); err != nil {
			return nil, err
		}
		return ring, desk.Fenced(tx.FinishJob(ctx, m.job))
	})
}
