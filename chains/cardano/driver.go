package cardano

import (
	"context"
	"errors"
	"strings"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// Driver registers Cardano.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.Cardano}, Read: configure, Public: public}

// kind is the Kind of the network.
const kind = "cardano"

// public returns the extended public key of the account (Config.XPub).
func public(seed []byte, _ pay.Family) (string, error) {
	account, err := addresses.SoftAccount(seed, AccountPath)
	if err != nil {
		return "", err
	}
	defer account.Zero()
	return account.XPub(), nil
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
	return &chains.Configured{Name: network, Kind: kind, ChainID: uint64(config.Magic), Tokens: map[string]chains.Token{}, Cold: config.Cold,
		Nodes: config.RPC, Settings: config.withoutNodes(), Open: config.open}, nil
}

// open opens the network, with the keys of its account where there is a seed.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c, with.Log)
	if err != nil {
		return nil, err
	}
	out := connector.Network()
	if with.Signs && with.Seed != nil {
		if out.Sender, err = NewSender(connector, with.Seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: chains.Rule{Credit: c.cfg.Rule.Credit, Final: c.cfg.Rule.Final}, Kind: kind, ChainID: uint64(c.cfg.Magic),
		Exclusion: chains.ByCoins, Batch: c.cfg.Batch, BatchEvery: c.cfg.BatchEvery, StaleAfter: c.cfg.StaleAfter, StartAt: -1, Hot: c.hot, Caps: c.cfg.Caps,
		Nodes: c.nodes.Nodes, Replace: func(addresses []string) { c.nodes.Replace(addresses) }, Addresser: c, Scanner: c, Watcher: c, Holder: c, Unspent: c.Unspent, MoveCost: c.MoveCost, CoinCost: c.CoinCost, Recall: c.Recall, Apart: c.Apart,
		URI: uri, Explain: c.explain}
	if c.cfg.Cold != "" {
		out.Cold = c.Match(c.cfg.Cold)
	}
	return out
}

// uri is the form of CIP-13.
var uri = chains.CoinURI("web+cardano", "amount", "")

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}
