package treasury

import (
	"context"
	"errors"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
)

// topupShare is how many times what its sweep is short of by now a top-up is at most.
const topupShare = 2

// unasked says why a move from the hot wallet is not to be made, "" if it is. A worker without a key plans moves, and the signer asks for
// itself: a worker in wrong hands makes neither a top-up or a loan that no sweep needs, nor more than a first amount to a cold address nobody
// has confirmed.
func (w *Worker) unasked(ctx context.Context, m *move) (string, error) {
	switch m.row.Kind {
	case pay.MoveTopup:
		return w.unneeded(ctx, m)
	case pay.MoveSweep:
		return "", w.loanEnds(ctx, m)
	case pay.MoveDelegate:
		return w.unlent(ctx, m)
	case pay.MoveUndelegate:
		return w.inUse(ctx, m)
	case pay.MoveCold:
		return w.unconfirmed(ctx, m)
	default:
		return "", nil
	}
}

// unneeded says why a top-up is not needed: its sweep is not waiting, or is not short of so much coin.
func (w *Worker) unneeded(ctx context.Context, m *move) (string, error) {
	sweep, why, err := w.waitingSweep(ctx, m)
	if err != nil || why != "" {
		return why, err
	}
	had, err := w.Store.MovesSince(ctx, m.row.Network, pay.MoveTopup, *m.row.Index, m.network.Coin, topupsFor)
	if err != nil || had > topupsAtMost {
		return "there were top-ups enough in a day", err
	}
	short, err := w.shortOf(ctx, m, sweep)
	switch {
	case err != nil:
		return "", err
	case short == nil || short.Token != m.network.Coin:
		return "its sweep is not short of coin", nil
	case m.row.Amount.GreaterThan(short.Missing.Mul(decimal.NewFromInt(topupShare))):
		return "its sweep is short of less", nil
	}
	return "", nil
}

// waitingSweep returns the sweep that a move is made for, or says why there is none.
func (w *Worker) waitingSweep(ctx context.Context, m *move) (row *pay.TreasuryMove, why string, err error) {
	if m.row.After == nil || m.row.Token != m.network.Coin {
		return nil, "no sweep asks for it", nil
	}
	if row, err = w.Store.Move(ctx, *m.row.After); err != nil {
		return nil, "", err
	}
	if row.Kind != pay.MoveSweep || row.Status != pay.MovePlanned || row.FromAddress != m.row.ToAddress || row.Network != m.row.Network {
		return nil, "its sweep does not wait for it", nil
	}
	return row, "", nil
}

// shortOf returns what a sweep is short of now; nil if it is short of nothing.
func (w *Worker) shortOf(ctx context.Context, m *move, sweep *pay.TreasuryMove) (*chains.Short, error) {
	spend, err := (&move{row: sweep, network: m.network}).spend(ctx)
	if err != nil {
		return nil, err
	}
	var short *chains.Short
	if _, err := m.network.Sender.Prepare(ctx, spend); err != nil && !errors.As(err, &short) {
		return nil, err
	}
	return short, nil
}

// unconfirmed says why an amount is too large for a cold address at which nobody has seen a first one arrive.
func (w *Worker) unconfirmed(ctx context.Context, m *move) (string, error) {
	n := m.network
	c, err := w.Store.ColdAddressAt(ctx, n.Name, n.Cold)
	if errors.Is(err, pay.ErrNotFound) {
		return "what the cold address holds is not in the books", nil
	}
	if err != nil || c.Confirmed {
		return "", err
	}
	head, err := n.Scanner.Head(ctx, -1)
	if err != nil {
		return "", err
	}
	hot, err := hotSpendable(ctx, n, m.row.Token, head.Height)
	if err != nil {
		return "", err
	}
	if n.Exclusion == chains.ByCoins { // its coins may lie at deposit addresses
		pot, err := w.Store.Pot(ctx, n.Name, n.Hot, m.row.Token, m.least)
		if err != nil {
			return "", err
		}
		hot = pot.Amount
	}
	if m.row.Amount.Shift(firstShare).GreaterThan(hot) {
		return "it is more than a first amount, and nobody has confirmed that one has arrived", nil
	}
	return "", nil
}
