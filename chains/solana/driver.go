package solana

import (
	"context"
	"errors"
	"strings"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// Driver registers Solana.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.Solana}, Read: configure, Public: public}

// kind is the Kind of the network.
const kind = "solana"

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
	out := &chains.Configured{Name: network, Kind: kind, ChainID: config.chainID(), Tokens: map[string]chains.Token{}, Cold: config.Cold,
		Nodes: config.RPC, Settings: config.withoutNodes(), Open: config.open}
	for symbol, t := range config.Tokens {
		out.Tokens[symbol] = chains.Token{Symbol: symbol, Contract: t.Contract, Decimals: int(t.Decimals)}
	}
	return out, nil
}

// chainID tells Solana from its other clusters: the first bytes of the hash of the first block.
func (c Config) chainID() uint64 {
	k, ok := readKey(c.Genesis)
	if !ok {
		return 0
	}
	return uint64(k[0])<<24 | uint64(k[1])<<16 | uint64(k[2])<<8 | uint64(k[3])
}

// open opens the network, with the keys of the seed where there is one.
func (c Config) open(ctx context.Context, with chains.Opening) (*chains.Network, error) {
	connector, err := Open(ctx, c.watching(with.Tokens), with.Log)
	if err != nil {
		return nil, err
	}
	out := connector.Network()
	if with.Signs {
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
		if isHash(t.Contract) {
			c.Tokens[t.Symbol] = Token{Contract: t.Contract, Decimals: int32(t.Decimals)}
		}
	}
	return c
}

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: chains.Rule{Credit: 1, Final: 1}, Kind: kind, ChainID: c.cfg.chainID(), Exclusion: chains.ByExpiry, Batch: 1,
		Expiry: longest, StaleAfter: c.cfg.StaleAfter, StartAt: c.cfg.Start, Hot: c.Hot(), Cold: c.cfg.Cold, Collects: true, HotPays: true, MoveCost: c.MoveCost, Caps: c.cfg.Caps, Nodes: c.nodes.Nodes,
		Replace: c.nodes.Replace, Addresser: c, Scanner: c, Watcher: c, Holder: c, Tokens: c, AskFor: c.AskFor, URI: uri, Explain: c.explain}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the head
	}
	return out
}

// uri is a payment by Solana Pay.
func uri(p chains.Payment) (string, bool) {
	return chains.WithQuery("solana:"+p.To, "amount", p.Whole(), "spl-token", p.Token.Contract), true
}

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}
