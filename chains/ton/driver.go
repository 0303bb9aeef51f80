package ton

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strings"

	"causeway/chains"
	"causeway/chains/remotesigner"
	"causeway/internal/pay"
)

// Driver registers TON.
var Driver = chains.Driver{Kind: kind, Families: []pay.Family{pay.TON}, Read: configure,
	Public: func(seed []byte, _ pay.Family) (string, error) { return publicKey(seed), nil }}

// kind is the Kind of the network.
const kind = "ton"

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
		Elsewhere: config.Signer != nil, Nodes: config.RPC, Settings: config.withoutNodes(), Open: config.open}
	for symbol, t := range config.Tokens {
		out.Tokens[symbol] = chains.Token{Symbol: symbol, Contract: t.Contract, Decimals: int(t.Decimals)}
	}
	return out, nil
}

// chainID tells TON from its test network: the beginning of the first state's hash.
func (c Config) chainID() uint64 {
	raw, err := base64.StdEncoding.DecodeString(c.Genesis)
	if err != nil || len(raw) < 4 {
		return 0
	}
	return uint64(binary.BigEndian.Uint32(raw))
}

// open opens the network, with the key of its wallets where there is a seed.
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
	case with.Signs:
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
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: chains.Rule{Credit: 1, Final: 1}, Kind: kind, ChainID: c.cfg.chainID(), Exclusion: chains.ByNumber, Batch: 1,
		BumpAfter: validFor, StaleAfter: c.cfg.StaleAfter, StartAt: c.cfg.Start, Hot: c.hot.String(), Collects: true, MoveCost: c.MoveCost, TopupCost: c.TopupCost, Keeps: c.Keeps, Unprepared: c.Unprepared, Caps: c.cfg.Caps, Nodes: c.node.Nodes,
		Replace: c.node.Replace, Addresser: c, Scanner: c, Watcher: c, Counter: c, Holder: c, Tokens: c, AskFor: c.AskFor, URI: c.uri, Explain: c.explain}
	if c.cold != nil {
		out.Cold = c.cold.String()
	}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the newest
	}
	return out
}

// uri is the form of wallets on TON, with the amount in the smallest unit and the memo as the comment.
func (c *Connector) uri(p chains.Payment) (string, bool) {
	if !p.Native() {
		if _, err := masterOf(p.Token.Contract); err != nil {
			return p.To, false
		}
	}
	return chains.WithQuery("ton://transfer/"+p.To, "jetton", p.Token.Contract, "amount", p.Units(), "text", p.Memo), true
}

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}
