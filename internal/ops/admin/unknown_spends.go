package admin

import (
	"context"

	"causeway/internal/store"
)

// LostSpends lists what left hot wallets for no payout that is known, until somebody says what it was.
func (a *Admin) LostSpends(ctx context.Context) ([]store.UnknownSpend, error) {
	return a.Store.LostSpends(ctx)
}
