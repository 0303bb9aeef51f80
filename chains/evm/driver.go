package evm

import (
	"context"
	"errors"
	"time"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Driver registers the EVM networks.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.EVM}, Read: configure, Public: public}

// kind is the Kind of EVM networks.
const kind = "evm"

// bumpAfter is how long a transaction may wait in the mempool before its fee is raised.
const bumpAfter = 3 * time.Minute

// public returns the extended public key of the account of all EVM networks (Config.XPub).
func public(seed []byte, _ pay.Family) (string, error) {
	return addresses.AccountXPub(seed, AccountPath)
}

// configure reads one network of NETWORKS_FILE.
func configure(network string, part chains.Part) (*chains.Configured, error) {
	config, err := Read(network, part)
	if err != nil {
		return nil, err
	}
	out := &chains.Configured{Name: network, Kind: kind, ChainID: config.ChainID, Tokens: map[string]chains.Token{}, Cold: config.Cold,
		Elsewhere: config.Signer != nil, Nodes: config.RPC, Settings: config.withoutNodes(), Open: config.open}
	for symbol, t := range config.Tokens {
		out.Tokens[symbol] = chains.Token{Symbol: symbol, Contract: t.Contract, Decimals: int(t.Decimals)}
	}
	return out, nil
}

// Read reads the part of NETWORKS_FILE on one network over its defaults, and validates it.
func Read(network string, part chains.Part) (Config, error) {
	config := Defaults(network)
	if err := part.Decode(&config); err != nil {
		return Config{}, err
	}
	if config.Network != network {
		return Config{}, errors.New("network: says another name")
	}
	if part.Has("rule") && !part.Has("credit_by_amount") { // the file's own rule is for all amounts
		config.CreditByAmount = nil
	}
	n, _ := pay.NetworkNamed(network)
	return config, config.validate(n)
}

// open opens the network, in a process that signs with the keys of the seed, or of its signer.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c.watching(with.Tokens), with.Log)
	if err != nil {
		return nil, err
	}
	out := connector.Network()
	switch {
	case with.Signs && c.Signer != nil:
		out.Sender, out.SignsElsewhere = NewRemoteSender(connector, remotesigner.New(*c.Signer, with.Dir)), true
	case with.Signs && with.Seed != nil:
		if out.Sender, err = NewSender(connector, with.Seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// watching returns the settings with more tokens.
func (c Config) watching(more []chains.Token) Config {
	said := c.Tokens
	c.Tokens = make(map[string]Token, len(said)+len(more))
	for symbol, token := range said {
		c.Tokens[symbol] = token
	}
	for _, t := range more {
		c.Tokens[t.Symbol] = Token{Contract: t.Contract, Decimals: int32(t.Decimals)}
	}
	return c
}

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(c.cfg.Network)
	out := &chains.Network{Network: *n, Rule: c.Rule(), Kind: kind, ChainID: c.cfg.ChainID, BumpAfter: bumpAfter, StaleAfter: c.cfg.StaleAfter,
		Hot: c.Hot(), Cold: c.cold(), Collects: true, MoveCost: c.MoveCost, StartAt: c.cfg.Start, Caps: c.cfg.Caps, Nodes: c.node.Nodes, Replace: c.node.Replace, Addresser: c, Scanner: c, Watcher: c, Counter: c, Holder: c,
		Confirm: c.Confirm, Tokens: c, Called: called[c.cfg.ChainID], URI: c.uri, Explain: c.explain}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the head
	}
	if c.Misses() {
		out.Coins = c.Coins
	}
	return out
}
