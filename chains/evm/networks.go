package evm

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// traits are the known facts of a network before its operator says anything.
type traits struct {
	chainID    uint64
	rule       Rule
	maxGwei    int64
	maxTip     int64 // 0 is a tenth of maxGwei
	gas        gasLimits
	legacy     bool
	l1Fee      bool
	mayL1Fee   bool
	nativeLogs string
	staleAfter time.Duration
	amounts    []AmountRow
}

// gasLimits are the most gas for a payment of the coin, or of a token.
type gasLimits struct{ coin, token uint64 }

// A payment of the coin takes 21,000, and some 30,000 to the contract of a wallet; one of a token 40,000 to 200,000. Arbitrum
// sells the cost of its data on the other chain as gas of its own: a payment of 21,000 elsewhere took 37,000 when data was
// cheap there, and 500,000 when it was dear.
var (
	usualGas    = gasLimits{coin: 100_000, token: 300_000}
	arbitrumGas = gasLimits{coin: 2_000_000, token: 2_000_000}
)

// A node without a new block for so long may be behind. Most networks make one every few seconds, some only because they have
// many users. Nova (Arbitrum) makes none unless somebody sends something, and few do.
const (
	usualStale = 5 * time.Minute
	onDemand   = 30 * time.Minute
)

var (
	rollup  = Rule{Tagged("safe", 120), Tagged("finalized", 1200)}
	instant = Rule{Confirmed(1), Confirmed(1)}
)

// A finalized block of Ethereum is some thirteen minutes old. A small amount does not wait for it.
var ethereumAmounts = append(small(12), AmountRow{decimal.NewFromInt(1000), Depth{Tag: "safe"}})

// The finality of each network: Ethereum, BSC and Polygon have finalized blocks, rollups are safe when their data is on
// the other chain, Avalanche and Cronos never replace a block. Two enabled networks must not share a chain id.
var known = map[string]traits{
	"Ethereum":          {chainID: 1, rule: finalized(64), maxGwei: 300, amounts: ethereumAmounts},
	"BinanceSmartChain": {chainID: 56, rule: finalized(15), maxGwei: 20, maxTip: 10},
	"Polygon":           {chainID: 137, rule: finalized(128), maxGwei: 3000, nativeLogs: polygonCoin.Hex()},
	"Avalanche":         {chainID: 43114, rule: instant, maxGwei: 500},
	"ArbitrumOne":       {chainID: 42161, rule: rollup, maxGwei: 20, gas: arbitrumGas, amounts: small(120)},
	"Arbitrum":          {chainID: 42170, rule: rollup, maxGwei: 20, gas: arbitrumGas, staleAfter: onDemand},
	"Celo":              {chainID: 42220, rule: rollup, maxGwei: 500, nativeLogs: "0x471EcE3750Da237f93B8E339c536989b8978a438", amounts: small(30)},
	"Optimism":          {chainID: 10, rule: rollup, maxGwei: 20, l1Fee: true, amounts: small(15)},
	"Base":              {chainID: 8453, rule: rollup, maxGwei: 20, l1Fee: true, amounts: small(15)},
	"OpBnb":             {chainID: 204, rule: rollup, maxGwei: 20, l1Fee: true, amounts: small(60)},
	"Cronos":            {chainID: 25, rule: instant, maxGwei: 20000},
	"Xlayer":            {chainID: 196, rule: rollup, maxGwei: 100, legacy: true, mayL1Fee: true, amounts: small(30)},
}

func finalized(otherwise int) Rule {
	return Rule{Tagged("finalized", otherwise), Tagged("finalized", otherwise)}
}

// Defaults returns the settings of a network to decode the operator's own over; only RPC, XPub and Tokens are missing. For the
// name of no EVM network they are empty, and Validate says so.
func Defaults(network string) Config {
	t, ok := known[network]
	if !ok {
		return Config{Network: network}
	}
	gas := cmp.Or(t.gas, usualGas)
	return Config{
		Network:     network,
		ChainID:     t.chainID,
		Rule:        t.rule,
		MaxRange:    1000,
		Batch:       20,
		Timeout:     8 * time.Second,
		StaleAfter:  cmp.Or(t.staleAfter, usualStale),
		Legacy:      t.legacy,
		MaxFeeGwei:  decimal.NewFromInt(t.maxGwei),
		MaxTipGwei:  decimal.NewFromInt(cmp.Or(t.maxTip, t.maxGwei/10)),
		MaxGas:      gas.coin,
		MaxTokenGas: gas.token,
		L1Fee:       t.l1Fee,
		MayL1Fee:    t.mayL1Fee,
		NativeLogs:  t.nativeLogs,
		Explorer:    explorerOf(network),

		CreditByAmount: slices.Clone(t.amounts),
	}
}
