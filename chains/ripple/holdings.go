package ripple

import (
	"context"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"causeway/chains"
)

// Holdings returns each address's balance of XRP in a ledger. An address without an account holds nothing.
func (c *Connector) Holdings(ctx context.Context, token string, of []string, height int64) (out []decimal.Decimal, err error) {
	if token != coin {
		return nil, fmt.Errorf("holdings: %s has no token %q", Network, token)
	}
	err = c.node.Use(ctx, func(n node) error {
		out = make([]decimal.Decimal, len(of))
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(ledgersAtOnce)
		for i, address := range of {
			group.Go(func() error {
				_, balance, err := info(within, n, address, height)
				if err == nil {
					out[i] = xrp(balance)
				}
				if errors.Is(err, errNoAccount) {
					return nil
				}
				return err
			})
		}
		return group.Wait()
	})
	if err != nil {
		return nil, fmt.Errorf("holdings at %d: %w", height, lacks(height, err))
	}
	return out, nil
}

var _ chains.Holder = (*Connector)(nil)
