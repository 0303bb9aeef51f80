package pg_test

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
)

// TestConnectionsHaveWhatStatementsRelyOn: no setting of the server or the address changes it.
func TestConnectionsHaveWhatStatementsRelyOn(t *testing.T) {
	t.Parallel()
	for commit, want := range map[string]string{"off": "on", "local": "local"} {
		u, err := url.Parse(testkit.DSN(t))
		require.NoError(t, err)
		q := u.Query()
		for name, value := range map[string]string{"jit": "on", "timezone": "Asia/Tokyo", "plan_cache_mode": "auto",
			"default_transaction_isolation": "serializable", "synchronous_commit": commit} {
			q.Set(name, value)
		}
		u.RawQuery = q.Encode()
		db, err := pg.Open(u.String(), 1)
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close() })
		var got string
		require.NoError(t, db.NewRaw(`select string_agg(current_setting(name), ', ' order by name) from unnest(array['jit', 'plan_cache_mode',
			'synchronous_commit', 'timezone', 'transaction_isolation']) as name`).Scan(t.Context(), &got))
		require.Equal(t, "off, force_generic_plan, "+want+", UTC, read committed", got)
	}
}
