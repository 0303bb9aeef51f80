package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// The API may make the commit that waits for a replica.
func TestConfirm(t *testing.T) {
	t.Parallel()
	db := testkit.DBAs(t, migrations.APIRole)
	require.NoError(t, store.New(db).Confirm(t.Context()))
	_, err := db.NewRaw("select pg_logical_emit_message(true, 'causeway', '')").Exec(t.Context())
	require.NoError(t, err)
}
