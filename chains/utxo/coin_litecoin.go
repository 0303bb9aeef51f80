package utxo

import "time"

// litecoin is Litecoin, as Litecoin Core has it. Its blocks end in a transaction and an extension block of a form of their own (MWEB),
// so the node tells them in words. The later outputs of this transaction are payments out of the extension block. Its nodes replace
// nothing unless they are told to (-mempoolreplacement).
var litecoin = coin{
	network: "Litecoin",
	slip:    2,
	account: "m/84'/2'/0'",
	segwit:  true,
	forkID:  -1,

	main:    chain{genesis: "12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2"},
	regtest: chain{genesis: "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9"},
	spoken:  true,

	estimate: smartFee,
	rate:     rate("10"),
	floor:    rate("1"),
	most:     rate("1000"),

	dust:     5_460,
	supply:   84_000_000 * wholeCoin,
	maturity: 100,
	scans:    true,

	credit:   6,
	final:    12,
	stale:    45 * time.Minute,
	scheme:   "litecoin",
	explorer: "https://litecoinspace.org/tx/{txid}",
}
