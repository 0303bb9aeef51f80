package utxo

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// longScript is how long the script of an address is at most.
const longScript = 34

// MoveCost returns the fee of a transaction now that spends one coin for one order, with change in as many coins as it has.
func (c *Connector) MoveCost(ctx context.Context, symbol string) (cost decimal.Decimal, err error) {
	if symbol != c.symbol() {
		return cost, fmt.Errorf("%w: %s has no token %q", chains.ErrUnpayable, c.cfg.Network, symbol)
	}
	m, err := c.market(ctx)
	if err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	scripts := [][]byte{make([]byte, longScript)}
	for range split {
		scripts = append(scripts, c.hotScript)
	}
	return amountOf(feeOf(m.offer, c.coin.size(1, scripts))), nil
}

// CoinCost returns what one more coin in a transaction costs now.
func (c *Connector) CoinCost(ctx context.Context) (cost decimal.Decimal, err error) {
	m, err := c.market(ctx)
	if err != nil {
		return cost, fmt.Errorf("cost of a coin: %w", err)
	}
	return amountOf(c.coin.coinFee(m.offer)), nil
}
