package onchain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/treasury"
)

// SweepAsked says what an operator wants swept.
type SweepAsked struct {
	Address     string // of a deposit; empty for all of them
	Token       string // empty for all
	AlthoughFee bool   // whatever it costs
}

// Swept is the result of a sweep by hand.
type Swept struct {
	Moves []admin.TreasuryMove `json:"moves"` // planned, each with a job
	Left  []PlannedMove        `json:"left"`  // not worth their cost, or not possible now
}

// Sweep plans sweeps of deposit addresses to the hot wallet by the operator, now and whatever the hour costs. A sweep costs at most
// what its rule allows, unless AlthoughFee is set.
func (o *Operator) Sweep(ctx context.Context, network string, s SweepAsked) (*Swept, error) {
	n, err := o.collecting(network)
	if err != nil {
		return nil, err
	}
	asked := treasury.Asked{Token: s.Token, AlthoughFee: s.AlthoughFee, By: o.Admin.Actor}
	if s.Token != "" {
		if _, err := o.tokenOn(ctx, n, s.Token); err != nil {
			return nil, err
		}
	}
	if s.Address != "" {
		if _, err := n.Addresser.Validate(s.Address); err != nil {
			return nil, admin.Refuse(fmt.Sprintf("%q is no address of %s: %v", s.Address, n.Name, err))
		}
		asked.Address = n.Addresser.Match(s.Address)
	}
	planned, err := o.planner().Plan(ctx, n, asked)
	if err != nil {
		return nil, err
	}
	if s.Address != "" {
		if err := o.nothingAt(ctx, n, asked.Address, planned); err != nil {
			return nil, err
		}
	}
	return o.begin(ctx, "treasury.sweep", n, planned)
}

// nothingAt refuses a sweep of one address if nothing of it can be swept, with the reasons.
func (o *Operator) nothingAt(ctx context.Context, n *chains.Network, address string, planned []treasury.Planned) error {
	var why []string
	for i := range planned {
		if planned[i].Left == "" {
			return nil
		}
		why = append(why, planned[i].Move.Token+": "+planned[i].Left)
	}
	if len(why) > 0 {
		return admin.Refuse("nothing is swept from " + address + ": " + strings.Join(why, "; "))
	}
	open, err := o.Store.OpenMoves(ctx, n.Name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(open, func(m *pay.TreasuryMove) bool { return m.FromAddress == address }) {
		return admin.Refuse("a sweep of " + address + " on " + n.Name + " is under way: see treasury moves list --open")
	}
	return admin.Refuse("our books know of nothing at " + address + " on " + n.Name + ": it is no deposit address, or no look has seen money there yet")
}

// SendCold plans a move of a token from the hot wallet to the cold address: of an amount, or of all beyond the target of its rule. A
// new cold address gets a small part first.
func (o *Operator) SendCold(ctx context.Context, network, token, amount string) (*Swept, error) {
	n, err := o.moving(network)
	if err != nil {
		return nil, err
	}
	t, err := o.tokenOn(ctx, n, token)
	if err != nil {
		return nil, err
	}
	asked := treasury.Asked{Token: token, Cold: true, By: o.Admin.Actor}
	if amount != "" {
		value, err := admin.PlainAmount(amount, t.Decimals)
		if err != nil {
			return nil, err
		}
		asked.Amount = &value
	}
	planned, err := o.planner().Plan(ctx, n, asked)
	if err != nil {
		return nil, err
	}
	for i := range planned {
		if why := planned[i].Left; why != "" {
			return nil, admin.Refuse("nothing goes to the cold address of " + n.Name + ": " + why)
		}
	}
	if len(planned) == 0 {
		return nil, admin.Refuse(n.Name + " is not followed yet: no block of it is final")
	}
	return o.begin(ctx, "treasury.cold", n, planned)
}

// ConsolidateAsked says which coins an operator wants made one.
type ConsolidateAsked struct {
	Below       string // coins of less; empty for what the rule calls small
	AlthoughFee bool   // whatever it costs
}

// Consolidate plans to make small coins of the hot wallet one, now and whatever the hour costs.
func (o *Operator) Consolidate(ctx context.Context, network string, c ConsolidateAsked) (*Swept, error) {
	n, err := o.moving(network)
	if err != nil {
		return nil, err
	}
	if n.Exclusion != chains.ByCoins {
		return nil, admin.Refuse("nothing is consolidated on " + n.Name + ": its addresses have balances, and no coins that are spent whole")
	}
	t, err := o.tokenOn(ctx, n, n.Coin)
	if err != nil {
		return nil, err
	}
	asked := treasury.Asked{Token: n.Coin, AlthoughFee: c.AlthoughFee, By: o.Admin.Actor}
	if c.Below != "" {
		below, err := admin.PlainAmount(c.Below, t.Decimals)
		if err != nil {
			return nil, err
		}
		asked.Below = &below
	}
	planned, err := o.planner().Plan(ctx, n, asked)
	if err != nil {
		return nil, err
	}
	for i := range planned {
		if why := planned[i].Left; why != "" {
			return nil, admin.Refuse("nothing is consolidated on " + n.Name + ": " + why)
		}
	}
	if len(planned) == 0 {
		return nil, admin.Refuse(n.Name + " is not followed yet: no block of it is final")
	}
	return o.begin(ctx, "treasury.consolidate", n, planned)
}

// begin records planned moves of the operator with their jobs, in one transaction. A move meanwhile begun by another is left.
func (o *Operator) begin(ctx context.Context, action string, n *chains.Network, planned []treasury.Planned) (*Swept, error) {
	out := &Swept{Moves: []admin.TreasuryMove{}, Left: []PlannedMove{}}
	err := o.change(ctx, action, "network:"+n.Name, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		for i := range planned {
			p := planned[i]
			if p.Left == "" {
				p.Left, err = o.add(ctx, tx, &p.Move)
			}
			switch {
			case err != nil:
				return nil, nil, nil, err
			case p.Left != "":
				out.Left = append(out.Left, plannedView(&p))
			default:
				out.Moves = append(out.Moves, admin.MoveView(&p.Move))
				ring = append(ring, tasks.Job{Kind: tasks.MoveTreasury, Ref: p.Move.ID})
			}
		}
		return nil, out.Moves, ring, nil
	})
	return out, err
}

// add records a planned move, or says why not.
func (o *Operator) add(ctx context.Context, tx *store.Store, m *pay.TreasuryMove) (left string, err error) {
	err = o.Admin.AddMove(ctx, tx, m)
	if refused := (admin.Refusal{}); errors.As(err, &refused) {
		return refused.Error(), nil
	}
	return "", err
}

// tokenOn returns a token of the catalogue on a network.
func (o *Operator) tokenOn(ctx context.Context, n *chains.Network, symbol string) (*pay.Token, error) {
	tokens, err := o.Store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(tokens, func(t pay.Token) bool { return t.Symbol == symbol && t.Network == n.Name })
	if i < 0 {
		return nil, admin.Refuse(fmt.Sprintf("there is no token %s on %s", symbol, n.Name))
	}
	return &tokens[i], nil
}
