package tron

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"strings"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Driver registers Tron.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.Tron}, Read: configure, Public: public}

// kind is the Kind of the network.
const kind = "tron"

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
	if part.Has("rule") && !part.Has("credit_by_amount") { // the file's own rule is for all amounts
		config.CreditByAmount = nil
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	out := &chains.Configured{Name: network, Kind: kind, ChainID: config.chainID(), Tokens: map[string]chains.Token{}, Cold: config.Cold,
		Elsewhere: config.Signer != nil, Nodes: config.addresses(), Settings: config.withoutNodes(), Open: config.open}
	for symbol, t := range config.Tokens {
		out.Tokens[symbol] = chains.Token{Symbol: symbol, Contract: t.Contract, Decimals: int(t.Decimals)}
	}
	return out, nil
}

// chainID tells Tron from Nile and others: the end of the first block's id, as the chain's own EVM has it.
func (c Config) chainID() uint64 {
	id, err := hex.DecodeString(c.Genesis)
	if err != nil || len(id) < 4 {
		return 0
	}
	return uint64(binary.BigEndian.Uint32(id[len(id)-4:]))
}

// open opens the network, in a process that signs with the key of the seed, or of its signer.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c.watching(with.Tokens), with.Log)
	if err != nil {
		return nil, err
	}
	out := connector.Network()
	switch {
	case with.Signs && c.Signer != nil:
		out.SignsElsewhere = true
		out.Sender = NewRemoteSender(connector, remotesigner.New(*c.Signer, with.Dir))
	case with.Signs && with.Seed != nil:
		out.Sender, err = NewSender(connector, with.Seed)
	}
	if err != nil {
		return nil, err
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
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: c.cfg.rule(), Kind: kind, ChainID: c.cfg.chainID(), Exclusion: chains.ByExpiry, Batch: 1, Expiry: longest,
		StaleAfter: c.cfg.StaleAfter, StartAt: c.cfg.Start, Hot: addresses.TronOf(c.hot), Cold: c.cfg.Cold, Collects: true, MoveCost: c.MoveCost, TopupCost: c.TopupCost, Caps: c.cfg.Caps, Nodes: c.nodes.Nodes, Replace: c.nodes.Replace, Addresser: c,
		Scanner: c, Watcher: c, Holder: c, Tokens: c, Resources: c.Resources, Staking: c, URI: plain, Explain: c.explain}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the head
	}
	return out
}

// plain is the address alone: wallets agree on no form of a URI.
func plain(p chains.Payment) (string, bool) { return p.To, false }

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}
