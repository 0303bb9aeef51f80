package ton

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
)

// Holdings returns each address's balance of a token after a block.
func (c *Connector) Holdings(ctx context.Context, symbol string, addresses []string, height int64) (out []decimal.Decimal, err error) {
	t, ok := c.known.Load().bySymbol[symbol]
	if !ok {
		return nil, fmt.Errorf("network %s has no token %s", Network, symbol)
	}
	accounts := make([]account, len(addresses))
	for i, text := range addresses {
		if accounts[i], err = readAccount(text); err != nil {
			return nil, fmt.Errorf("holdings of %s: %w", text, err)
		}
	}
	err = c.node.Use(ctx, func(n node) error {
		out = make([]decimal.Decimal, len(accounts))
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(questionsAtOnce)
		for i, a := range accounts {
			group.Go(func() (err error) {
				out[i], err = c.balance(within, n, t, a, height)
				return err
			})
		}
		return group.Wait()
	})
	if err != nil {
		return nil, fmt.Errorf("holdings at block %d: %w", height, err)
	}
	return out, nil
}

// balance returns what an account holds of a token after a block, as its own transactions have it. Units that it has ordered its jetton wallet to
// send are gone, though the wallet may not have received the order yet. Units that it has not been told of yet have not come.
func (c *Connector) balance(ctx context.Context, n node, t token, a account, height int64) (decimal.Decimal, error) {
	if height < 1 {
		return decimal.Zero, nil
	}
	s, err := state(ctx, n, a, height)
	if err != nil {
		return decimal.Zero, err
	}
	if t.native {
		return whole(s.Balance), nil
	}
	w, err := c.wallet(ctx, n, t, a, height)
	if errors.Is(err, errNoMaster) {
		return decimal.Zero, nil
	}
	if err != nil {
		return decimal.Zero, err
	}
	units, err := c.holds(ctx, n, t, w, a, height)
	if err != nil || units == nil {
		return decimal.Zero, err
	}
	leaving, err := c.onTheWay(ctx, n, a, w, height, orderedUnits)
	if err != nil {
		return decimal.Zero, err
	}
	coming, err := c.onTheWay(ctx, n, w, a, height, noticedUnits)
	if err != nil {
		return decimal.Zero, err
	}
	units = units.Sub(units, leaving.Add(leaving, coming))
	return t.amount(units), nil
}

var _ chains.Holder = (*Connector)(nil)
