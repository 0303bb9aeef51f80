package upkeep

import (
	"context"

	"causeway/internal/pay"
)

// revokeWallets announces the revocation of fixed wallets, and revokes those due, once their networks were followed up to their time
// (addendum §9).
func (w *Worker) revokeWallets(ctx context.Context) error {
	followed, networks, families := []string{}, make([]string, len(pay.Networks)), make([]string, len(pay.Networks))
	for _, n := range w.Networks.All() {
		followed = append(followed, n.Name)
	}
	for i, n := range pay.Networks {
		networks[i], families[i] = n.Name, string(n.Family)
	}
	return w.Store.RevokeWallets(ctx, followed, networks, families)
}
