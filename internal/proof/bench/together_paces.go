package main

import "time"

// paced are the networks at the pace of their main chains, with blocks of their size. Of two figures the larger one is taken, and of an EVM
// network's logs each is a transfer of a token of ours: 2.5 a transaction. On Polygon, where USDC moved 102.8 million times in a week of
// February 2026 (its blog), these are 340 a block. Elsewhere they are fewer.
var paced = []struct {
	network string
	pace    time.Duration
	token   string // of payments to us; "" for the line of followedNetworks with the same replay
	txs     int    // of a block; 0 for the replay's number
}{
	{"Bitcoin", 10 * time.Minute, "", 0},
	{"Ethereum", 12 * time.Second, "", 290},                // 62 million in 30 days (growthepie, March 2026)
	{"BinanceSmartChain", 450 * time.Millisecond, "", 110}, // 142.6 million in a week together with opBNB, here all of them (BNB Chain, January 2026)
	{"Tron", 3 * time.Second, "", 0},
	{"Solana", 16 * 400 * time.Millisecond, "", 0},
	{"Ripple", 4 * time.Second, "", 0},
	{"Cardano", cardanoPeriod * time.Second, "", 0}, // full blocks
	{"Dogecoin", time.Minute, "DOGE", 100},          // no figure: more than 30,000 to 60,000 a day
	{"Litecoin", 150 * time.Second, "LTC", 1500},    // no figure: 860,000 a day
	{"BitcoinGold", 10 * time.Minute, "BTG", 100},   // no figure
	{"Polygon", 2 * time.Second, "", 210},           // 264 million in 30 days (growthepie, March 2026)
	{"Avalanche", 1500 * time.Millisecond, "", 45},  // 76.4 million in April 2026 (avacache)
	{"ArbitrumOne", 250 * time.Millisecond, "", 13}, // 4.3 million a day (Coin Bureau, February 2026); growthepie has 3.6 in March
	{"Celo", time.Second, "", 20},                   // a million a day in July 2024 (CoinTrust), here 1.7
	{"Optimism", 2 * time.Second, "", 100},          // no figure of 2026: as many a day as Arbitrum One
	{"Arbitrum", 2 * time.Second, "", 10},           // no figure. Nova makes a block when somebody sends something
	{"Cronos", time.Second, "", 10},                 // some 70 million from 2021 to 2023 (its blog), here 860,000 a day
	{"Base", 2 * time.Second, "", 300},              // 12.9 million a day (Coin Bureau, February 2026); growthepie has 10.5 in March
	{"BitcoinCash", 10 * time.Minute, "BCH", 200},   // no figure: more than 15,000 to 20,000 a day
	{"BitcoinSV", 10 * time.Minute, "BSV", 7500},    // no figure: a million a day
	{"Monero", 2 * time.Minute, "", 0},
	{"OpBnb", 250 * time.Millisecond, "", 30},  // half of those of January 2026 together with BinanceSmartChain
	{"Xlayer", 400 * time.Millisecond, "", 20}, // no figure: as many a day as Arbitrum One
	{"TON", tonPeriod * time.Second, "", 0},
}
