package admin

import (
	"context"

	"causeway/store"
)

// Networks lists how far each network is followed, and which are halted.
func (a *Admin) Networks(ctx context.Context) ([]store.FollowerVitals, error) {
	return a.Store.FollowerVitals(ctx)
}

// LostSpends lists what left hot wallets for no payout that is known, until somebody says what it was.
func (a *Admin) LostSpends(ctx context.Context) ([]store.UnknownSpend, error) {
	return a.Store.LostSpends(ctx)
}
