package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
	"causeway/internal/ops/admin"
	"causeway/internal/vault"
	"causeway/migrations"
)

// The line stands on a terminal while a job waits for a worker without any running, and with --quiet it does not.
//
// Covers operator §Help: What may take more than two seconds
func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	e := newWorkingSite(t)
	for _, c := range []struct {
		flag  string
		shown bool
	}{{"--quiet=false", true}, {"--quiet", false}} {
		us, them, err := pty.Open()
		require.NoError(t, err)
		code := Run(t.Context(), []string{"run", "cleanup", "--timeout", "1500ms", "--data-dir", e.Dir, c.flag}, io.Discard, them)
		require.Equal(t, command.ExitFailed, code)
		require.NoError(t, them.Close())
		seen, _ := io.ReadAll(us) // a closed terminal ends with an error
		require.NoError(t, us.Close())
		require.Equal(t, c.shown, strings.Contains(string(seen), "\r\x1b[K"+"waiting for a worker to do cleanup … 1 s"), "%q", seen)
		require.Contains(t, string(seen), "causeway: no worker has done cleanup within 1.5s")
	}
}

// heard is the progress told, in its order.
type heard []string

func (h *heard) told(what string, done, total int) {
	*h = append(*h, fmt.Sprintf("%s, %d of %d", what, done, total))
}

func TestWhatTakesLongTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	e := newWorkingSite(t)
	var steps heard
	require.NoError(t, migrations.Down(t.Context(), e.DB))
	require.NoError(t, migrations.Up(t.Context(), e.DB, steps.told))
	all, err := migrations.Status(t.Context(), e.DB)
	require.NoError(t, err)
	require.Len(t, steps, len(all))
	last := len(all) - 1
	require.Equal(t, fmt.Sprintf("schema step %s, %d of %d", all[last].Name, last, len(all)), steps[last])

	e.Merchant()
	e.Merchant()
	s, err := newProgram(nil, io.Discard, io.Discard).at(e.Dir).Settings(settings.OfRoles...)
	require.NoError(t, err)
	h, err := openService(t.Context(), s, io.Discard, migrations.OperatorRole)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.close() })
	var sealed heard
	fresh := vault.New(make([]byte, vault.KeySize), s.SecretsKey...)
	_, err = (&admin.Admin{Store: h.store, Vault: fresh, Actor: "test", Told: sealed.told}).Reseal(t.Context())
	require.NoError(t, err)
	require.Equal(t, heard{"sealing secrets again, 0 of 2", "sealing secrets again, 1 of 2"}, sealed)

	var compared heard
	w := h.workers().Reconcile
	w.Told = compared.told
	require.NoError(t, w.Recount(t.Context()))
	_, err = w.Report(t.Context())
	require.NoError(t, err)
	networks := len(h.networks.All())
	require.Equal(t, "comparing the ledger with itself, 0 of 0", compared[len(compared)-networks-2])
	require.Equal(t, fmt.Sprintf("asking the networks, %d of %d", networks, networks), compared[len(compared)-1])
}

// at is a program beside a data directory.
func (p *program) at(dir string) *program {
	p.DataDir = dir
	return p
}

// A role logs probable mistakes in its settings, as causeway config prints them.
func TestARoleLogsWarnings(t *testing.T) {
	t.Parallel()
	e := newWorkingSite(t)
	s, err := newProgram(nil, io.Discard, io.Discard).at(e.Dir).Settings(settings.OfRoles...)
	require.NoError(t, err)
	s.PriceSources = []string{"frankfurter"}
	var log bytes.Buffer
	h, err := openService(t.Context(), s, &log, migrations.WorkersRole)
	require.NoError(t, err)
	require.NoError(t, h.close())
	require.Contains(t, log.String(), `"level":"warning","msg":"PRICE_SOURCES names no source that has prices of tokens`)
}
