package evm

import (
	"context"
	"fmt"
	"math/big"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// tokenGas is the gas that a token's transfer takes at most, as a rule: USDT takes 63,000 with a first payment to an address.
const tokenGas = 65_000

// MoveCost returns the most that a transaction moving a token can cost now, in the native coin.
func (c *Connector) MoveCost(ctx context.Context, symbol string) (cost decimal.Decimal, err error) {
	t, ok := c.tokens()[symbol]
	if !ok {
		return cost, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, c.cfg.Network, symbol)
	}
	if err := c.ready(ctx); err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	m := c.newMarket()
	if err := c.node.Each(ctx, m.questions...); err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	offer, err := m.offer()
	if err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	d := &draft{sender: &Sender{Connector: c}, payment: payment{token: t, payee: c.hot, to: c.hot, value: new(big.Int)}, gas: plainGas, fees: offer}
	if !t.native {
		d.gas, d.payment.to, d.payment.data = tokenGas, t.contract, transferCall(c.hot, big.NewInt(1))
	}
	if err := d.sender.addOPFees(ctx, d); err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	return c.coin.amount(d.most()), nil
}
