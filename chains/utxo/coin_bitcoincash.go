package utxo

import "time"

// bitcoinCash is Bitcoin Cash, as Bitcoin Cash Node has it. Its landmark is the first block after the fork from eCash, which Bitcoin,
// BitcoinSV and eCash do not have. Nodes keep the first of two transactions that spend one coin.
var bitcoinCash = coin{
	network: "BitcoinCash",
	slip:    145,
	account: "m/44'/145'/0'",
	forkID:  0,

	main:    chain{genesis: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", fork: landmark{661_648, "0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce"}},
	regtest: chain{genesis: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"},
	form:    plainHeader,
	tokens:  true,

	estimate: plainFee,
	rate:     rate("2"),
	floor:    rate("1"),
	most:     rate("100"),

	dust:     576, // of an output to a hash of 32 bytes
	supply:   21_000_000 * wholeCoin,
	maturity: 100,
	// It answers scantxoutset, but not of which block the answer is: so it scans nothing.

	credit:   12,
	final:    20,
	stale:    3 * time.Hour,
	scheme:   "bitcoincash",
	explorer: "https://blockchair.com/bitcoin-cash/transaction/{txid}",
}
