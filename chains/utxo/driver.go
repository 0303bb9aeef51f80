package utxo

import (
	"context"
	"errors"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Driver registers Bitcoin and its kin.
var Driver = chains.Driver{Kind: kind, Families: families(), Read: configure, Public: public}

// kind is the Kind of the networks.
const kind = "utxo"

// The chain ids of the family are the numbers of SLIP 44, hardened as in its paths. A regtest chain has another bit set.
const (
	mainIDs    = 1 << 31
	regtestIDs = 3 << 30
)

// public returns the extended public key of the account of a family (Config.XPub).
func public(seed []byte, family pay.Family) (string, error) {
	for _, n := range pay.Networks {
		if c := coins[n.Name]; c != nil && n.Family == family {
			return addresses.AccountXPub(seed, c.account)
		}
	}
	return "", addresses.ErrNetwork
}

// configure reads one network of NETWORKS_FILE.
func configure(network string, part chains.Part) (*chains.Configured, error) {
	config := Defaults(network)
	if err := part.Decode(&config); err != nil {
		return nil, err
	}
	if config.Network != network {
		return nil, errors.New("network: says another name")
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	return &chains.Configured{Name: network, Kind: kind, ChainID: config.chainID(), Tokens: map[string]chains.Token{}, Cold: config.Cold,
		Elsewhere: config.Signer != nil, Nodes: config.RPC, Settings: config.withoutNodes(), Open: config.open}, nil
}

func (c Config) chainID() uint64 {
	if c.Chain == regtestChain {
		return regtestIDs | uint64(coins[c.Network].slip)
	}
	return mainIDs | uint64(coins[c.Network].slip)
}

// open opens the network, in a process that signs with the keys of the seed, or of its signer.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c, with.Log)
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

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(c.cfg.Network)
	out := &chains.Network{Network: *n, Rule: c.cfg.rule(), Kind: kind, ChainID: c.cfg.chainID(),
		Exclusion: chains.ByCoins, Batch: c.cfg.Batch, BatchEvery: c.cfg.BatchEvery, BumpAfter: c.coin.bump, StaleAfter: c.cfg.StaleAfter, Hot: c.hot, StartAt: c.cfg.Start,
		Caps: c.cfg.Caps, Nodes: c.nodes.Nodes, Replace: c.nodes.Replace, Addresser: c, Scanner: c, Mempool: c, Watcher: c, Holder: c, Unspent: c.Unspent, MoveCost: c.MoveCost, CoinCost: c.CoinCost, URI: c.coin.uri(),
		Explain: c.explain}
	if c.cfg.Cold != "" {
		out.Cold = c.Match(c.cfg.Cold)
	}
	if !c.coin.segwit {
		out.Copy = c.Copy
	}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the head
	}
	return out
}
