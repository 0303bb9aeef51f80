package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// coin is a token on a network, used by the merchants.
type coin struct {
	network, token string
	unit           decimal.Decimal // payments are of one to ten units

	asset     string // the balance it is on
	decimals  int32
	precision int32
	fee       decimal.Decimal // of a payout, in the token itself
}

// usedCoins touch every kind of network: with and without memos, a shared family of addresses, coins and tokens, and
// decimals beyond the ledger's precision.
func usedCoins() []coin {
	of := func(network, token, unit string) coin {
		return coin{network: network, token: token, unit: decimal.RequireFromString(unit)}
	}
	return []coin{
		of("Tron", "USDT", "3"), of("Ethereum", "USDC", "4"), of("Ethereum", "ETH", "0.002"), of("Polygon", "USDT", "2"),
		of("Bitcoin", "BTC", "0.0002"), of("Solana", "USDC", "2"), of("Litecoin", "LTC", "0.05"), of("TON", "TON", "1"),
	}
}

// describe completes the coins from the catalogue.
func (t *torture) describe(ctx context.Context) error {
	if t.coins = usedCoins(); t.node != nil {
		t.coins = slices.DeleteFunc(t.coins, func(c coin) bool { return c.network != network })
	}
	for i := range t.coins {
		c := &t.coins[i]
		row := t.db.NewRaw("select balance_key, decimals, precision, network_fee from tokens where symbol = ? and network = ?", c.token, c.network)
		if err := row.Scan(ctx, &c.asset, &c.decimals, &c.precision, &c.fee); err != nil {
			return fmt.Errorf("%s on %s: %w", c.token, c.network, err)
		}
	}
	return nil
}

// networks names the networks in use, once each.
func (t *torture) networks() []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range t.coins {
		if !seen[c.network] {
			seen[c.network], names = true, append(names, c.network)
		}
	}
	return names
}

// coin returns the coin of a token on a network.
func (t *torture) coin(network, token string) (coin, bool) {
	for _, c := range t.coins {
		if c.network == network && c.token == token {
			return c, true
		}
	}
	return coin{}, false
}

func (c coin) memo() bool {
	n, ok := pay.NetworkNamed(c.network)
	return ok && n.Memo
}

func (c coin) family() pay.Family {
	n, _ := pay.NetworkNamed(c.network)
	return n.Family
}
