package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"causeway/admin"
	"causeway/migrations"
	"causeway/vault"
)

// watched is a program at whose standard error a person looks.
func watched() (*program, *bytes.Buffer) {
	var out bytes.Buffer
	p := newProgram(nil, io.Discard, &out)
	p.stderr.live = true
	return p, &out
}

func TestProgressTellsWhatAndHowFar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, out := watched()
		shown := func() string { // what is written meanwhile is written under the same lock
			p.stderr.mu.Lock()
			defer p.stderr.mu.Unlock()
			return out.String()
		}
		p.tell("counting")
		d := p.now
		<-time.After(progressAfter - time.Millisecond) // by the clock of the bubble
		require.Empty(t, shown(), "what is done soon shows nothing")
		<-time.After(2 * time.Second)
		synctest.Wait()
		require.Contains(t, shown(), wipe+"counting … 2 s")
		d.at("asking the networks", 3, 24)
		<-time.After(time.Second)
		synctest.Wait()
		require.Contains(t, shown(), wipe+"asking the networks, 3 of 24 … 3 s")
		fmt.Fprintln(p.stderr, "a line of the log")
		require.True(t, strings.HasSuffix(shown(), wipe+"a line of the log\nasking the networks, 3 of 24 … 3 s"), "%q", shown())
		d.at(strings.Repeat("long ", 100), 0, 0)
		<-time.After(time.Second)
		synctest.Wait()
		require.True(t, strings.HasSuffix(shown(), wipe+strings.Repeat("long ", 15)+"long"), "%q", shown())
		d.end()
		require.True(t, strings.HasSuffix(shown(), wipe), "nothing is left of it")
	})
}

func TestProgressIsQuiet(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*program{
		"asked to be": {quiet: true, stderr: &screen{out: io.Discard, live: true}},
		"no terminal": newProgram(nil, io.Discard, new(bytes.Buffer)),
		"a file":      newProgram(nil, io.Discard, tempFile(t)),
	} {
		p.tell("counting")
		require.Nil(t, p.now, name)
		p.now.at("on", 1, 2)
		p.now.end()
	}
}

func tempFile(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Create(t.TempDir() + "/stderr")
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// A terminal is known as one, unless it is a dumb one.
func TestScreenKnowsATerminal(t *testing.T) {
	t.Parallel()
	us, them, err := pty.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = us.Close(), them.Close() })
	require.True(t, newScreen(them, []string{"TERM=xterm"}).live)
	require.False(t, newScreen(them, []string{"TERM=dumb"}).live)
}

// The line stands on a terminal while a job waits for a worker that there is not, and with --quiet it does not.
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
		code := Run(t.Context(), []string{"run", "cleanup", "--timeout", "1500ms", "--data-dir", e.dir, c.flag}, io.Discard, them)
		require.Equal(t, exitFailed, code)
		require.NoError(t, them.Close())
		seen, _ := io.ReadAll(us) // a terminal that is gone ends with an error
		require.NoError(t, us.Close())
		require.Equal(t, c.shown, strings.Contains(string(seen), wipe+"waiting for a worker to do cleanup … 1 s"), "%q", seen)
		require.Contains(t, string(seen), "causeway: no worker has done cleanup within 1.5s")
	}
}

// heard is what was told, in its order.
type heard []string

func (h *heard) told(what string, done, total int) {
	*h = append(*h, fmt.Sprintf("%s, %d of %d", what, done, total))
}

func TestWhatTakesLongTellsHowFarItIs(t *testing.T) {
	t.Parallel()
	e := newWorkingSite(t)
	var steps heard
	require.NoError(t, migrations.Down(t.Context(), e.db))
	require.NoError(t, migrations.Up(t.Context(), e.db, steps.told))
	all, err := migrations.Status(t.Context(), e.db)
	require.NoError(t, err)
	require.Len(t, steps, len(all))
	last := len(all) - 1
	require.Equal(t, fmt.Sprintf("schema step %s, %d of %d", all[last].Name, last, len(all)), steps[last])

	e.merchant()
	e.merchant()
	s, err := newProgram(nil, io.Discard, io.Discard).at(e.dir).settings(roleSettings...)
	require.NoError(t, err)
	h, err := openHouse(t.Context(), s, io.Discard, false)
	require.NoError(t, err)
	t.Cleanup(func() { _ = h.close() })
	var sealed heard
	fresh := vault.New(make([]byte, vault.KeySize), s.SecretsKey...)
	_, err = (&admin.Admin{Store: h.store, Vault: fresh, Actor: "test", Told: sealed.told}).Reseal(t.Context())
	require.NoError(t, err)
	require.Equal(t, heard{"sealing secrets again, 0 of 2", "sealing secrets again, 1 of 2"}, sealed)

	var compared heard
	w := h.workers()
	w.Told = compared.told
	require.NoError(t, w.Recount(t.Context()))
	_, err = w.Reconcile(t.Context())
	require.NoError(t, err)
	networks := len(h.networks.All())
	require.Equal(t, "comparing the ledger with itself, 0 of 0", compared[len(compared)-networks-2])
	require.Equal(t, fmt.Sprintf("asking the networks, %d of %d", networks, networks), compared[len(compared)-1])
}

// at is a program beside a data directory.
func (p *program) at(dir string) *program {
	p.dataDir = dir
	return p
}
