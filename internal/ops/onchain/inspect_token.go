package onchain

import (
	"context"
	"fmt"

	"causeway/chains"
)

// InspectToken asks a contract on a network about itself, and tries a transfer of a holder without sending one. If the holder is
// empty, it searches the newest blocks for one.
func (o *Operator) InspectToken(ctx context.Context, network, contract, holder string) (*chains.TokenFacts, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	switch {
	case n.Simulated():
		return nil, fmt.Errorf("no token can be added on %s: it is a simulated network", n.Name)
	case n.Tokens == nil:
		return nil, fmt.Errorf("no token can be added on %s: %s alone is credited and paid there", n.Name, n.Coin)
	}
	if _, err := o.Catalogue.On(ctx, o.Store, n); err != nil { // a contract of the catalogue is known then
		return nil, err
	}
	facts, err := n.Tokens.Inspect(ctx, contract, holder)
	if err != nil {
		return nil, fmt.Errorf("look at %s on %s: %w", contract, n.Name, err)
	}
	return facts, nil
}
