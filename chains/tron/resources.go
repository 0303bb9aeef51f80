package tron

import (
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/tron/client"
)

// nobody is an account without any token: a first payment of a token takes the most energy.
var nobody = common.HexToAddress("0x0000000000000000000000000000000000000001")

// Resources tells the energy of the hot wallet, and what a payment of each token takes: to an address that has none of it. A token that the
// wallet does not hold cannot be tried out, and is left out.
func (c *Connector) Resources(ctx context.Context) (*chains.Resources, error) {
	var has client.Resources
	if err := c.ask(ctx, &has, "wallet/getaccountresource", map[string]string{"address": hexOf(c.hot)}); err != nil {
		return nil, fmt.Errorf("resources: %w", err)
	}
	prices, err := c.parameters(ctx)
	if err != nil {
		return nil, fmt.Errorf("resources: %w", err)
	}
	out := &chains.Resources{Name: "energy", Limit: has.EnergyLimit, Left: max(0, has.EnergyLimit-has.EnergyUsed), Payments: []chains.PaymentCost{}}
	tokens := c.known.Load().bySymbol
	for _, symbol := range slices.Sorted(maps.Keys(tokens)) {
		t := tokens[symbol]
		if t.native {
			continue
		}
		tried, err := c.constant(ctx, whole, c.hot, t.contract, transferCall(nobody, big.NewInt(1)))
		if err != nil {
			return nil, fmt.Errorf("resources: %w", err)
		}
		if tried.reverted == "" {
			missing := max(0, tried.energy-out.Left)
			out.Payments = append(out.Payments, chains.PaymentCost{Token: symbol, Takes: tried.energy,
				Costs: sun(tried.energy * prices.energy), CostsNow: sun(missing * prices.energy)})
		}
	}
	return out, nil
}
