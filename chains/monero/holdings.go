package monero

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/monero/client"
)

// balance are the coins in blocks up to a height, without those spent up to there.
func (c *Connector) balance(ctx context.Context, height int64) ([]held, error) {
	for range rereads {
		before, err := c.newest(ctx)
		if err != nil {
			return nil, err
		}
		if height > before.Height {
			return nil, odd("block %d is above the best block %d", height, before.Height)
		}
		coins, spent, at, err := c.state(ctx)
		if err != nil {
			return nil, err
		}
		after, err := c.newest(ctx)
		if err != nil {
			return nil, err
		}
		if after.Hash == before.Hash && at == before.Height {
			return unspentAt(coins, spent, height), nil
		}
	}
	return nil, errForked
}

func (c *Connector) newest(ctx context.Context) (h client.Header, err error) {
	err = c.node.Use(ctx, func(n node) (err error) {
		h, err = n.Client.Newest(ctx)
		return err
	})
	return h, err
}

func unspentAt(coins []held, spent map[string]int64, height int64) (out []held) {
	for _, h := range coins {
		end, gone := spent[h.Image]
		if h.Height <= height && (h.Image == "" || !gone || end > height) {
			out = append(out, h)
		}
	}
	return out
}

// state asks the wallet for all coins in blocks, and for the heights at which key images of ours were spent.
func (c *Connector) state(ctx context.Context) (coins []held, spent map[string]int64, at int64, err error) {
	w := c.seer
	give, err := w.take(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	defer give()
	if at, err = w.ready(ctx); err != nil {
		return nil, nil, 0, err
	}
	all, err := w.list(ctx)
	if err != nil {
		return nil, nil, 0, err
	}
	if coins, err = c.coinsOf(ctx, all); err != nil {
		return nil, nil, 0, err
	}
	spent, err = w.spentAt(ctx, at)
	return coins, spent, at, err
}

// Holdings returns each address's balance at a height, as the wallet that cannot spend has read it.
func (c *Connector) Holdings(ctx context.Context, token string, of []string, height int64) ([]decimal.Decimal, error) {
	if token != coin {
		return nil, fmt.Errorf("holdings: %s has no token %q", Network, token)
	}
	coins, err := c.balance(ctx, height)
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	sums := map[uint32]uint64{}
	for _, h := range coins {
		sums[h.At.Minor] += h.Units
	}
	out := make([]decimal.Decimal, len(of))
	for i, address := range of {
		if minor, ours := c.minorOf(address); ours {
			out[i] = amountOf(sums[minor])
		}
	}
	return out, nil
}

// Unspent returns the hot wallet's coins at a height.
func (c *Connector) Unspent(ctx context.Context, height int64) ([]chains.Coin, error) {
	coins, err := c.balance(ctx, height)
	if err != nil {
		return nil, fmt.Errorf("coins of the hot wallet: %w", err)
	}
	out := []chains.Coin{}
	for _, h := range coins {
		if h.At.Minor == 0 {
			out = append(out, chains.Coin{ID: h.id, Token: coin, Amount: amountOf(h.Units)})
		}
	}
	return out, nil
}
