package onchain

import (
	"context"
	"errors"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/workers/treasury"
)

// PlannedMove is a move that the treasury would make now, or leaves.
type PlannedMove struct {
	Network string           `json:"network"`
	Kind    pay.MoveKind     `json:"kind"`
	Token   string           `json:"token"`
	From    string           `json:"from"`
	To      string           `json:"to"`
	Amount  decimal.Decimal  `json:"amount"`
	Cost    decimal.Decimal  `json:"cost"`           // at most, with its top-up, in the native coin
	MaxFee  *decimal.Decimal `json:"max_fee"`        // the most it may cost; null: anything
	Left    string           `json:"left,omitempty"` // why it is not made
}

// TreasuryPlan is what the treasury would do now.
type TreasuryPlan struct {
	Moves     []PlannedMove     `json:"moves"`
	Left      []PlannedMove     `json:"left"`
	Unreached map[string]string `json:"unreached"` // networks without an answer, and why
}

// PlanTreasury returns what the rules of the treasury would move now on a network, or on all if it is empty, and what they leave. It
// writes nothing.
func (o *Operator) PlanTreasury(ctx context.Context, network string) (*TreasuryPlan, error) {
	if called, ok := pay.NetworkCalled(network); ok {
		network = called.Name
	}
	networks := o.Networks.All()
	if network != "" {
		n, err := o.moving(network)
		if err != nil {
			return nil, err
		}
		networks = []*chains.Network{n}
	}
	out := &TreasuryPlan{Moves: []PlannedMove{}, Left: []PlannedMove{}, Unreached: map[string]string{}}
	for _, n := range networks {
		if !n.Treasury() {
			continue
		}
		planned, err := o.planner().Plan(ctx, n, treasury.Asked{})
		loans, silent := o.planner().Loans(ctx, n)
		if err = errors.Join(err, silent); err != nil {
			out.Unreached[n.Name] = err.Error()
		}
		out.add(append(loans, planned...))
	}
	return out, nil
}

func (p *TreasuryPlan) add(planned []treasury.Planned) {
	for i := range planned {
		if move := plannedView(&planned[i]); move.Left == "" {
			p.Moves = append(p.Moves, move)
		} else {
			p.Left = append(p.Left, move)
		}
	}
}

func plannedView(p *treasury.Planned) PlannedMove {
	m := &p.Move
	return PlannedMove{Network: m.Network, Kind: m.Kind, Token: m.Token, From: m.FromAddress, To: m.ToAddress, Amount: m.Amount, Cost: p.Cost,
		MaxFee: m.MaxFee, Left: p.Left}
}

// planner decides about moves. It signs nothing, so it needs no guard.
func (o *Operator) planner() *treasury.Worker {
	return &treasury.Worker{Desk: o.Desk, Catalogue: o.Catalogue}
}

// moving returns a network on which the treasury moves money.
func (o *Operator) moving(network string) (*chains.Network, error) {
	n, err := o.NetworkNamed(network)
	if err == nil && !n.Treasury() {
		err = admin.Refuse("nothing is moved on " + n.Name + ": its connector moves no money between our addresses")
	}
	return n, err
}

// collecting returns a network with deposit addresses to be swept.
func (o *Operator) collecting(network string) (*chains.Network, error) {
	n, err := o.NetworkNamed(network)
	switch {
	case err != nil:
	case n.Exclusion == chains.ByCoins:
		err = admin.Refuse("nothing is swept on " + n.Name + ": payouts there spend the coins of deposit addresses")
	case !n.Collects:
		err = admin.Refuse("nothing is moved on " + n.Name + ": its connector does not spend from deposit addresses")
	}
	return n, err
}
