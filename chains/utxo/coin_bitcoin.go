package utxo

import "time"

// bitcoin is Bitcoin, as Bitcoin Core has it. Its landmark is the block of the fourth halving, which BitcoinCash, BitcoinSV and
// BitcoinGold do not have.
var bitcoin = coin{
	network: "Bitcoin",
	slip:    0,
	account: "m/84'/0'/0'",
	segwit:  true,
	forkID:  -1,

	main:    chain{genesis: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", fork: landmark{840_000, "0000000000000000000320283a032748cef8227873ff4872689bf23f1cda83a5"}},
	regtest: chain{genesis: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"},
	form:    plainHeader,

	estimate: smartFee,
	rate:     rate("10"),
	floor:    rate("1"),
	most:     rate("300"),
	replaces: true,
	bump:     30 * time.Minute,

	dust:     546,
	supply:   21_000_000 * wholeCoin,
	maturity: 100,
	scans:    true,

	credit:   3,
	final:    6,
	stale:    3 * time.Hour,
	scheme:   "bitcoin",
	explorer: "https://mempool.space/tx/{txid}",
}
