package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/pay"
)

// furnishNode makes the books of Bitcoin, which go live, and those of the sandbox beside them. Half of the load goes to each.
func (t *torture) furnishNode(ctx context.Context) (err error) {
	t.payouts, t.payins, t.transfers = t.payouts/2, t.payins/2, t.transfers/2
	if t.node, err = t.startNode(); err != nil {
		return err
	}
	if err := t.nameNode(ctx); err != nil {
		return err
	}
	if err := t.node.endow(); err != nil {
		return err
	}
	t.node.grow(context.WithoutCancel(ctx))
	if _, err := t.db.NewRaw("create database sandbox").Exec(ctx); err != nil {
		return err
	}
	t.beside = &torture{options: t.options, stack: t.stack, version: t.version, key: t.key, networksFile: t.networksFile, tally: t.tally, started: t.started,
		sandbox: true}
	if err := t.beside.connect(t.sandboxDatabase()); err != nil {
		return err
	}
	if err := errors.Join(t.db.Close(), t.connect(withParameter(t.stack.DatabaseURL, "search_path", "seen,public"))); err != nil {
		return err
	}
	t.world = t.node
	// One network has it all, and a step of its follower takes several answers.
	t.reorg, t.lose = 4*t.reorg, (t.lose+3)/4
	return nil
}

// nameNode makes a seed and the file of networks.
func (t *torture) nameNode(ctx context.Context) error {
	passphrase, seedFile := filepath.Join(t.data, "passphrase"), filepath.Join(t.data, "seed.json")
	if err := os.Remove(seedFile); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err // of an earlier run
	}
	if err := os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600); err != nil {
		return err
	}
	var seed struct {
		XPubs map[pay.Family]string `json:"xpubs"`
	}
	if err := t.command(ctx, &seed, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase); err != nil {
		return err
	}
	cfg := utxo.Defaults(network)
	cfg.RPC, cfg.Chain, cfg.XPub = nodes.Addresses{t.node.wire.url}, "regtest", seed.XPubs[pay.Bitcoin]
	connector, err := utxo.Open(ctx, cfg, nil)
	if err != nil {
		return err
	}
	defer connector.Close()
	t.node.hot = connector.Hot()
	t.networksFile = filepath.Join(t.data, "networks.yaml")
	return os.WriteFile(t.networksFile, fmt.Appendf(nil, `networks:
  %s:
    rpc: %s
    chain: regtest
    xpub: %s
    rule: {credit: %d, final: %d}
    batch_every: 1s
    timeout: 5s
    stale_after: 0s
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, network, t.node.wire.url, cfg.XPub, creditAt, finalAt), 0o600)
}

// endow gives the hot wallet more than the storm can pay out, before anybody looks: the first step of the follower books what is there.
func (r *real) endow() error {
	const coins, value = 20, 5 * 1e8
	script, err := addresses.Script(network, r.hot)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for range coins {
		r.node.Send(r.hand, bitcoind.Output{Script: script, Value: value})
	}
	r.node.Mine(r.hand, 2*finalAt)
	return nil
}

func (t *torture) sandboxDatabase() string {
	address, err := url.Parse(t.stack.DatabaseURL)
	if err != nil {
		panic(err) // our own server's
	}
	address.Path = "/sandbox"
	return address.String()
}

func (t *torture) sandboxRedis() string { return strings.TrimSuffix(t.stack.RedisURL, "/0") + "/1" }

func withParameter(address, name, value string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		panic(err) // our own server's
	}
	query := parsed.Query()
	query.Set(name, value)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}
