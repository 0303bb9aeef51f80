package checkout

import (
	"cmp"

	"causeway/chains"
	"causeway/internal/pay"
)

// Network is the page's part of a configured network.
type Network struct {
	Simulated bool                                // no real money moves on it
	Credit    int                                 // confirmations for a transfer to count
	Called    string                              // as in chains.Network
	URI       func(chains.Payment) (string, bool) // as in chains.Network
	Explain   func(txid string) string            // as in chains.Network
	Tokens    map[string]chains.Token             // where the network's own configuration differs from the catalogue, by symbol
}

// explain returns the address of a transaction's page in the network's explorer, or "".
func (n Network) explain(txid string) string {
	if n.Explain == nil {
		return ""
	}
	return n.Explain(txid)
}

// called maps our names of networks to those in payers' wallets, where they differ.
var called = map[string]string{
	"BinanceSmartChain": "BNB Smart Chain", "Ripple": "XRP Ledger", "ArbitrumOne": "Arbitrum One", "BitcoinCash": "Bitcoin Cash",
	"BitcoinSV": "Bitcoin SV", "BitcoinGold": "Bitcoin Gold", "Avalanche": "Avalanche C-Chain", "OpBnb": "opBNB", "Xlayer": "X Layer",
	"Optimism": "OP Mainnet", "Arbitrum": "Arbitrum Nova",
}

// standards are the other names wallets and exchanges give a network for its tokens.
var standards = map[string]string{"Ethereum": "ERC-20", "BinanceSmartChain": "BEP-20", "Tron": "TRC-20"}

// networkName names a network as the payer has to choose it: "Tron", and for a token on it "Tron (TRC-20)".
func networkName(network, contract, chain string) string {
	name := cmp.Or(chain, called[network], network)
	if standard := standards[network]; standard != "" && contract != "" {
		return name + " (" + standard + ")"
	}
	return name
}

// memoWord is the key of a network's word for the number beside its shared address.
func memoWord(network string) string {
	if n, ok := pay.NetworkNamed(network); ok && n.Tag {
		return "tag"
	}
	return "memo"
}
