package treasury

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// loansAtMost is how many loans are made for one sweep. What a stake gives may become less between a loan and its sweep; then there is a
// top-up.
const loansAtMost = 2

// offer returns the loan that is offered to a sweep; nil if there is none, or there were enough.
func (w *Worker) offer(ctx context.Context, m *move, short *chains.Short) (*chains.Offer, error) {
	if short.Offer == nil || m.network.Staking == nil {
		return nil, nil
	}
	had, err := w.Store.MovesFor(ctx, m.row, pay.MoveDelegate)
	if err != nil || had >= loansAtMost {
		return nil, err
	}
	return short.Offer, nil
}

// unlent says why a loan is not to be made: its sweep does not wait for it, or is offered less.
func (w *Worker) unlent(ctx context.Context, m *move) (string, error) {
	sweep, why, err := w.waitingSweep(ctx, m)
	if err != nil || why != "" {
		return why, err
	}
	if had, err := w.Store.MovesFor(ctx, sweep, pay.MoveDelegate); err != nil || had > loansAtMost {
		return "there were loans enough for its sweep", err
	}
	short, err := w.shortOf(ctx, m, sweep)
	switch {
	case err != nil:
		return "", err
	case short == nil || short.Offer == nil || !short.Offer.Rest.IsZero():
		return "its sweep needs no loan, or nothing can be lent", nil
	case m.row.Amount.GreaterThan(short.Offer.Amount.Mul(decimal.NewFromInt(topupShare))):
		return "its sweep needs less", nil
	}
	return "", nil
}

// inUse says why a loan is not to be taken back: a sweep of its address waits for it, or is under way.
func (w *Worker) inUse(ctx context.Context, m *move) (string, error) {
	sweep, err := w.openMove(ctx, m.row.Network, func(o *pay.TreasuryMove) bool {
		return o.Kind == pay.MoveSweep && o.FromAddress == m.row.ToAddress
	})
	if err != nil || sweep == nil {
		return "", err
	}
	return fmt.Sprintf("a sweep of its address is %s", sweep.Status), nil
}

// errLoanEnds says that a sweep waits until a loan of its address is taken back: what the loan gives is counted on no more.
var errLoanEnds = errors.New("an earlier loan to its address is being taken back")

// loanEnds fails while a loan of a sweep's address is being taken back. Each of both moves looks for the other before it is signed.
func (w *Worker) loanEnds(ctx context.Context, m *move) error {
	if m.network.Staking == nil {
		return nil
	}
	ends, err := w.openMove(ctx, m.row.Network, func(o *pay.TreasuryMove) bool {
		return o.Kind == pay.MoveUndelegate && o.ToAddress == m.row.FromAddress
	})
	if err == nil && ends != nil {
		err = errLoanEnds
	}
	return err
}

// openMove returns the first open move that fits, nil for none.
func (w *Worker) openMove(ctx context.Context, network string, fits func(*pay.TreasuryMove) bool) (*pay.TreasuryMove, error) {
	open, err := w.Store.OpenMoves(ctx, network)
	if i := slices.IndexFunc(open, fits); i >= 0 {
		return open[i], err
	}
	return nil, err
}

// endLoans begins what no rule has to ask for: a loan is taken back when no move of its address is open, and what has come back of a stake
// is withdrawn. It goes by the network's final blocks, so a loan comes back whatever the books have of it.
func (w *Worker) endLoans(ctx context.Context, n *chains.Network) error {
	if n.Staking == nil {
		return nil
	}
	planned, err := w.Loans(ctx, n)
	if err != nil {
		return err
	}
	for i := range planned {
		if err := w.Begin(ctx, &planned[i].Move); err != nil && !errors.Is(err, store.ErrMoveOpen) {
			return err
		}
	}
	return nil
}

// Loans decides which loans are taken back on a network, and whether what has come back of a stake is withdrawn.
func (w *Worker) Loans(ctx context.Context, n *chains.Network) (out []Planned, err error) {
	if n.Staking == nil {
		return nil, nil
	}
	stake, err := n.Staking.Stake(ctx)
	if err != nil {
		return nil, fmt.Errorf("stake on %s: %w", n.Name, err)
	}
	if !stake.Due.IsPositive() && len(stake.Loans) == 0 {
		return nil, nil
	}
	cost, err := n.MoveCost(ctx, n.Coin) // the bytes of these are about as many
	if err != nil {
		return nil, fmt.Errorf("cost of a move on %s: %w", n.Name, err)
	}
	begin := func(kind pay.MoveKind, to string, index *uint32, amount decimal.Decimal) {
		out = append(out, Planned{Cost: cost, Move: pay.TreasuryMove{Network: n.Name, Kind: kind, Token: n.Coin, FromAddress: n.Hot, ToAddress: to, Index: index,
			Amount: amount, By: pay.ByRules}})
	}
	if stake.Due.IsPositive() {
		begin(pay.MoveWithdraw, n.Hot, nil, stake.Due)
	}
	if len(stake.Loans) == 0 {
		return out, nil
	}
	lent := make(map[string]decimal.Decimal, len(stake.Loans))
	addresses := make([]string, len(stake.Loans))
	for i, l := range stake.Loans {
		lent[l.Address], addresses[i] = l.Amount, l.Address
	}
	ended, err := w.Store.Unneeded(ctx, n.Name, n.Family, addresses)
	for i := range ended {
		begin(pay.MoveUndelegate, ended[i].Address, &ended[i].Index, lent[ended[i].Address])
	}
	return out, err
}
