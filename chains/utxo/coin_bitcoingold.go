package utxo

import "time"

// bitcoinGold is Bitcoin Gold. Its headers are its own from the fork on, so no node of Bitcoin can answer for it.
var bitcoinGold = coin{
	network: "BitcoinGold",
	slip:    156,
	account: "m/44'/156'/0'",
	forkID:  79,

	main:    chain{genesis: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", gold: 491_407},
	regtest: chain{genesis: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206", gold: 2_000},
	form:    goldHeader,

	estimate: smartFee,
	rate:     rate("5"),
	floor:    rate("1"),
	most:     rate("300"),
	replaces: true,
	bump:     30 * time.Minute,

	dust:     546,
	supply:   21_000_000 * wholeCoin,
	maturity: 100,
	scans:    true,

	credit:   100,
	final:    200,
	stale:    3 * time.Hour,
	scheme:   "bitcoingold",
	explorer: "https://btgexplorer.com/tx/{txid}",
	risk:     "it has few miners, and attackers spent money twice by reorganisations in 2018 and 2020",
}
