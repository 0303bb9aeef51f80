package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/connect"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
	"causeway/migrations"
)

// A role starting on live books warns in its log of a PostgreSQL able to lose commits, and /health does too; it stops
// nothing. The PostgreSQL of the tests is able to.
//
// Covers operator §Settings: DATABASE_URL
func TestAPostgresThatForgetsIsTold(t *testing.T) {
	t.Parallel()
	e := newWorkingSite(t)
	const forgets = "DATABASE_URL: this PostgreSQL may lose in a crash what it has committed, and what is lost may be paid twice; off, and should be on: "
	started := func(environ ...string) (log, health string) {
		s, err := newProgram(environ, io.Discard, io.Discard).at(e.Dir).Settings(settings.OfRoles...)
		require.NoError(t, err)
		var logged bytes.Buffer
		h, err := openService(t.Context(), s, &logged, migrations.WorkersRole)
		require.NoError(t, err)
		desk := h.console()
		desk.LiveBooks = false // nobody can log in here
		port := h.operatorHandler(desk)
		w := httptest.NewRecorder()
		port.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/health", nil))
		require.NoError(t, port.Close())
		require.NoError(t, h.close())
		return logged.String(), w.Body.String()
	}
	log, health := started()
	require.NotContains(t, log+health, forgets, "a trial may")
	log, health = started("NETWORKS_FILE=" + besideFile(t))
	require.Contains(t, log, forgets+"fsync, full_page_writes")
	require.Contains(t, health, forgets+"fsync, full_page_writes")

	durable := testkit.PrivateStack(t)
	db, err := pg.Open(durable.DatabaseURL, 1)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	require.NoError(t, connect.Forgets(t.Context(), &settings.Settings{}, db))
	require.NoError(t, durable.Stop())
	require.NoError(t, connect.Forgets(t.Context(), &settings.Settings{}, db), "nobody answers")
}
