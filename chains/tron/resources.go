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
func (c *Connector) Resources(ctx context.Context) (out *chains.Resources, err error) {
	err = c.use(ctx, func(v view) (err error) {
		out, err = v.resources(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("resources: %w", err)
	}
	return out, nil
}

// resources is Resources, as one node answers.
func (v view) resources(ctx context.Context) (*chains.Resources, error) {
	var has client.Resources
	if err := v.ask(ctx, &has, "wallet/getaccountresource", map[string]string{"address": hexOf(v.hot)}); err != nil {
		return nil, err
	}
	prices, err := v.parameters(ctx)
	if err != nil {
		return nil, err
	}
	out := &chains.Resources{Name: "energy", Limit: has.EnergyLimit, Left: max(0, has.EnergyLimit-has.EnergyUsed), Payments: []chains.PaymentCost{}}
	tokens := v.known.Load().bySymbol
	for _, symbol := range slices.Sorted(maps.Keys(tokens)) {
		t := tokens[symbol]
		if t.native {
			continue
		}
		tried, err := v.constant(ctx, whole, v.hot, t.contract, transferCall(nobody, big.NewInt(1)))
		if err != nil {
			return nil, err
		}
		if tried.reverted == "" {
			missing := max(0, tried.energy-out.Left)
			out.Payments = append(out.Payments, chains.PaymentCost{Token: symbol, Takes: tried.energy,
				Costs: sun(tried.energy * prices.energy), CostsNow: sun(missing * prices.energy)})
		}
	}
	return out, nil
}
