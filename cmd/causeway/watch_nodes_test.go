package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sirupsen/logrus/hooks/test"

	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// countedNode is a node that is none: it counts questions, and answers none.
func countedNode(t *testing.T) (url string, asked *atomic.Int64) {
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/secret-key", asked
}

// watched is a process on a networks file, with Ethereum alone in it.
type watched struct {
	*nodesWatch
	path string
	said *test.Hook
}

func (w *watched) write(t *testing.T, rpc, more string) {
	t.Helper()
	text := fmt.Sprintf("networks: {Ethereum: {rpc: %s, chain_id: 31337, xpub: %s%s}}\n", rpc, testXPub, more)
	must(t, os.WriteFile(w.path, []byte(text), 0o600))
}

// lines returns what was logged since the last call.
func (w *watched) lines() string {
	var out strings.Builder
	for _, e := range w.said.AllEntries() {
		fmt.Fprintln(&out, e.Message, e.Data)
	}
	w.said.Reset()
	return out.String()
}

func watch(t *testing.T, rpc string) *watched {
	t.Helper()
	w := &watched{path: filepath.Join(t.TempDir(), "networks.yaml")}
	w.write(t, rpc, "")
	db := testkit.DB(t)
	log, said := test.NewNullLogger()
	s := &settings.Settings{NetworksFile: w.path, Drivers: drivers}
	file, err := s.ReadNetworks()
	must(t, err)
	h := &service{settings: s, file: file, books: store.DevBooks, log: log, db: db, store: store.New(db)}
	h.networks, err = openNetworks(t.Context(), h, false)
	must(t, err)
	w.nodesWatch, w.said = h.newNodesWatch(), said
	w.look()
	said.Reset()
	return w
}

// TestTheNodesOfARunningProcess: another list holds from the next question on. A file that is broken, or gone, changes nothing and is
// named once, and so is every other change of it. No line has an address.
//
// Covers operator §Settings: Another list in `rpc` holds
func TestTheNodesOfARunningProcess(t *testing.T) {
	t.Parallel()
	first, asksFirst := countedNode(t)
	second, asksSecond := countedNode(t)
	w := watch(t, first)
	n, _ := w.networks.Network("Ethereum")
	asks := func() (int64, int64) {
		before, after := asksFirst.Load(), asksSecond.Load()
		_, _ = n.Scanner.Head(t.Context(), -1)
		return asksFirst.Load() - before, asksSecond.Load() - after
	}
	w.look()
	if said := w.lines(); said != "" {
		t.Errorf("%s: nothing was changed", said)
	}
	w.write(t, second, "")
	w.look()
	if one, two := asks(); one != 0 || two == 0 {
		t.Errorf("%d and %d questions after the change, want none to the former node", one, two)
	}
	if said := w.lines(); !strings.Contains(said, "other nodes are asked from now on") || strings.Contains(said, "secret-key") {
		t.Error(said)
	}
	must(t, os.WriteFile(w.path, []byte("networks: {Ethereum: {rpc: "), 0o600))
	w.look()
	w.look()
	if said := w.lines(); strings.Count(said, "cannot be used: the former nodes are asked") != 1 || strings.Contains(said, "secret-key") {
		t.Error(said)
	}
	if _, two := asks(); two == 0 {
		t.Error("a broken file has taken the nodes away")
	}
	must(t, os.Remove(w.path))
	w.look()
	if said := w.lines(); strings.Count(said, "cannot be used") != 1 {
		t.Error(said)
	}
	w.write(t, "["+first+", "+second+"]", ", max_gas: 90000")
	w.look()
	if said := w.lines(); !strings.Contains(said, "changed beyond rpc") || !strings.Contains(said, "changed:Ethereum") || !strings.Contains(said, "nodes:2") {
		t.Error(said)
	}
	if one, two := asks(); one == 0 || two == 0 {
		t.Errorf("%d and %d questions, want both nodes to be asked", one, two)
	}
	w.said.Reset()
	w.write(t, "["+first+", "+second+"]", "")
	w.look()
	if said := w.lines(); said != "" {
		t.Errorf("%s: the settings are those of the process again", said)
	}
}

// TestTheNetworksFileIsWatched: the process reads it by itself.
//
// Covers operator §Settings: Another list in `rpc` holds
func TestTheNetworksFileIsWatched(t *testing.T) {
	t.Parallel()
	first, _ := countedNode(t)
	second, _ := countedNode(t)
	w := watch(t, first)
	go w.watchNodes(t.Context())
	w.write(t, "["+first+", "+second+"]", "")
	n, _ := w.networks.Network("Ethereum")
	testkit.Eventually(t, time.Minute, func() bool { return len(n.Nodes()) == 2 }, "the second node")
}
