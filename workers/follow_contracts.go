package workers

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"causeway/chains"
)

// sameContracts reports, as an error, that the catalogue names another contract for a token than the one that this process has
// watched since it was started: what is paid to the new contract would not be seen here, and what is sent would be the former token.
func (w *Workers) sameContracts(ctx context.Context, n *chains.Network) error {
	if n.Contracts == nil {
		return nil
	}
	cat, err := w.catalogue.now(ctx, w.Store)
	if err != nil {
		return err
	}
	for _, symbol := range slices.Sorted(maps.Keys(n.Contracts)) {
		if t := cat.token(symbol, n.Name); t != nil && t.Contract != n.Contracts[symbol] {
			return fmt.Errorf("the contract of %s on %s was changed, and this process has the former one: restart every role", symbol, n.Name)
		}
	}
	return nil
}
