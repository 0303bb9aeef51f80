package store_test

import (
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// Only a claim of the books deletes these rows: an attacker with the rights of a process would want to.
func TestNetworksAreForgottenByAClaimAlone(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	ref := []uuid.UUID{guardedID}
	require.ErrorContains(t, s.Unfollow(t.Context(), []string{"Tron"}, "network.follow", ref), "who makes the books live alone")
	claim := func(tx *store.Store) error {
		_, _, err := tx.ClaimBooks(t.Context(), store.LiveBooks)
		require.NoError(t, err)
		return tx.Unfollow(t.Context(), []string{"Tron"}, "network.follow", ref)
	}
	require.NoError(t, s.InTx(t.Context(), claim))
	require.Error(t, s.InTx(t.Context(), claim), "the books were live before")
}

// Every table naming a network is forgotten with its networks, or is named here with the reason for keeping it.
func TestEveryTableOfANetworkIsForgotten(t *testing.T) {
	t.Parallel()
	kept := map[string]string{
		"tokens":                "the catalogue is the same for real networks",
		"merchant_networks":     "what a merchant pays is the same",
		"payins":                "books that have any do not become live",
		"payouts":               "books that have any do not become live",
		"refunds":               "each is of a payin",
		"wallet_paid":           "books that have any payout do not become live",
		"wallet_holdings":       "each is of a look, and is forgotten with it",
		"signed_transactions":   "each is of a payout",
		"contrary_transactions": "each is of a payout",
		"list_counts":           "each counts payins, payouts or their movements",
		"list_changes":          "each counts payins, payouts or their movements",
		"transfers":             "forgotten, but for the treasury's, which the ledger's check asks for",
		"asides":                "in no block any more: the ledger's check asks for them",
		"postings":              "the ledger keeps all; what is held is written off",
		"sandbox_networks":      "sandbox.Forget",
		"sandbox_forks":         "sandbox.Forget",
		"sandbox_holdings":      "sandbox.Forget",
		"sandbox_transactions":  "sandbox.Forget",
		"sandbox_spent":         "sandbox.Forget",
	}
	var forgets string
	require.NoError(t, testkit.DB(t).NewRaw("select prosrc from pg_proc where proname = 'forget_networks'").Scan(t.Context(), &forgets))
	for _, found := range regexp.MustCompile(`delete from (\w+) where network = any\(names\);`).FindAllStringSubmatch(forgets, -1) {
		require.NotContains(t, kept, found[1])
		kept[found[1]] = "forgotten"
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
