package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/chains/seed"
	"causeway/internal/cli/settings"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// openNetworks opens every network: those of the networks file by their connectors, the rest as sandbox networks. Live
// books have no sandbox networks. The seed is opened only with signs, and if a network has its keys there.
func openNetworks(ctx context.Context, h *service, signs bool) (*chains.Registry, error) {
	if err := h.sameChains(ctx); err != nil {
		return nil, err
	}
	opened, err := h.liveNetworks(ctx, signs)
	if err != nil {
		return nil, fmt.Errorf("NETWORKS_FILE: %w", err)
	}
	if !h.live() {
		if err := h.simulate(ctx, opened, signs); err != nil {
			return nil, err
		}
	}
	all := make([]*chains.Network, 0, len(opened))
	for _, n := range pay.Networks {
		if opened[n.Name] != nil {
			all = append(all, opened[n.Name])
		}
	}
	return chains.NewRegistry(all...)
}

// sameChains refuses a network if these books have followed another chain by its name: the new blocks would look like a
// reorganisation, and the new money like the other chain's. No node is asked.
func (h *service) sameChains(ctx context.Context) error {
	followed, err := h.store.Chains(ctx)
	if err != nil {
		return err
	}
	here := map[string]*chains.Network{}
	for _, c := range h.file.Live {
		here[c.Name] = &chains.Network{Kind: c.Kind, ChainID: c.ChainID}
	}
	for _, n := range pay.Networks {
		if here[n.Name] == nil && !h.live() {
			here[n.Name] = &chains.Network{Kind: chains.Sandbox}
		}
		if was, is := followed[n.Name], here[n.Name]; was != "" && is != nil && is.Chain() != was {
			return fmt.Errorf("NETWORKS_FILE: network %s is %q here, and the books of %s have followed %q: another chain needs an empty database",
				n.Name, is.Chain(), h.settings.Named("DATABASE_URL"), was)
		}
	}
	return nil
}

// simulate opens every network not opened yet as a sandbox network.
func (h *service) simulate(ctx context.Context, opened map[string]*chains.Network, signs bool) error {
	var simulated []pay.Network
	for _, n := range pay.Networks {
		if opened[n.Name] == nil {
			simulated = append(simulated, n)
		}
	}
	if err := sandbox.Genesis(ctx, h.db, h.settings.SandboxFunds.Decimal, simulated...); err != nil {
		return err
	}
	seed := rand.Uint64() //nolint:gosec // of simulated faults: a process that is started again does not lose the same answers again
	for _, n := range sandbox.OpenAll(h.db, simulated, sandbox.Options{Signs: signs, Seed: seed}) {
		opened[n.Name] = n
	}
	return nil
}

// liveNetworks opens the networks of the file. Tokens missing in the file come from the catalogue: every token of payins
// is watched.
func (h *service) liveNetworks(ctx context.Context, signs bool) (map[string]*chains.Network, error) {
	file := h.file
	if len(file.Live) == 0 {
		return map[string]*chains.Network{}, nil
	}
	secret, err := openSeed(file.Signer, signs && file.NeedsSeed())
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	tokens, err := h.store.Tokens(ctx)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*chains.Network, len(file.Live))
	for _, c := range file.Live {
		named, contracts := catalogued(c, tokens)
		if out[c.Name], err = c.Open(ctx, chains.Opening{Tokens: named, Signs: signs, Seed: secret,
			Dir: filepath.Dir(h.settings.NetworksFile), Log: h.log}); err != nil {
			return nil, err
		}
		out[c.Name].Contracts = contracts
		h.recall(out[c.Name])
	}
	return out, nil
}

// recall has a connector find its place in the chain by the blocks in the books, and coins of ours by their ids.
func (h *service) recall(n *chains.Network) {
	if n.Apart != nil {
		n.Apart(func(ctx context.Context, height int64) ([]string, error) {
			return h.store.ApartCoins(ctx, n.Name, height)
		})
	}
	if n.Recall == nil {
		return
	}
	n.Recall(func(ctx context.Context) ([]chains.Mark, error) {
		blocks, err := h.store.BlocksBelow(ctx, n.Name, math.MaxInt64, store.Window)
		if err != nil {
			return nil, err
		}
		marks := make([]chains.Mark, len(blocks))
		for i, b := range blocks {
			marks[i] = chains.Mark{Height: b.Height, Hash: b.Hash}
		}
		return marks, nil
	})
}

// catalogued returns the catalogue's tokens of a network and their contracts by symbol, without those named in the file itself.
func catalogued(c *chains.Configured, tokens []pay.Token) (named []chains.Token, contracts map[string]string) {
	contracts = map[string]string{}
	for _, t := range tokens {
		if _, said := c.Tokens[t.Symbol]; t.Network != c.Name || t.Contract == "" || said {
			continue
		}
		named = append(named, chains.Token{Symbol: t.Symbol, Contract: t.Contract, Decimals: t.Decimals})
		contracts[t.Symbol] = t.Contract
	}
	return named, contracts
}

// openSeed reads the seed where this process signs with its keys.
func openSeed(f settings.SignerFiles, needed bool) ([]byte, error) {
	if !needed || f.SeedFile == "" {
		return nil, nil
	}
	passphrase, err := seed.ReadPassphrase(f.PassphraseFile)
	if err != nil {
		return nil, fmt.Errorf("signer: %w", err)
	}
	secret, err := seed.Open(f.SeedFile, passphrase)
	if err != nil {
		return nil, fmt.Errorf("signer: seed_file: %w", err)
	}
	return secret, nil
}
