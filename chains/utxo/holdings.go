package utxo

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
)

// held is a coin in blocks.
type held struct {
	place  place
	units  int64
	script string
	at     *chains.Wallet // the deposit address of a coin to be spent; nil for the hot wallet's own
}

// Holdings returns each address's balance at a height. See index for its cost.
func (c *Connector) Holdings(ctx context.Context, token string, of []string, height int64) ([]decimal.Decimal, error) {
	if token != c.symbol() {
		return nil, fmt.Errorf("holdings: %s has no token %q", c.cfg.Network, token)
	}
	scripts := make(map[string]bool, len(of))
	byAddress := make([]string, len(of))
	for i, address := range of {
		script, err := addresses.Script(c.cfg.Network, address)
		if err != nil {
			return nil, fmt.Errorf("holdings of %s: %w", address, err)
		}
		byAddress[i] = string(script)
		scripts[byAddress[i]] = true
	}
	coins, err := c.coinsAt(ctx, scripts, height)
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	sums := make(map[string]int64, len(of))
	for _, h := range coins {
		sums[h.script] += h.units
	}
	out := make([]decimal.Decimal, len(of))
	for i, script := range byAddress {
		out[i] = amountOf(sums[script])
	}
	return out, nil
}

// Unspent returns the hot wallet's coins at a height.
func (c *Connector) Unspent(ctx context.Context, height int64) ([]chains.Coin, error) {
	coins, err := c.coinsAt(ctx, map[string]bool{string(c.hotScript): true}, height)
	if err != nil {
		return nil, fmt.Errorf("coins of the hot wallet: %w", err)
	}
	out := make([]chains.Coin, len(coins))
	for i, h := range coins {
		out[i] = chains.Coin{ID: h.place.id(), Token: c.symbol(), Amount: amountOf(h.units)}
	}
	return out, nil
}

func (p place) id() string { return chains.CoinID(p.from.String(), int(p.vout)) }
