package treasury

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// The bounds of consolidations.
const (
	gatherFrom  = 50  // with more small coins the rules make them one, at a cheap hour
	gatherLeast = 10  // fewer coins are never made one: the next payout spends them as well
	gatherMost  = 100 // in one transaction; nodes pass on several times as many
)

// pot plans the moves of a network where coins are spent whole. Payouts spend the coins of deposit addresses themselves, so nothing is
// swept.
func (p *plan) pot(ctx context.Context, t *pay.Token, rule store.TreasuryRule) error {
	n := p.network
	if t.Symbol != n.Coin {
		return nil
	}
	pot, err := p.Store.Pot(ctx, n.Name, n.Hot, t.Symbol, worthless(p.coin))
	if err != nil {
		return err
	}
	waiting, err := p.unsigned(ctx, t.Symbol)
	if err != nil {
		return err
	}
	spare := pot.Amount.Sub(waiting)
	if !p.asked.Cold {
		if err := p.consolidate(ctx, t, rule, spare); err != nil {
			return err
		}
	}
	if p.asked.Cold || p.asked.By == pay.ByRules {
		return p.cold(ctx, t, rule, spare)
	}
	return nil
}

// worthless is the most that a coin has which is not worth the fee of spending it.
func worthless(cost decimal.Decimal) decimal.Decimal {
	return cost.Mul(decimal.NewFromInt(chains.Worthwhile))
}

// unsigned returns what payouts and moves to the cold address ask for and have no coins yet.
func (p *plan) unsigned(ctx context.Context, token string) (sum decimal.Decimal, err error) {
	if sum, _, err = p.Store.QueuedSum(ctx, p.network.Name, token); err != nil {
		return sum, err
	}
	open, err := p.Store.OpenMoves(ctx, p.network.Name)
	for _, m := range open {
		if m.Kind == pay.MoveCold && m.Status == pay.MovePlanned && m.Token == token {
			sum = sum.Add(m.Amount)
		}
	}
	return sum, err
}

// consolidate plans to make small coins one: by the rules once they are many and fees are low. A coin below what is worth a move of its
// own, the rule's sweep_min, is small.
func (p *plan) consolidate(ctx context.Context, t *pay.Token, rule store.TreasuryRule, spare decimal.Decimal) error {
	n, below := p.network, rule.SweepMin
	if p.asked.Below != nil {
		below = *p.asked.Below
	}
	coins, err := p.Store.SmallCoins(ctx, n.Name, n.Hot, t.Symbol, worthless(p.coin), below, gatherMost)
	if err != nil || len(coins) == 0 && p.asked.By == pay.ByRules {
		return err
	}
	amount := decimal.Zero
	for _, c := range coins {
		amount = amount.Add(c.Amount)
	}
	d := Planned{Cost: p.costs[n.Coin].Add(p.coin.Mul(decimal.NewFromInt(int64(len(coins))))), Move: pay.TreasuryMove{Network: n.Name,
		Kind: pay.MoveConsolidate, Token: t.Symbol, FromAddress: n.Hot, ToAddress: n.Hot, Amount: amount, By: p.asked.By}}
	allowed, _ := p.allowed(t, amount, percentOf(rule))
	if !p.asked.AlthoughFee {
		d.Move.MaxFee = &allowed
	}
	d.Left = p.notConsolidated(&d, len(coins), below, spare.Sub(amount))
	p.out = append(p.out, d)
	return nil
}

// notConsolidated says why so many small coins are not made one, "" if they are. Rest is what is left beside them for moves.
func (p *plan) notConsolidated(d *Planned, coins int, below, rest decimal.Decimal) string {
	byHand := p.asked.By != pay.ByRules
	switch {
	case !below.IsPositive():
		return "no rule says which coins are small"
	case coins < gatherLeast:
		return fmt.Sprintf("%d coins are below %s %s, and %d are the least", coins, below, d.Move.Token, gatherLeast)
	case rest.IsNegative():
		return "payouts wait for them"
	case d.Move.MaxFee != nil && d.Cost.GreaterThan(*d.Move.MaxFee):
		return fmt.Sprintf("it costs %s %s, and at most %s", d.Cost, d.Move.Token, d.Move.MaxFee)
	case !byHand && coins <= gatherFrom:
		return fmt.Sprintf("%d coins are below %s %s: the rules wait for more than %d", coins, below, d.Move.Token, gatherFrom)
	case !byHand && (p.cheap.IsZero() || p.costs[p.network.Coin].GreaterThan(p.cheap)):
		return "it waits for a cheaper hour"
	default:
		return ""
	}
}
