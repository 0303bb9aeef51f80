package cardano

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/cardano/client"
)

// mostCoins is how many coins one transaction spends at most.
const mostCoins = 60

// validFor is for how many slots a transaction may be mined. A slot takes a second. The first coin excludes: time only lets a lost one be signed
// again soon.
const validFor = 1800

// Prepare checks the orders, and asks for the parameters of the protocol. Nobody knows here what the books have leased, so Choose finds out
// whether the coins are enough.
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Orders) > s.cfg.Batch {
		return nil, fmt.Errorf("%s: %d orders, and a transaction pays at most %d", Network, len(spend.Orders), s.cfg.Batch)
	}
	if spend.From != nil || spend.Most {
		return nil, fmt.Errorf("%s: only the hot wallet spends, and what it is told to", Network)
	}
	if spend.Gather != 0 && (spend.Gather < 0 || len(spend.Orders) > 0) {
		return nil, fmt.Errorf("%s: coins are gathered without orders", Network)
	}
	p, slot, err := s.market(ctx)
	if err != nil {
		return nil, fmt.Errorf("fees: %w", err)
	}
	hot, err := addresses.CardanoBytes(s.hot)
	if err != nil {
		return nil, fmt.Errorf("the hot wallet: %w", err)
	}
	d := &draft{sender: s, gather: min(spend.Gather, mostCoins), params: p, ttl: uint64(slot + validFor), hot: hot}
	for _, o := range spend.Orders {
		if err := d.pay(o); err != nil {
			return nil, err
		}
	}
	if err := d.beat(spend); err != nil {
		return nil, fmt.Errorf("what was signed before: %w", err)
	}
	return d, nil
}

// pay adds the output of an order.
func (d *draft) pay(o chains.Order) error {
	units := o.Amount.Shift(decimals)
	switch {
	case o.Token != coin:
		return fmt.Errorf("%w: %s has no token %q", chains.ErrUnpayable, Network, o.Token)
	case !units.IsPositive() || !units.IsInteger():
		return fmt.Errorf("%w: %s has no amount %s", chains.ErrUnpayable, Network, o.Amount)
	case units.GreaterThan(decimal.NewFromInt(client.Supply)):
		return &chains.Short{Token: coin, Missing: units.Sub(decimal.NewFromInt(client.Supply)).Shift(-decimals)}
	}
	to, err := addresses.CardanoBytes(o.To)
	plain, _ := addresses.CardanoPlain(o.To)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	case d.sender.Match(o.To) == d.sender.hot, plain == d.sender.hot:
		return fmt.Errorf("%w: the hot wallet itself", chains.ErrUnpayable)
	}
	out := output{Address: to, Lovelace: uint64(units.IntPart())}
	switch least := d.params.least(out); {
	case units.IntPart() >= least:
	case units.IntPart() >= params{perByte: perByte}.least(out):
		return fmt.Errorf("the node asks for %s at this address, more than %s has asked for so far: %s waits", amountOf(least), Network, o.Amount)
	default:
		return fmt.Errorf("%w: %s is less than %s, the least at this address", chains.ErrUnpayable, o.Amount, amountOf(least))
	}
	d.outs = append(d.outs, out)
	if d.paid += units.IntPart(); d.paid > client.Supply {
		return &chains.Short{Token: coin, Missing: amountOf(d.paid - client.Supply)}
	}
	return nil
}

// beat takes over the coins of the dearest earlier transaction of the slot, but for those gone, and offers more. What its inputs are together
// follows from its outputs and its fee.
func (d *draft) beat(spend chains.Spend) error {
	for i, raw := range spend.Over {
		t, err := parse(raw)
		if err != nil {
			return err
		}
		if i > 0 && t.Inputs[0].coin() != d.over[0] {
			return errors.New("it has several slots")
		}
		fee := int64(t.Fee)
		coins, has := make([]string, 0, len(t.Inputs)), t.paid()+fee
		for _, in := range t.Inputs {
			gone := slices.IndexFunc(spend.Gone, func(c chains.Coin) bool { return c.ID == in.coin() })
			if gone < 0 {
				coins = append(coins, in.coin())
				continue
			}
			has -= spend.Gone[gone].Amount.Shift(decimals).IntPart()
		}
		if len(coins) == 0 || coins[0] != t.Inputs[0].coin() {
			return errors.New("its first coin is gone")
		}
		if i == 0 || fee > d.beaten {
			d.over, d.had, d.beaten = coins, has, fee
		}
	}
	return nil
}
