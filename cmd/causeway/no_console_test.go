package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
	"causeway/migrations"
)

// A process logged in as its own role has no console, prints no link for a first operator, and keeps pages of operators shut. With
// the operator's address beside its own it has one. A user with another role cannot start it.
//
// Covers operator §Database roles: The console acts as the operator
// Covers operator §Settings: OPERATOR_DATABASE_URL
func TestAProcessThatMayNotActAsTheOperatorHasNoConsole(t *testing.T) {
	t.Parallel()
	const password = "a-password-of-some-length"
	server := testkit.PrivateStack(t)
	owner, err := pg.Open(server.DatabaseURL, 2)
	require.NoError(t, err)
	require.NoError(t, migrations.UpFor(t.Context(), owner, migrations.Roles{Prefix: migrations.DefaultPrefix,
		Passwords: map[migrations.Role]string{migrations.WorkerRole: password, migrations.OperatorRole: password}}))
	require.NoError(t, owner.Close())
	user := func(role migrations.Role) string {
		address, err := url.Parse(server.DatabaseURL)
		require.NoError(t, err)
		address.User = url.UserPassword(migrations.RoleName(migrations.DefaultPrefix, role), password)
		return address.String()
	}
	opened := func(as migrations.Role, more ...string) (*service, error) {
		environ := append([]string{"DATABASE_URL=" + user(migrations.WorkerRole), "REDIS_URL=" + testkit.RedisURL(t),
			"SECRETS_KEY=" + commandtest.SecretsKey}, more...)
		s, err := newProgram(environ, io.Discard, io.Discard).at(t.TempDir()).Settings(settings.OfRoles...)
		require.NoError(t, err)
		return openService(t.Context(), s, t.Output(), as)
	}
	for operator, want := range map[string]map[string]int{
		"": {"/console/": http.StatusForbidden, "/queues/": http.StatusForbidden, "/debug/pprof/": http.StatusForbidden, "/healthz": http.StatusOK},
		"OPERATOR_DATABASE_URL=" + user(migrations.OperatorRole): {"/console/login": http.StatusOK, "/healthz": http.StatusOK},
	} {
		h, err := opened(migrations.WorkerRole, operator)
		require.NoError(t, err)
		desk := h.console()
		require.Equal(t, operator != "", desk != nil)
		port := h.operatorHandler(desk)
		for path, status := range want {
			w := httptest.NewRecorder()
			port.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
			require.Equal(t, status, w.Code, "%s, %q", path, operator)
		}
		require.NoError(t, h.tellFirst(t.Context(), desk, "127.0.0.1:1"))
		require.NoError(t, port.Close())
		require.NoError(t, h.close())
	}
	_, err = opened(migrations.SignerRole)
	require.ErrorIs(t, err, connect.ErrNotTheRole)
}
