package main

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sirupsen/logrus/hooks/test"

	"causeway/chains"
	"causeway/internal/cli/command"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// testXPub is the public key of an account, as NETWORKS_FILE names one.
const testXPub = "xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz"

// A process serving other queues opens no seed, so it runs without one; a signer does not start.
//
// Covers operator §Roles: causeway worker
func TestOnlyWhoSignsOpensTheSeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "networks.yaml")
	text := "networks: {Ethereum: {rpc: 'http://127.0.0.1:1', chain_id: 31337, xpub: " + testXPub +
		"}}\nsigner: {seed_file: absent.json, passphrase_file: absent}\n"
	must(t, os.WriteFile(path, []byte(text), 0o600))
	db := testkit.DB(t)
	log, _ := test.NewNullLogger()
	s := &settings.Settings{NetworksFile: path, Drivers: drivers}
	file, err := s.ReadNetworks()
	must(t, err)
	h := &service{settings: s, file: file, books: store.DevBooks, log: log, db: db, store: store.New(db)}
	networks, err := openNetworks(t.Context(), h, false)
	must(t, err)
	for _, n := range networks.All() {
		if (n.StaleAfter == 0) != n.Simulated() {
			t.Errorf("%s may stand still for %v", n.Name, n.StaleAfter)
		}
		if n.Sender != nil {
			t.Errorf("%s can sign", n.Name)
		}
	}
	if _, err := openNetworks(t.Context(), h, true); err == nil || !strings.HasPrefix(err.Error(), "NETWORKS_FILE: ") {
		t.Errorf("with signatures, without a seed: %v", err)
	}
	for names, signs := range map[string]bool{"signing": true, "chain,webhooks,upkeep": false, "signing,chain": true} {
		asked := strings.Split(names, ",")
		served, err := queuesNamed(asked)
		if _, signing := served[tasks.Signing]; err != nil || signing != signs || len(served) != len(asked) {
			t.Errorf("--queues %q: %v, %v", names, served, err)
		}
	}
	if code := Run(t.Context(), []string{"worker", "--queues", ""}, io.Discard,
		io.Discard); code != command.ExitUsage { // not all of them: signing is one
		t.Errorf("--queues without a name: exit %d", code)
	}
}

// A worker opens no seed if each network has its keys behind a signer, although the file names one. With one network of the seed it
// must have it.
//
// Covers operator §Settings: A role needs no seed
func TestKeysElsewhereNeedNoSeed(t *testing.T) {
	t.Parallel()
	const elsewhere = "Ethereum: {rpc: 'http://127.0.0.1:1', xpub: " + testXPub + ", signer: {command: [sign]}}"
	for text, needs := range map[string]bool{
		"networks: {" + elsewhere + "}": false,
		"networks: {" + elsewhere + "}\nsigner: {seed_file: absent.json, passphrase_file: absent}":                                                            false,
		"networks: {" + elsewhere + ", Base: {rpc: 'http://127.0.0.1:1', xpub: " + testXPub + "}}\nsigner: {seed_file: absent.json, passphrase_file: absent}": true,
	} {
		path := filepath.Join(t.TempDir(), "networks.yaml")
		must(t, os.WriteFile(path, []byte(text), 0o600))
		db := testkit.DB(t)
		log, _ := test.NewNullLogger()
		s := &settings.Settings{NetworksFile: path, Drivers: drivers}
		file, err := s.ReadNetworks()
		must(t, err)
		h := &service{settings: s, file: file, books: store.LiveBooks, log: log, db: db, store: store.New(db)}
		if file.NeedsSeed() != needs {
			t.Errorf("%s: needs the seed: %v", text, file.NeedsSeed())
		}
		networks, err := openNetworks(t.Context(), h, true)
		if needs {
			if err == nil {
				t.Errorf("%s: without its seed", text)
			}
			continue
		}
		must(t, err)
		n, _ := networks.Network("Ethereum")
		if n.Sender == nil || !n.SignsElsewhere {
			t.Errorf("%s: no Sender", text)
		}
	}
}

// A worker of real networks on the signing queue has a key: without one it would fail the tasks of workers with one.
//
// Covers operator §Roles: causeway worker
func TestAWorkerWithoutASeedDoesNotSign(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.WithRedis()
	p, _, stderr := programIn(s.Dir, "NETWORKS_FILE="+besideFile(t))
	if code := p.run(t.Context(), []string{"worker", "--data-dir", s.Dir}); code != command.ExitFailed || !strings.Contains(stderr.String(), errNoSeed.Error()) {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// A process remembers its contracts from the catalogue, to notice a change there; the file's own contracts are not among
// them.
//
// Covers operator §Admin: Another contract
func TestContractsOfTheCatalogueAreRemembered(t *testing.T) {
	t.Parallel()
	tokens := []pay.Token{{Symbol: "USDT", Network: "Ethereum", Contract: "0x1"}, {Symbol: "USDC", Network: "Ethereum", Contract: "0x2"},
		{Symbol: "USDC", Network: "Base", Contract: "0x3"}, {Symbol: "ETH", Network: "Ethereum"}}
	configured := &chains.Configured{Name: "Ethereum", Tokens: map[string]chains.Token{"USDT": {Symbol: "USDT", Contract: "0x4"}}}
	watched, named := catalogued(configured, tokens)
	if !maps.Equal(named, map[string]string{"USDC": "0x2"}) {
		t.Errorf("the catalogue named %v", named)
	}
	if !slices.Equal(watched, []chains.Token{{Symbol: "USDC", Contract: "0x2"}}) {
		t.Errorf("watched are %v too", watched)
	}
}
