package utxo

import "time"

// bitcoinSV is Bitcoin SV. Its landmark is the first block after the fork from Bitcoin Cash. It pays to public keys alone, and its
// payment URI would be Bitcoin's.
var bitcoinSV = coin{
	network: "BitcoinSV",
	slip:    236,
	account: "m/44'/236'/0'",
	forkID:  0,

	main:    chain{genesis: "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f", fork: landmark{556_767, "000000000000000001d956714215d96ffc00e0afda4cd0a96c96f8d802b1662b"}},
	regtest: chain{genesis: "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"},
	form:    plainHeader,

	estimate: noFee,
	rate:     rate("0.5"),
	floor:    rate("0.05"),
	most:     rate("50"),

	dust:     1,
	supply:   21_000_000 * wholeCoin,
	maturity: 100,

	credit:   144,
	final:    200,
	stale:    3 * time.Hour,
	explorer: "https://whatsonchain.com/tx/{txid}",
	risk:     "it has few miners, was reorganised by an attacker in 2021, and coins can be frozen",
}
