package utxo

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
)

// Prepare checks the orders and asks for the fee to offer. Nobody knows here what the books have leased, so Choose finds out whether the
// coins are enough. Over earlier transactions it asks for what they spend, and offers a quarter more.
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Orders) > s.cfg.Batch {
		return nil, fmt.Errorf("%s: %d orders, and a transaction pays at most %d", s.cfg.Network, len(spend.Orders), s.cfg.Batch)
	}
	if spend.From != nil || spend.Most {
		return nil, fmt.Errorf("%s: only the hot wallet spends, and what it is told to", s.cfg.Network)
	}
	if spend.Gather != 0 && (spend.Gather < 0 || spend.Gather > mostCoins || len(spend.Orders) > 0) {
		return nil, fmt.Errorf("%s: at most %d coins are gathered, and without orders", s.cfg.Network, mostCoins)
	}
	d := &draft{sender: s, gather: spend.Gather}
	for _, o := range spend.Orders {
		if err := d.pay(o); err != nil {
			return nil, err
		}
	}
	m, err := s.market(ctx)
	if err != nil {
		return nil, fmt.Errorf("fees: %w", err)
	}
	d.rate = m.offer
	if len(spend.Over) > 0 {
		if err := d.beat(ctx, spend, m); err != nil {
			return nil, fmt.Errorf("what was signed before: %w", err)
		}
	}
	return d, nil
}

// pay adds the output of an order.
func (d *draft) pay(o chains.Order) error {
	s := d.sender
	units := o.Amount.Shift(decimals)
	switch {
	case o.Token != s.symbol():
		return fmt.Errorf("%w: %s has no token %q", chains.ErrUnpayable, s.cfg.Network, o.Token)
	case !units.IsPositive() || !units.IsInteger():
		return fmt.Errorf("%w: %s has no amount %s", chains.ErrUnpayable, s.cfg.Network, o.Amount)
	case units.GreaterThan(decimal.NewFromInt(s.coin.supply)):
		return &chains.Short{Token: o.Token, Missing: units.Sub(decimal.NewFromInt(s.coin.supply)).Shift(-decimals)}
	case units.LessThan(decimal.NewFromInt(s.coin.dust)):
		return fmt.Errorf("%w: %s is less than %s, the least that the nodes of %s pass on", chains.ErrUnpayable, o.Amount, amountOf(s.coin.dust), s.cfg.Network)
	}
	script, err := addresses.Script(s.cfg.Network, o.To)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	case s.Match(o.To) == s.hot:
		return fmt.Errorf("%w: the hot wallet itself", chains.ErrUnpayable)
	}
	d.outs = append(d.outs, output{vout: uint32(len(d.outs)), units: units.IntPart(), script: script})
	d.paid += units.IntPart()
	if d.paid > s.coin.supply {
		return &chains.Short{Token: o.Token, Missing: amountOf(d.paid - s.coin.supply)}
	}
	return nil
}

// A replacement offers this much more than the dearest one before, as a rate and altogether.
var dearer = decimal.RequireFromString("1.25")

// beat makes the draft dearer than all earlier transactions of the slot, and takes over the coins of the dearest, but for those gone.
func (d *draft) beat(ctx context.Context, spend chains.Spend, m market) error {
	s, first := d.sender, place{}
	for i, raw := range spend.Over {
		t, err := parse(raw)
		if err != nil {
			return err
		}
		if first != (place{}) && t.ins[0].place() != first {
			return errors.New("it has several slots")
		}
		first = t.ins[0].place()
		coins, fee, err := s.earlier(ctx, &t, spend.Gone)
		if err != nil {
			return err
		}
		if fee < 0 {
			return odd("it pays more than it spends")
		}
		size := s.coin.sizeOf(&t)
		d.rate = decimal.Max(d.rate, decimal.NewFromInt(fee).Mul(dearer).Div(decimal.NewFromInt(size)).RoundUp(rateDigits))
		d.least = max(d.least, feeOf(dearer, fee))
		if d.most = max(d.most, fee); i == 0 || fee == d.most {
			d.over = coins
		}
	}
	d.relay = m.relay
	return s.affordable(d.rate)
}

// earlier returns the coins of an earlier transaction that are still there, and its fee. The node does not know those gone: the books do.
func (s *Sender) earlier(ctx context.Context, t *transaction, gone []chains.Coin) (coins []held, fee int64, err error) {
	there := t.ins
	for _, g := range gone {
		there = slices.DeleteFunc(slices.Clone(there), func(in input) bool { return in.coin() == g.ID })
		if slices.ContainsFunc(t.ins, func(in input) bool { return in.coin() == g.ID }) {
			fee += g.Amount.Shift(decimals).IntPart()
		}
	}
	if len(there) == 0 || there[0].place() != t.ins[0].place() {
		return nil, 0, errors.New("its first coin is gone")
	}
	spent, err := s.coinsSpent(ctx, there)
	if err != nil {
		return nil, 0, err
	}
	for _, in := range there {
		coins = append(coins, held{place: in.place(), units: spent[in.place()].units})
		fee += spent[in.place()].units
	}
	for _, o := range t.outs {
		fee -= o.units
	}
	return coins, fee, nil
}

// sizeOf returns the virtual bytes of a transaction of ours, with signatures of the greatest length.
func (c *coin) sizeOf(t *transaction) int64 {
	scripts := make([][]byte, len(t.outs))
	for i, o := range t.outs {
		scripts[i] = o.script
	}
	return c.size(len(t.ins), scripts)
}
