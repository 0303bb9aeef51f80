package treasury

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
	"causeway/internal/pricing"
	"causeway/internal/store"
)

// sweeps plans the sweeps of a token. Spare is what the hot wallet has beyond the payouts that wait.
func (p *plan) sweeps(ctx context.Context, t *pay.Token, rule store.TreasuryRule, spare decimal.Decimal) error {
	n := p.network
	var candidates []store.Sweepable
	var err error
	if p.asked.Address != "" {
		candidates, err = p.Store.SweepableAt(ctx, n.Name, n.Family, t.Symbol, n.Coin, p.asked.Address)
	} else {
		candidates, err = p.Store.Sweepable(ctx, n.Name, n.Family, t.BalanceKey, t.Symbol, n.Coin, rule.SweepMin, addressesAtOnce)
	}
	if err != nil || len(candidates) == 0 {
		return err
	}
	addresses := make([]string, len(candidates))
	for i := range candidates {
		addresses[i] = candidates[i].Address
	}
	held, err := n.Holder.Holdings(ctx, t.Symbol, addresses, p.height)
	if err != nil {
		return fmt.Errorf("holdings of %s: %w", t.Symbol, err)
	}
	coins := held
	if t.Symbol != n.Coin {
		if coins, err = n.Holder.Holdings(ctx, n.Coin, addresses, p.height); err != nil {
			return fmt.Errorf("holdings of %s: %w", n.Coin, err)
		}
	}
	cost, err := p.cost(ctx, t.Symbol)
	if err == nil && n.Staking != nil {
		p.lending[t.Symbol], err = n.Staking.Lending(ctx, t.Symbol)
	}
	if err != nil {
		return err
	}
	kept, err := p.keeps(ctx, t)
	if err != nil {
		return err
	}
	hurry := spare.IsNegative() || spare.LessThan(rule.HotFloor)
	for i, c := range candidates {
		free := held[i].Sub(kept)
		if final := p.explained(t, c, free).Sub(c.Unfinal); final.IsPositive() {
			p.out = append(p.out, p.sweep(t, rule, c, final, coins[i], cost, hurry))
		} else if free.GreaterThan(c.Unfinal) {
			p.out = append(p.out, p.unexplained(t, c, held[i]))
		}
	}
	return nil
}

// keeps returns how much of a token stays at each deposit address.
func (p *plan) keeps(ctx context.Context, t *pay.Token) (decimal.Decimal, error) {
	n := p.network
	if t.Symbol != n.Coin || n.Keeps == nil {
		return decimal.Zero, nil
	}
	kept, err := n.Keeps(ctx)
	if err != nil {
		return kept, fmt.Errorf("what stays at addresses of %s: %w", n.Name, err)
	}
	return kept, nil
}

// explained returns how much is moved of a holding, less what stays. Coin at an address beyond its transfers is somebody's, and its trace is there: it
// stays, unless a person names the address and says that it goes whatever it costs.
func (p *plan) explained(t *pay.Token, c store.Sweepable, free decimal.Decimal) decimal.Decimal {
	if t.Symbol != p.network.Coin || c.ByHand || c.Shared || p.asked.Address != "" && p.asked.AlthoughFee {
		return free
	}
	return decimal.Min(free, c.Known)
}

// unexplained names coin that no transfer explains.
func (p *plan) unexplained(t *pay.Token, c store.Sweepable, held decimal.Decimal) Planned {
	return Planned{Cost: p.costs[p.network.Coin], Left: fmt.Sprintf("no transfer explains %s %s of it: find out whose it is", held.Sub(c.Known), t.Symbol),
		Move: pay.TreasuryMove{Network: p.network.Name, Kind: pay.MoveSweep, Token: t.Symbol, FromAddress: c.Address, ToAddress: p.network.Hot,
			Index: &c.Index, Amount: held, By: p.asked.By}}
}

// sweep decides about what one deposit address holds of a token.
func (p *plan) sweep(t *pay.Token, rule store.TreasuryRule, c store.Sweepable, held, coins, cost decimal.Decimal, hurry bool) Planned {
	n := p.network
	d := Planned{Cost: cost, Move: pay.TreasuryMove{Network: n.Name, Kind: pay.MoveSweep, Token: t.Symbol, FromAddress: c.Address, ToAddress: n.Hot,
		Index: &c.Index, Amount: held, By: p.asked.By}}
	if t.Symbol != n.Coin && coins.LessThan(cost) && !n.HotPays {
		d.Cost = p.helped(t.Symbol, cost, coins)
	}
	percent := percentOf(rule)
	if hurry {
		percent = decimal.Max(percent, decimal.New(hurryPercent, 0))
	}
	allowed, priced := p.allowed(t, held, percent)
	if !p.asked.AlthoughFee && priced {
		d.Move.MaxFee = &allowed
	}
	d.Left = p.left(t, rule, c, held, d.Cost, allowed, priced, percent, hurry)
	return d
}

// helped returns what a sweep costs whose address has too little coin: with a loan if the hot wallet can lend, else with a top-up.
func (p *plan) helped(token string, cost, coins decimal.Decimal) decimal.Decimal {
	switch lending := p.lending[token]; {
	case lending == nil:
		return cost.Add(p.topup)
	case coins.LessThan(lending.Fee):
		return lending.Cost.Add(p.topup)
	default:
		return lending.Cost
	}
}

// percentOf returns the most that a move may cost by a rule, in percent of its amount.
func percentOf(rule store.TreasuryRule) decimal.Decimal {
	if rule.MaxFeePercent.IsZero() {
		return decimal.New(feePercent, 0)
	}
	return rule.MaxFeePercent
}

// allowed returns the most that a move of an amount may cost, in the native coin; false where no price tells.
func (p *plan) allowed(t *pay.Token, amount, percent decimal.Decimal) (decimal.Decimal, bool) {
	part := amount.Mul(percent).Shift(-2)
	if t.Symbol == p.network.Coin {
		return part, true
	}
	return p.cat.Rates.Convert(part, t.Symbol, p.network.Coin, costPlaces)
}

// left says why an amount is not swept, "" if it is.
func (p *plan) left(t *pay.Token, rule store.TreasuryRule, c store.Sweepable, held, cost, allowed decimal.Decimal, priced bool,
	percent decimal.Decimal, hurry bool) string {
	byHand := p.asked.By != pay.ByRules
	waited := c.Since == nil || time.Since(*c.Since) > rule.Patience
	switch {
	case t.Symbol == p.network.Coin && held.LessThanOrEqual(cost):
		return fmt.Sprintf("it costs %s %s to move", cost, p.network.Coin)
	case p.asked.AlthoughFee:
		return ""
	case p.asked.Address == "" && held.LessThan(rule.SweepMin):
		return fmt.Sprintf("less than %s %s", rule.SweepMin, t.Symbol)
	case !priced:
		return fmt.Sprintf("no price says what %s is worth in %s", t.Symbol, p.network.Coin)
	case cost.GreaterThan(allowed):
		return fmt.Sprintf("it costs %s %s to move, and %s%% of it are %s", cost, p.network.Coin, percent, allowed)
	case byHand:
		return ""
	case c.Failed >= failuresAtMost:
		return fmt.Sprintf("%d moves in a day came to nothing", c.Failed)
	case !hurry && !waited && p.cheap.IsPositive() && p.costs[p.network.Coin].GreaterThan(p.cheap):
		return "it waits for a cheaper hour"
	default:
		return ""
	}
}

// cold plans what goes from the hot wallet to the cold address: all beyond the target, once it is above the ceiling. A new address
// gets a small part first, and the rest after a person has confirmed that this has arrived.
func (p *plan) cold(ctx context.Context, t *pay.Token, rule store.TreasuryRule, spare decimal.Decimal) error {
	n := p.network
	amount := pricing.Cut(spare.Sub(rule.HotTarget), t.Precision)
	if p.asked.Amount != nil {
		amount = *p.asked.Amount
	}
	above := rule.HotCeiling != nil && spare.GreaterThan(*rule.HotCeiling)
	if !above && !p.asked.Cold {
		return nil
	}
	d := Planned{Cost: p.costs[n.Coin], Move: pay.TreasuryMove{Network: n.Name, Kind: pay.MoveCold, Token: t.Symbol, FromAddress: n.Hot, ToAddress: n.Cold,
		Amount: amount, By: p.asked.By}}
	var err error
	if d.Cost, err = p.cost(ctx, t.Symbol); err != nil {
		return err
	}
	if allowed, priced := p.allowed(t, amount, percentOf(rule)); priced && !p.asked.AlthoughFee {
		d.Move.MaxFee = &allowed
	}
	if d.Left, err = p.notCold(ctx, &d.Move, spare, t.Precision); err != nil {
		return err
	}
	p.out = append(p.out, d)
	return nil
}

// notCold says why nothing goes to the cold address, "" if it does. It makes the first amount small.
func (p *plan) notCold(ctx context.Context, m *pay.TreasuryMove, spare decimal.Decimal, places int) (string, error) {
	if p.network.Cold == "" {
		return "NETWORKS_FILE names no cold address", nil
	}
	if !m.Amount.IsPositive() || m.Amount.GreaterThan(spare) {
		return fmt.Sprintf("the hot wallet has %s %s beyond what payouts wait for", spare, m.Token), nil
	}
	if cost := p.costs[m.Token]; m.MaxFee != nil && cost.GreaterThan(*m.MaxFee) {
		return fmt.Sprintf("it costs %s %s to move, and at most %s", cost, p.network.Coin, m.MaxFee), nil
	}
	c, err := p.Store.ColdAddressAt(ctx, p.network.Name, p.network.Cold)
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return "the cold address is not watched yet", nil
	case err != nil || c.Confirmed:
		return "", err
	case c.Moved:
		return "a first amount is on its way to the cold address: confirm that it has arrived", nil
	}
	if small := pricing.Cut(m.Amount.Shift(-firstShare), places); small.IsPositive() {
		m.Amount = small
	}
	return "", nil
}
