package sandbox

import (
	"context"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/pay"
)

// The shape of transactions, by the exclusion of a network.
const (
	batch  = 100 // orders of a transaction of coins
	expiry = 16  // blocks after the final one, for a transaction of a network by expiry
)

// exclusionOf is the exclusion of the simulated networks of a family, as of the real ones. Cardano and Monero have numbers here.
func exclusionOf(f pay.Family) chains.Exclusion {
	switch f {
	case pay.Bitcoin, pay.Litecoin, pay.Dogecoin, pay.BitcoinCash, pay.BitcoinSV, pay.BitcoinGold:
		return chains.ByCoins
	case pay.Tron, pay.Solana:
		return chains.ByExpiry
	default:
		return chains.ByNumber
	}
}

// mostOrders is how many orders a transaction may have.
func (c *chain) mostOrders() int {
	if c.exclusion == chains.ByCoins {
		return batch
	}
	return 1
}

// collects reports whether deposit addresses can be spent from: they have a balance each.
func (c *chain) collects() bool { return c.exclusion != chains.ByCoins }

// excludes sets what a network by this exclusion has beside the others.
func (c *chain) excludes(n *chains.Network) {
	n.Exclusion, n.Cold, n.Collects = c.exclusion, c.Match(coldWallet(c.net)), c.collects()
	n.MoveCost = func(context.Context, string) (decimal.Decimal, error) { return baseFee, nil }
	switch c.exclusion {
	case chains.ByNumber:
		n.Counter = c
	case chains.ByCoins:
		n.Batch, n.Unspent, n.Copy = batch, c.unspent, c.copyOf
		n.CoinCost = func(context.Context) (decimal.Decimal, error) { return coinFee, nil }
	case chains.ByExpiry:
		n.Expiry = expiry
	}
}
