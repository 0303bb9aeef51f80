package admin

import (
	"context"

	"causeway/internal/store"
)

// LostSpends lists spends of hot wallets for no known payout, until an operator explains them.
func (a *Admin) LostSpends(ctx context.Context) ([]store.UnknownSpend, error) {
	return a.Store.LostSpends(ctx)
}
