package tron

import (
	"context"
	"fmt"
	"math/big"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// firstEnergy is what a payment of USDT takes to an address that has none of it, for tokens that cannot be tried out.
const firstEnergy = 131_000

// MoveCost returns the most that a sweep of a token to the hot wallet can cost now, or a move to the cold address, in TRX. A token is tried out
// by the hot wallet. If it has none of it, a sweep brings the first, which takes the most energy.
func (c *Connector) MoveCost(ctx context.Context, symbol string) (cost decimal.Decimal, err error) {
	err = c.use(ctx, func(v view) (err error) {
		cost, err = v.moveCost(ctx, symbol)
		return err
	})
	if err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	return cost, nil
}

// TopupCost returns the most that a payment of TRX from the hot wallet to a deposit address can cost now. It may be new to the chain.
func (c *Connector) TopupCost(ctx context.Context) (cost decimal.Decimal, err error) {
	err = c.use(ctx, func(v view) error {
		prices, err := v.parameters(ctx)
		cost = sun(v.bytesFee(v.transferOf(), prices) + prices.activate)
		return err
	})
	if err != nil {
		return cost, fmt.Errorf("cost of a top-up: %w", err)
	}
	return cost, nil
}

// moveCost is MoveCost, as one node answers.
func (v view) moveCost(ctx context.Context, symbol string) (cost decimal.Decimal, err error) {
	t, ok := v.known.Load().bySymbol[symbol]
	if !ok {
		return cost, fmt.Errorf("%w: network %s has no token %s", chains.ErrUnpayable, Network, symbol)
	}
	prices, err := v.parameters(ctx)
	if err != nil {
		return cost, err
	}
	if t.native {
		return sun(v.bytesFee(v.transferOf(), prices)), nil
	}
	most, err := v.tokenMove(ctx, t, prices)
	if err != nil {
		return cost, err
	}
	return sun(v.bytesFee(most, prices) + most.feeLimit), nil
}

// tokenMove is a sweep of a token, with its fee_limit by a trial of the hot wallet.
func (v view) tokenMove(ctx context.Context, t token, prices parameters) (raw, error) {
	call := transferCall(v.hot, big.NewInt(1))
	tried, err := v.constant(ctx, whole, v.hot, t.contract, call)
	if err != nil {
		return raw{}, err
	}
	energy := max(tried.energy, 1)
	if tried.reverted != "" {
		energy = firstEnergy
	}
	if energy > maxFee*1_000_000/prices.energy {
		return raw{}, odd("a transfer of %s takes %d energy", t.symbol, energy)
	}
	most := trigger{owner: v.hot, contract: t.contract, data: call}.raw()
	most.feeLimit = sweepLimit(energy, prices)
	return most, nil
}

// transferOf is a payment of TRX as long as any.
func (c *Connector) transferOf() raw { return transfer{c.hot, c.hot, 1 << 62}.raw() }

// bytesFee is the price of the bytes of a transaction, in sun.
func (c *Connector) bytesFee(r raw, prices parameters) int64 {
	r.refBytes, r.refHash, r.timestamp, r.expiration = make([]byte, 2), make([]byte, 8), 1<<41, 1<<41 // a time of today is as long
	return int64(len(r.encode())+overhead) * prices.byteFee
}

// sweepLimit is the fee_limit of a sweep, in sun: a quarter more than its energy costs by a trial. A busy contract's factor rises by a
// fifth at most in a period of six hours, and what the hot wallet holds is known.
func sweepLimit(energy int64, prices parameters) int64 { return energy * prices.energy / 4 * 5 }
