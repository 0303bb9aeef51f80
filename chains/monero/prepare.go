package monero

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
)

// mostCoins is how many coins one transaction spends at most.
const mostCoins = 60

// priority is what the wallet is told to offer: the second of four levels, which the next blocks take.
const priority = 2

// Prepare checks the orders, has the followers' wallet shown all key images, and asks for the fee and the coins that may be spent now. A
// coin may be spent in the tenth block after its own, whatever the books say.
func (s *Sender) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	switch {
	case len(spend.Orders) > s.cfg.Batch:
		return nil, fmt.Errorf("%s: %d orders, and a transaction pays at most %d", Network, len(spend.Orders), s.cfg.Batch)
	case spend.From != nil || spend.Most:
		return nil, fmt.Errorf("%s: only the hot wallet spends, and what it is told to", Network)
	case spend.Gather != 0 && (spend.Gather < 0 || len(spend.Orders) > 0):
		return nil, fmt.Errorf("%s: coins are gathered without orders", Network)
	}
	d := &draft{sender: s}
	for _, o := range spend.Orders {
		if err := d.pay(o); err != nil {
			return nil, err
		}
	}
	rate, err := s.rate(ctx)
	if err != nil {
		return nil, fmt.Errorf("fees: %w", err)
	}
	if d.rate = rate; amountOf(d.fee(1)).GreaterThan(s.cfg.MaxFee) {
		return nil, fmt.Errorf("%w: the network asks for %s, and max_fee is %s", chains.ErrDown, amountOf(d.fee(1)), s.cfg.MaxFee)
	}
	if d.gather = min(spend.Gather, d.coinLimit()); d.gather < min(spend.Gather, 2) {
		return nil, fmt.Errorf("%w: max_fee is %s, and two coins cost more", chains.ErrDown, s.cfg.MaxFee)
	}
	if d.has, err = s.snapshot(ctx); err != nil {
		return nil, err
	}
	d.back = d.split()
	if err := d.beat(spend); err != nil {
		return nil, fmt.Errorf("what was signed before: %w", err)
	}
	return d, nil
}

// most is the greatest amount, in units.
var most = decimal.New(1, 19)

// pay adds the destination of an order.
func (d *draft) pay(o chains.Order) error {
	units := o.Amount.Shift(decimals)
	switch {
	case o.Token != coin:
		return fmt.Errorf("%w: %s has no token %q", chains.ErrUnpayable, Network, o.Token)
	case !units.IsPositive() || !units.IsInteger():
		return fmt.Errorf("%w: %s has no amount %s", chains.ErrUnpayable, Network, o.Amount)
	case units.GreaterThan(most):
		return &chains.Short{Token: o.Token, Missing: units.Sub(most).Shift(-decimals)}
	}
	address, err := addresses.Validate(Network, o.To)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", chains.ErrUnpayable, err)
	case addresses.Match(Network, address) == d.sender.view.main:
		return fmt.Errorf("%w: the hot wallet itself", chains.ErrUnpayable)
	case addresses.Match(Network, address) != address:
		return fmt.Errorf("%w: an address with a payment id is paid without change, and something always comes back", chains.ErrUnpayable)
	}
	d.outs = append(d.outs, destination{Address: address, Units: units.BigInt().Uint64()})
	d.paid += units.BigInt().Uint64()
	return nil
}

// beat takes over the coins of the earlier transactions of the slot, but for those gone.
func (d *draft) beat(spend chains.Spend) error {
	gone := map[string]bool{}
	for _, g := range spend.Gone {
		gone[g.ID] = true
	}
	byImage := map[string]held{}
	for _, h := range d.has {
		byImage[h.Image] = h
	}
	taken := map[string]bool{}
	for _, raw := range spend.Over {
		t, ok := parseWhole(raw)
		if !ok {
			return odd("it is no transaction")
		}
		for _, image := range t.images {
			h, ours := byImage[image.String()]
			if ours && !gone[h.id] && !taken[h.id] {
				taken[h.id] = true
				d.over = append(d.over, h)
			}
		}
	}
	if len(spend.Over) > 0 && len(d.over) == 0 {
		return odd("none of its coins is there")
	}
	return nil
}

// rate asks for the fee for a unit of weight, in the smallest units.
func (c *Connector) rate(ctx context.Context) (uint64, error) {
	var told struct{ Fees []uint64 }
	err := c.node.Use(ctx, func(n node) error {
		err := n.Client.Call(ctx, &told, "get_fee_estimate", nil)
		if err == nil && (len(told.Fees) < priority || told.Fees[priority-1] == 0 || told.Fees[priority-1] > 1e12) {
			err = odd("the node tells no fees")
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	return told.Fees[priority-1], nil
}

// weight is what a transaction weighs at most, with so many coins and outputs. Several outputs weigh more than their bytes, since proofs of
// many are shorter and take as long to check (get_transaction_weight_clawback).
func weight(coins, outs int) uint64 {
	padded, rounds := 2, 7
	for padded < outs {
		padded, rounds = padded*2, rounds+1
	}
	proof := (6 + 2*rounds) * 32
	clawback := 0
	if padded > 2 {
		clawback = (320*padded - proof) * 4 / 5
	}
	return uint64(670*coins + 76*max(2, outs) + proof + clawback + 120)
}

// MoveCost returns the fee of a transaction now that spends one coin for one order.
func (c *Connector) MoveCost(ctx context.Context, symbol string) (cost decimal.Decimal, err error) {
	if symbol != coin {
		return cost, fmt.Errorf("%w: %s has no token %q", chains.ErrUnpayable, Network, symbol)
	}
	rate, err := c.rate(ctx)
	return amountOf(rate * weight(1, 2)), err
}

// CoinCost returns what one more coin in a transaction costs now.
func (c *Connector) CoinCost(ctx context.Context) (decimal.Decimal, error) {
	rate, err := c.rate(ctx)
	return amountOf(rate * (weight(2, 2) - weight(1, 2))), err
}
