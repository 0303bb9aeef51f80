package monero

import (
	"filippo.io/edwards25519"

	"causeway/chains"
	"causeway/internal/pay"
)

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

func (c Config) chainID() uint64 {
	if c.Chain == regtestChain {
		return regtestID
	}
	return mainID
}

// Network returns the network with everything but a Sender.
func (c *Connector) Network() *chains.Network {
	n, _ := pay.NetworkNamed(Network)
	out := &chains.Network{Network: *n, Rule: chains.Rule{Credit: c.cfg.Rule.Credit, Final: c.cfg.Rule.Final}, Kind: kind, ChainID: c.cfg.chainID(),
		Exclusion: chains.ByCoins, Batch: c.cfg.Batch, BatchEvery: c.cfg.BatchEvery, StaleAfter: c.cfg.StaleAfter, StartAt: c.cfg.Start,
		Hot: c.view.main, Caps: c.cfg.Caps, Nodes: c.node.Nodes, Replace: c.node.Replace, Addresser: c, Scanner: c, AskFor: c.AskFor,
		URI: chains.CoinURI("monero", "tx_amount", ""), Explain: c.explain}
	if out.StartAt == 0 {
		out.StartAt = -1 // from the head
	}
	return out
}
