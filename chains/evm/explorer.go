package evm

import (
	"net/url"
	"strings"
)

// explorers are the hosts of the best known explorers, with any path before /tx/.
var explorers = map[string]string{
	"Ethereum": "etherscan.io", "BinanceSmartChain": "bscscan.com", "Polygon": "polygonscan.com", "Avalanche": "snowscan.xyz",
	"ArbitrumOne": "arbiscan.io", "Arbitrum": "nova.arbiscan.io", "Celo": "celoscan.io", "Optimism": "optimistic.etherscan.io",
	"Base": "basescan.org", "OpBnb": "opbnb.bscscan.com", "Cronos": "cronoscan.com", "Xlayer": "www.oklink.com/xlayer",
}

// explorerOf returns the address of a transaction's page in a network's explorer, with {txid} in its place.
func explorerOf(network string) string { return "https://" + explorers[network] + "/tx/{txid}" }

// explains reports whether a text is the address of an explorer's page of a transaction.
func explains(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && strings.Contains(u.Path+u.RawQuery, "{txid}")
}
