package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/tasks"
)

// TestAWalletWaitsForItsNetworks: what was paid in time clears a revocation, though its network was not followed when the
// time came.
//
// Covers addendum §9: Inactivity
func TestAWalletWaitsForItsNetworks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	wallet := w.wallet("Tron", "customer-7")
	idle := w.wallet("Tron", "customer-8")
	w.pays("Tron", "USDT", wallet.Wallet, "10")
	_, err := w.chain.Mine(t.Context(), "Tron", 1)
	require.NoError(t, err)
	w.exec("update wallets set revoke_at = now()")
	w.exec("update followers set passed_until = now() - interval '1 hour'")
	revoke := func() (customers []string) {
		t.Helper()
		w.only(t.Context(), tasks.RevokeWallets)
		require.NoError(t, w.db.NewRaw("select customer_info from wallets where status = 'STATUS_REVOKED'").Scan(t.Context(), &customers))
		return customers
	}
	require.Empty(t, revoke())
	w.exec("update followers set passed_until = (select min(revoke_at) from wallets) - interval '1 second'")
	require.Empty(t, revoke())
	w.mine("Tron", 5)
	w.equal("10", w.balance("USDT").Available)
	require.Equal(t, []string{idle.CustomerInfo}, revoke())
}
