package monero

import (
	"context"
	"errors"

	"filippo.io/edwards25519"

	"causeway/chains"
	"causeway/internal/pay"
)

// Driver registers Monero.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.Monero}, Read: configure, Public: public}

// kind is the Kind of the network.
const kind = "monero"

// The chain ids of the family.
const (
	mainID    = 18 // the network byte of main addresses
	regtestID = 1<<32 | mainID
)

// public returns the main address and the secret view key (Config.View).
func public(seed []byte, _ pay.Family) (string, error) {
	spend, seen, err := keysOf(seed)
	if err != nil {
		return "", err
	}
	spend.Set(edwards25519.NewScalar())
	return seen.text(), nil
}

// configure reads the part of NETWORKS_FILE.
func configure(network string, part chains.Part) (*chains.Configured, error) {
	config := Defaults()
	if err := part.Decode(&config); err != nil {
		return nil, err
	}
	if config.Network != network {
		return nil, errors.New("network: says another name")
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &chains.Configured{Name: network, Kind: kind, ChainID: config.chainID(), Tokens: map[string]chains.Token{}, Nodes: config.RPC,
		Settings: config.withoutNodes(), Open: config.open}, nil
}

// withoutNodes are all settings that hold from a start on.
func (c Config) withoutNodes() Config {
	c.RPC = nil
	return c
}

// open opens the network, with the spend key where there is a seed.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c, with.Log)
	if err != nil {
		return nil, err
	}
	out := connector.Network()
	if with.Signs && with.Seed != nil {
		sender, err := NewSender(connector, with.Seed)
		if err != nil {
			return nil, err
		}
		out.Sender = sender
		out.Reach = sender.showing(context.WithoutCancel(ctx))
	}
	return out, nil
}

func (c Config) chainID() uint64 {
	if c.Chain == regtestChain {
		return regtestID
	}
	return mainID
}

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: c.cfg.depths().Rule(c.cfg.Rule.Credit, c.cfg.Rule.Final), Kind: kind, ChainID: c.cfg.chainID(),
		Exclusion: chains.ByCoins, Batch: c.cfg.Batch, BatchEvery: c.cfg.BatchEvery, StaleAfter: c.cfg.StaleAfter, StartAt: c.cfg.Start,
		Hot: c.view.main, Caps: c.cfg.Caps, Nodes: c.node.Nodes, Replace: c.node.Replace, Addresser: c, Scanner: c, Mempool: c, Watcher: c, Holder: c,
		Unspent: c.Unspent, MoveCost: c.MoveCost, CoinCost: c.CoinCost, Reach: c.Reach,
		URI: chains.CoinURI("monero", "tx_amount", ""), Explain: c.explain}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the head
	}
	return out
}
