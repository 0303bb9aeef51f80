package evm

import (
	"net/url"
	"strconv"
	"strings"

	"causeway/chains"
)

// uri writes EIP-681, with the chain: without it a wallet would take its own network.
func (c *Connector) uri(p chains.Payment) (string, bool) {
	chain := "@" + strconv.FormatUint(c.cfg.ChainID, 10)
	if p.Native() {
		return chains.WithQuery("ethereum:"+p.To+chain, "value", p.Units()), true
	}
	return chains.WithQuery("ethereum:"+p.Token.Contract+chain+"/transfer", "address", p.To, "uint256", p.Units()), true
}

// explain returns the address of a transaction's page in the explorer, "" for none.
func (c *Connector) explain(txid string) string {
	return strings.ReplaceAll(c.cfg.Explorer, "{txid}", url.PathEscape(txid))
}

// called are the chains that an operator may serve under another network's name.
var called = map[uint64]string{42161: "Arbitrum One", 42170: "Arbitrum Nova"}
