package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/tasks"
)

// TestAWalletWaitsForItsNetworks: a payment in time clears a revocation, though its network was not followed when the time came.
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

// TestAWalletWaitsForANetworkThatThisWorkerDoesNotKnow: while a networks file is rolled out, another worker may follow a network with
// a payment in time to the wallet.
//
// Covers addendum §9: Inactivity
func TestAWalletWaitsForANetworkThatThisWorkerDoesNotKnow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		network, seen string
		revoked       bool
	}{
		"another of its type, followed elsewhere":       {"Polygon", "9 minutes", false},
		"another of its type, that nobody follows":      {"Polygon", "10 minutes", true},
		"one of another type":                           {"Tron", "0", true},
		"one that is not in the catalogue of this one":  {"Novum", "9 minutes", false},
		"one that was in the catalogue of a former one": {"Antiquum", "10 minutes", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.wallet("Ethereum", "customer-7")
			w.mine("Ethereum", 1)
			w.exec("update followers set passed_until = now()")
			w.exec("update wallets set revoke_at = now() - interval '1 second'")
			w.exec("insert into followers (network, passed_until, updated_at) values (?, now() - interval '1 hour', now() - ?::interval)",
				c.network, c.seen)
			w.only(t.Context(), tasks.RevokeWallets)
			var revoked bool
			require.NoError(t, w.db.NewRaw("select status = 'STATUS_REVOKED' from wallets").Scan(t.Context(), &revoked))
			require.Equal(t, c.revoked, revoked)
		})
	}
}
