package workers

import "context"

// revokeWallets announces the revocation of fixed wallets, and revokes those whose time has come, once their networks were
// followed up to it (addendum §9).
func (w *Workers) revokeWallets(ctx context.Context) error {
	var networks, families []string
	for _, n := range w.Networks.All() {
		networks, families = append(networks, n.Name), append(families, string(n.Family))
	}
	return w.Store.RevokeWallets(ctx, networks, families)
}
