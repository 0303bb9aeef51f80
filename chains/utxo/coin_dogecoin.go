package utxo

import "time"

// dogecoin is Dogecoin, as Dogecoin Core 1.14 has it. Its node estimates no fee: the recommended one is 0.01 for a thousand bytes
// (doc/fee-recommendation.md), and an output below 0.01 is dust.
var dogecoin = coin{
	network: "Dogecoin",
	slip:    3,
	account: "m/44'/3'/0'",
	forkID:  -1,

	main:    chain{genesis: "1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691"},
	regtest: chain{genesis: "3d2160a3b5dc4a9d62e7e66a295f70313ac808440ef7400d6c0772171ce973a5"},
	form:    mergedHeader,

	estimate: noFee,
	rate:     rate("1000"),
	floor:    rate("100"),
	most:     rate("100000"),
	replaces: true,
	bump:     5 * time.Minute,

	dust:     1_000_000,
	supply:   10_000_000_000 * wholeCoin,
	maturity: 240,

	credit:   33,
	final:    60,
	stale:    20 * time.Minute,
	scheme:   "dogecoin",
	explorer: "https://dogechain.info/tx/{txid}",
}
