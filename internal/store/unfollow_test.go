package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// Every table that names a network is forgotten with its networks, or is named here with what keeps it.
func TestEveryTableOfANetworkIsForgotten(t *testing.T) {
	t.Parallel()
	kept := map[string]string{
		"tokens":                "the catalogue is the same for real networks",
		"merchant_networks":     "what a merchant pays is the same",
		"payins":                "books that have any do not become live",
		"payouts":               "books that have any do not become live",
		"signed_transactions":   "each is of a payout",
		"contrary_transactions": "each is of a payout",
		"list_counts":           "each counts payins, payouts or their movements",
		"list_changes":          "each counts payins, payouts or their movements",
		"transfers":             "forgotten, but for the treasury's, which the ledger's check asks for",
		"postings":              "the ledger keeps all; what is held is written off",
		"sandbox_networks":      "sandbox.Forget",
		"sandbox_forks":         "sandbox.Forget",
		"sandbox_holdings":      "sandbox.Forget",
		"sandbox_transactions":  "sandbox.Forget",
	}
	for _, table := range store.FollowedTables {
		require.NotContains(t, kept, string(table))
		kept[string(table)] = "forgotten"
	}
	var named []string
	require.NoError(t, testkit.DB(t).NewRaw(`select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
		where a.attname = 'network' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
			and c.relnamespace = 'public'::regnamespace`).Scan(t.Context(), &named))
	all := make([]string, 0, len(kept))
	for table := range kept {
		all = append(all, table)
	}
	require.ElementsMatch(t, all, named)
}
