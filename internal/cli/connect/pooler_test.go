package connect_test

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// A process goes through a pooler as its role, and is refused with one line where it cannot.
//
// Covers operator §Database roles: Every role but migrate
func TestThroughAPooler(t *testing.T) {
	t.Parallel()
	at, err := url.Parse(testkit.DSN(t))
	require.NoError(t, err)
	db, owner, database := testkit.DB(t), at.User.Username(), testkit.DatabaseName(t)
	prefix := "pooled" + strings.ToLower(rand.Text())
	api := migrations.RoleName(prefix, migrations.APIRole)
	roles := migrations.Roles{Prefix: prefix, Passwords: map[migrations.Role]string{migrations.APIRole: "a-password-of-some-length"}}
	direct, err := connect.Database(t.Context(), &settings.Settings{DatabaseURL: settings.DatabaseURL(testkit.DSN(t))}, connect.MigrationPool)
	require.NoError(t, err)
	require.NoError(t, migrations.UpFor(t.Context(), direct, roles))
	require.NoError(t, direct.Close())
	t.Cleanup(func() {
		for _, role := range []migrations.Role{migrations.DevRole, migrations.WorkersRole, migrations.OperatorRole, migrations.SchedulerRole,
			migrations.SignerRole, migrations.WorkerRole, migrations.APIRole} {
			name := migrations.RoleName(prefix, role)
			_, err := db.NewRaw("drop owned by " + name + "; drop role " + name).Exec(context.WithoutCancel(t.Context()))
			require.NoError(t, err)
		}
	})
	pooler := testkit.Pooler(t, 1, owner, api)
	as := func(user string, role migrations.Role) error {
		s := &settings.Settings{DatabaseURL: settings.DatabaseURL(pooler.URL(user, database))}
		require.NoError(t, s.DatabaseRoles.UnmarshalText([]byte(prefix)))
		db, err := connect.SchemaAs(t.Context(), s, role, connect.PoolSize)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = store.New(db).Books(t.Context())
		return err
	}
	require.NoError(t, as(api, migrations.APIRole))
	for user, role := range map[string]migrations.Role{owner: migrations.APIRole, api: migrations.SignerRole} {
		err := as(user, role)
		require.ErrorIs(t, err, connect.ErrNotTheRole, "a process goes on without its console")
		require.ErrorContains(t, err, "cannot be used: a pooler stands before this PostgreSQL, where "+user+" cannot become "+
			migrations.RoleName(prefix, role)+": log in as the role itself (DATABASE_PASSWORDS)")
	}
	_, err = connect.Database(t.Context(), &settings.Settings{DatabaseURL: settings.DatabaseURL(pooler.URL(owner, database))}, connect.MigrationPool)
	require.ErrorContains(t, err, "alter role "+owner+" set jit = 'off'")
}
