package utxo

import (
	"context"
	"fmt"
	"strings"

	"github.com/btcsuite/btcd/address/v2"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/internal/pay"
)

// Validate implements chains.Addresser.
func (c *Connector) Validate(address string) (string, error) {
	return addresses.Validate(c.cfg.Network, address)
}

// Match implements chains.Addresser.
func (c *Connector) Match(address string) string { return addresses.Match(c.cfg.Network, address) }

// Derive implements chains.Addresser.
func (c *Connector) Derive(_ context.Context, index uint32) (string, error) {
	address, err := addresses.FromXPub(c.cfg.Network, c.cfg.XPub, index)
	if err != nil {
		return "", fmt.Errorf("network %s: derive: %w", c.cfg.Network, err)
	}
	return address, nil
}

// ownScript is the output that pays to a key of ours.
func (c *coin) ownScript(key []byte) []byte {
	hash := address.Hash160(key)
	if c.segwit {
		return append([]byte{0, 20}, hash...)
	}
	return append(append([]byte{0x76, 0xa9, 20}, hash...), 0x88, 0xac)
}

func (c *Connector) symbol() string {
	n, _ := pay.NetworkNamed(c.cfg.Network)
	return n.Coin
}

// uri writes a payment URI, or the plain address where the scheme would be another coin's.
func (c *coin) uri() func(chains.Payment) (string, bool) {
	if c.scheme == "" {
		return func(p chains.Payment) (string, bool) { return p.To, false }
	}
	return chains.CoinURI(c.scheme, "amount", "")
}

func (c *Connector) explain(txid string) string {
	if c.cfg.Explorer == "" {
		return ""
	}
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", txid)
}
