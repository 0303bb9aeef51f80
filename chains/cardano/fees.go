package cardano

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// params are the parameters of the protocol in force, in lovelace and bytes.
type params struct {
	fee, rate int64 // of a transaction, and for each byte of it
	perByte   int64 // of an output, with those that it takes in memory
	most      int64 // bytes of a transaction
}

// Sizes of the parts of a transaction in bytes, no smaller than they can be: amounts and counts have their longest form.
const (
	aroundSize    = 39
	inputSize     = 39
	signatureSize = 102
	inMemory      = 160 // of an output, beside its bytes
)

// perByte is params.perByte of the main network since Babbage's era. One node's word that it is more fails no payout.
const perByte = 4310

// least returns the least that an output may be.
func (p params) least(o output) int64 {
	raw, err := writing.Marshal(o)
	if err != nil {
		panic(err) // it has plain members alone
	}
	return (inMemory + int64(len(raw))) * p.perByte
}

// leastAt returns the least of an output at an address, however much it is.
func (p params) leastAt(address []byte) int64 {
	return p.least(output{Address: address, Lovelace: client.Supply})
}

// outSize is the size of an output of any amount.
func outSize(address []byte) int64 {
	raw, err := writing.Marshal(output{Address: address, Lovelace: client.Supply})
	if err != nil {
		panic(err)
	}
	return int64(len(raw))
}

// market asks for the parameters, and for the slot of the newest block.
func (c *Connector) market(ctx context.Context) (p params, slot int64, err error) {
	err = c.nodes.Use(ctx, func(n node) error {
		return n.Client.asker.Use(ctx, func(s *client.Session) error {
			told, err := s.Params(ctx)
			if err != nil {
				return err
			}
			p = params{told.Fee, told.PerByte, told.OutputPerByte, told.MostBytes}
			slot, err = s.Slot(ctx)
			return err
		})
	})
	return p, slot, err
}

// coinFee is what one more coin of an address of its own costs.
func (p params) coinFee() int64 { return p.rate * (inputSize + signatureSize) }

// longAddress is how long an address of Shelley's era is at most.
const longAddress = 57

// MoveCost returns the fee of a transaction now that spends one coin for one order, with change in as many coins as it has.
func (c *Connector) MoveCost(ctx context.Context, symbol string) (cost decimal.Decimal, err error) {
	if symbol != coin {
		return cost, fmt.Errorf("%w: %s has no token %q", chains.ErrUnpayable, Network, symbol)
	}
	p, _, err := c.market(ctx)
	if err != nil {
		return cost, fmt.Errorf("cost of a move: %w", err)
	}
	size := aroundSize + inputSize + signatureSize + outSize(make([]byte, longAddress)) + split*outSize(make([]byte, longAddress))
	return amountOf(p.fee + p.rate*size), nil
}

// CoinCost returns what one more coin in a transaction costs now.
func (c *Connector) CoinCost(ctx context.Context) (cost decimal.Decimal, err error) {
	p, _, err := c.market(ctx)
	if err != nil {
		return cost, fmt.Errorf("cost of a coin: %w", err)
	}
	return amountOf(p.coinFee()), nil
}
