package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// Any process may be the first to start with live prices: it drops the fixed ones, those under a pin included.
//
// Covers operator §Database roles: Each has the rights
func TestEveryProcessMayDropTheFixedPrices(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	for _, role := range []migrations.Role{migrations.APIRole, migrations.WorkerRole, migrations.SignerRole, migrations.SchedulerRole} {
		exec(t, db, "delete from prices")
		exec(t, db, "insert into prices (base, quote, price, source, pinned, fixed) values ('BTC', 'USD', 1, 'pin', true, 2), ('ETH', 'USD', 1, 'fixed', false, null)")
		dropped, err := store.New(testkit.DBAs(t, role)).DropFixedPrices(t.Context())
		require.NoError(t, err, role)
		require.Equal(t, int64(1), dropped, role)
		var left []string
		require.NoError(t, db.NewRaw("select base || ' ' || (fixed is null) from prices").Scan(t.Context(), &left))
		require.Equal(t, []string{"BTC true"}, left, role)
	}
}
