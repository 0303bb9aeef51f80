package cardano

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/cardano/client"
)

// Holdings returns each address's balance at a height. The node looks through all coins that there are, and knows the states of the last
// 2,160 blocks.
func (c *Connector) Holdings(ctx context.Context, token string, of []string, height int64) ([]decimal.Decimal, error) {
	if token != coin {
		return nil, fmt.Errorf("holdings: %s has no token %q", Network, token)
	}
	coins, err := c.coinsAt(ctx, of, height)
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	sums := make(map[string]int64, len(of))
	for _, o := range coins {
		units, _ := o.Value.Lovelace() // the client has read it
		sums[c.Match(o.Address)] += units
	}
	out := make([]decimal.Decimal, len(of))
	for i, address := range of {
		out[i] = amountOf(sums[c.Match(address)])
	}
	return out, nil
}

// Unspent returns the hot wallet's coins at a height.
func (c *Connector) Unspent(ctx context.Context, height int64) ([]chains.Coin, error) {
	coins, err := c.coinsAt(ctx, []string{c.hot}, height)
	if err != nil {
		return nil, fmt.Errorf("coins of the hot wallet: %w", err)
	}
	out := make([]chains.Coin, len(coins))
	for i, o := range coins {
		units, _ := o.Value.Lovelace()
		out[i] = chains.Coin{ID: chains.CoinID(o.Transaction.ID, int(o.Index)), Token: coin, Amount: amountOf(units), Mixed: o.Value.Tokens()}
	}
	return out, nil
}

// coinsAt returns the coins of addresses in the state after a block.
func (c *Connector) coinsAt(ctx context.Context, of []string, height int64) (coins []client.Output, err error) {
	if len(of) == 0 || height < 0 {
		return nil, nil
	}
	var at client.Point
	err = c.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if height > tip.Height {
			return odd("the node is at block %d, below %d", tip.Height, height)
		}
		if err := c.grow(ctx, s, t, tip, height); err != nil {
			return err
		}
		var ok bool
		if at, ok = t.at(height); !ok {
			return forgotten(height)
		}
		return nil
	})
	if err != nil || at.ID == "" {
		return nil, err
	}
	known := map[string]bool{}
	asked := make([]string, 0, len(of))
	for _, address := range of {
		match := c.Match(address)
		if _, err := c.Validate(match); err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		if !known[match] {
			known[match] = true
			asked = append(asked, match)
		}
	}
	err = c.seeker.Use(ctx, func(s *client.Session) error {
		return s.At(ctx, at, func() error {
			coins, err = s.Coins(ctx, asked)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	for _, o := range coins {
		if !known[c.Match(o.Address)] {
			return nil, odd("a coin of %.120s, which was not asked for", o.Address)
		}
	}
	return coins, nil
}
