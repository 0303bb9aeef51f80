package cardano

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/cardano/client"
)

// Holdings returns each address's balance at a height. The node looks through all coins that there are, and knows the states of the last
// 2,160 blocks. It finds the coins of an address in exactly this form: those at other forms it is asked for by their ids in the books.
func (c *Connector) Holdings(ctx context.Context, token string, of []string, height int64) ([]decimal.Decimal, error) {
	if token != coin {
		return nil, fmt.Errorf("holdings: %s has no token %q", Network, token)
	}
	apart, err := c.coinsApart(ctx, height)
	if err != nil {
		return nil, fmt.Errorf("holdings: coins of the books: %w", err)
	}
	coins, err := c.coinsAt(ctx, of, apart, height)
	if err != nil {
		return nil, fmt.Errorf("holdings: %w", err)
	}
	sums := make(map[string]int64, len(of))
	for _, o := range coins {
		units, _ := o.Value.Lovelace() // the client has read it
		sums[o.Address] += units
	}
	out := make([]decimal.Decimal, len(of))
	for i, address := range of {
		out[i] = amountOf(sums[c.Match(address)])
	}
	return out, nil
}

// coinsApart returns the coins of the books at other forms of our addresses, unspent after the block at a height.
func (c *Connector) coinsApart(ctx context.Context, height int64) ([]client.Reference, error) {
	named := c.apart.Load()
	if named == nil {
		return nil, nil
	}
	ids, err := (*named)(ctx, height)
	if err != nil {
		return nil, err
	}
	out := make([]client.Reference, len(ids))
	for i, id := range ids {
		in, ok := inputOf(id)
		if !ok {
			return nil, fmt.Errorf("%.80q is no id of a coin", id)
		}
		out[i].Transaction.ID, out[i].Index = in.ID.String(), in.Index
	}
	return out, nil
}

// Unspent returns the hot wallet's coins at a height.
func (c *Connector) Unspent(ctx context.Context, height int64) ([]chains.Coin, error) {
	coins, err := c.coinsAt(ctx, []string{c.hot}, nil, height)
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

// coinsAt returns the coins of addresses in the state after a block, and those among named coins that are at other forms of the addresses.
// Their addresses are as asked for, in the spelling of Match.
func (c *Connector) coinsAt(ctx context.Context, of []string, named []client.Reference, height int64) ([]client.Output, error) {
	if len(of) == 0 || height < 0 {
		return nil, nil
	}
	known := map[string]bool{}
	for _, address := range of {
		match := c.Match(address)
		if _, err := addresses.Validate(Network, match); err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		known[match] = true
	}
	var coins []client.Output
	err := c.nodes.Use(ctx, func(n node) error {
		exact, apart, err := n.Client.coinsAt(ctx, slices.Sorted(maps.Keys(known)), named, height)
		if err == nil {
			coins, err = c.ofKeys(known, exact, named, apart)
		}
		return err
	})
	return coins, err
}

// coinsAt returns the coins of addresses and those named, as one node has them after a block.
func (p *peer) coinsAt(ctx context.Context, asked []string, named []client.Reference, height int64) (exact, apart []client.Output, err error) {
	at, err := p.pointAt(ctx, height)
	if err != nil || at.ID == "" {
		return nil, nil, err
	}
	err = p.seeker.Use(ctx, func(s *client.Session) error {
		return s.At(ctx, at, func() error {
			if exact, err = s.Coins(ctx, asked); err != nil {
				return err
			}
			apart, err = s.CoinsNamed(ctx, named)
			return err
		})
	})
	return exact, apart, err
}

// pointAt returns the point of a height, and the zero value for what is before the first block.
func (p *peer) pointAt(ctx context.Context, height int64) (at client.Point, err error) {
	err = p.follow(ctx, func(s *client.Session, t *track, tip client.Tip) error {
		if height > tip.Height {
			return odd("the node is at block %d, below %d", tip.Height, height)
		}
		if err := p.grow(ctx, s, t, tip, height); err != nil {
			return err
		}
		var ok bool
		if at, ok = t.at(height); !ok {
			return forgotten(height)
		}
		return nil
	})
	return at, err
}

// ofKeys checks that the node has told nothing that it was not asked for, and nothing twice. Coins at other forms of an address are then at the
// address.
func (c *Connector) ofKeys(known map[string]bool, exact []client.Output, named []client.Reference, apart []client.Output) (coins []client.Output, err error) {
	for _, o := range exact {
		if o.Address = c.Match(o.Address); !known[o.Address] {
			return nil, odd("a coin of %.120s, which was not asked for", o.Address)
		}
		coins = append(coins, o)
	}
	asked := map[client.Reference]bool{}
	for _, r := range named {
		asked[r] = true
	}
	for _, o := range apart {
		plain, ok := addresses.CardanoPlain(o.Address)
		if !ok || !asked[o.Reference] {
			return nil, odd("coin %s at %.120s, which was not asked for", o.Reference, o.Address)
		}
		if known[plain] && !known[c.Match(o.Address)] { // else it is of another address, or among the exact ones
			o.Address = plain
			coins = append(coins, o)
		}
	}
	told, sum := map[client.Reference]bool{}, int64(0)
	for _, o := range coins {
		units, _ := o.Value.Lovelace()
		if sum += units; told[o.Reference] || sum > client.Supply {
			return nil, odd("coin %s is told twice, or there is more than there can be", o.Reference)
		}
		told[o.Reference] = true
	}
	return coins, nil
}
