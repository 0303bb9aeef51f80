package follow

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/ledger"
)

// openTreasury returns the entries for the hot wallet's holdings on a network before the first followed block, so the ledger equals
// the chain from the start.
func (w *Worker) openTreasury(ctx context.Context, n *chains.Network, before int64) ([]ledger.Entry, error) {
	if before < 0 {
		return nil, nil
	}
	cat, err := w.Catalogue.On(ctx, w.Store, n)
	if err != nil {
		return nil, err
	}
	var entries []ledger.Entry
	for _, token := range cat.On(n.Name) {
		held, err := n.Holder.Holdings(ctx, token.Symbol, []string{n.Hot}, before)
		if err != nil {
			return nil, fmt.Errorf("hot wallet of %s: %w", n.Name, err)
		}
		if held[0].IsPositive() {
			entries = append(entries, ledger.TreasuryOpened(n.Name, n.Chain(), token.BalanceKey, held[0]))
		}
	}
	return entries, nil
}
