package ripple

import (
	"context"
	"errors"
	"strings"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Driver registers Ripple.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.Ripple}, Read: configure, Public: public}

// kind is the Kind of the network.
const kind = "ripple"

// ahead is how many transactions of the hot wallet are signed before the first is in a ledger. A node's queue takes ten of an account.
const ahead = 8

// public returns the extended public key of the account (Config.XPub).
func public(seed []byte, _ pay.Family) (string, error) {
	return addresses.AccountXPub(seed, AccountPath)
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
	return &chains.Configured{Name: network, Kind: kind, ChainID: uint64(config.NetworkID), Tokens: map[string]chains.Token{}, Cold: config.Cold,
		Elsewhere: config.Signer != nil, Nodes: config.RPC, Settings: config.withoutNodes(), Open: config.open}, nil
}

// open opens the network, with the keys of its account where there is a seed.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c, with.Log)
	if err != nil {
		return nil, err
	}
	out := connector.Network()
	switch {
	case with.Signs && c.Signer != nil:
		out.SignsElsewhere = true
		out.Sender = NewRemoteSender(connector, remotesigner.New(*c.Signer, with.Dir))
	case with.Signs:
		if out.Sender, err = NewSender(connector, with.Seed); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: chains.Rule{Credit: 1, Final: 1}, Kind: kind, ChainID: uint64(c.cfg.NetworkID), Exclusion: chains.ByNumber, Batch: 1, Ahead: ahead,
		StaleAfter: c.cfg.StaleAfter, StartAt: c.cfg.Start, Hot: c.Hot(), Cold: c.cfg.Cold, Collects: true, MoveCost: c.MoveCost, Keeps: c.Keeps, Unprepared: c.Unprepared, Caps: c.cfg.Caps, Nodes: c.node.Nodes, Replace: c.node.Replace,
		Addresser: c, Scanner: c, Watcher: c, Counter: c, Holder: c, URI: chains.CoinURI("ripple", "amount", "dt"), Explain: c.explain}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the newest
	}
	return out
}

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}
