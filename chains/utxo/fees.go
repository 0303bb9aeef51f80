package utxo

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// soon is in how many blocks a payout should be mined.
const soon = 6

// perByte turns whole coins for a thousand bytes into units for one.
var perByte = decimal.New(wholeCoin/1000, 0)

// market is what the node says about fees, in units for one byte.
type market struct {
	offer decimal.Decimal // what to offer
	relay decimal.Decimal // by how much a replacement has to be dearer at least
}

// market asks for the fee to offer: the node's estimate, or the configured rate where it has none, and no less than nodes take.
func (c *Connector) market(ctx context.Context) (m market, err error) {
	err = c.use(ctx, func(v view) (err error) {
		m, err = v.market(ctx)
		return err
	})
	if err != nil {
		return market{}, err
	}
	return m, c.affordable(m.offer)
}

// market is the market of one node: the least that it takes belongs to its estimate.
func (v view) market(ctx context.Context) (market, error) {
	var pool client.Mempool
	var plain json.Number
	var smart client.Estimate
	questions := []*client.Question{client.Ask(&pool, "getmempoolinfo")}
	switch v.coin.estimate {
	case smartFee:
		questions = append(questions, client.Ask(&smart, "estimatesmartfee", soon))
	case plainFee:
		questions = append(questions, client.Ask(&plain, "estimatefee"))
	case noFee:
	}
	if err := v.each(ctx, questions...); err != nil {
		return market{}, err
	}
	if err := questions[0].Err; err != nil {
		return market{}, err
	}
	m := market{offer: v.cfg.FeeRate, relay: decimal.Max(v.coin.floor, rateOf(pool.RelayFee.String()))}
	for _, told := range []string{smart.Rate.String(), plain.String()} {
		if rate := rateOf(told); rate.IsPositive() {
			m.offer = rate
		}
	}
	m.offer = decimal.Max(m.offer, m.relay, rateOf(pool.MinFee.String()))
	return m, nil
}

// affordable reports an offer above the operator's limit as an error: payouts wait.
func (c *Connector) affordable(offer decimal.Decimal) error {
	if offer.GreaterThan(c.cfg.MaxFeeRate) {
		return fmt.Errorf("%w: the network asks for %s for a byte, and max_fee_rate is %s", chains.ErrDown, offer, c.cfg.MaxFeeRate)
	}
	return nil
}

// rateOf reads a rate of a node, zero where it has none. It is rounded up to what a rate may have.
func rateOf(told string) decimal.Decimal {
	rate, err := decimal.NewFromString(told)
	if err != nil || !rate.IsPositive() {
		return decimal.Zero
	}
	return rate.Mul(perByte).RoundUp(rateDigits)
}
