// Package utxo is the connector of Bitcoin and its kin: Bitcoin, Litecoin, Dogecoin, BitcoinCash, BitcoinSV and BitcoinGold. It follows
// blocks by the scripts of their outputs, derives deposit addresses from an account's xpub, and, where it is given the seed, signs
// batches of payouts from the coins of one hot wallet. A coin is a descriptor (coin_*.go); the nodes' dialects are in client.
package utxo

import (
	"time"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/shopspring/decimal"

	"causeway/internal/pay"
)

// coin describes one network of the family. Amounts are in the smallest units, rates in units for one (virtual) byte.
type coin struct {
	network string
	slip    uint32 // its number of SLIP 44, which is its chain id too
	account string // the path of its account
	segwit  bool   // our addresses are P2WPKH, not P2PKH
	forkID  int64  // of signatures that hold on this side of a fork alone; below zero for none

	main, regtest chain
	form          headerForm
	spoken        bool // blocks are read in the node's words: their raw form is one of its own
	tokens        bool // outputs of CashTokens, which are not read as coins

	estimate estimator
	rate     decimal.Decimal // where the node estimates none
	floor    decimal.Decimal // the least, whatever the node says
	most     decimal.Decimal // the default of max_fee_rate
	replaces bool            // nodes replace a transaction by a dearer one (BIP 125)
	bump     time.Duration   // a transaction in the mempool for so long is replaced

	dust     int64 // the least of an output
	supply   int64 // no amount is larger
	maturity int64 // blocks until a coinbase may be spent
	scans    bool  // the node answers scantxoutset

	credit, final int // confirmations
	stale         time.Duration
	scheme        string // of payment URIs; "" for none
	explorer      string
	risk          string // why the network is off unless the operator accepts it; "" for none
}

// chain is one chain of a coin. The fork is a block that no other chain with the same genesis has.
type chain struct {
	genesis string
	fork    landmark
	gold    int64 // the first block of BitcoinGold's own headers
	trial   bool  // it is regtest
}

// version begins the extended public keys that a node reads: all of the family write xpub on their main chain and tpub on regtest.
func (c chain) version() []byte {
	if c.trial {
		return chaincfg.RegressionNetParams.HDPublicKeyID[:]
	}
	return chaincfg.MainNetParams.HDPublicKeyID[:]
}

// landmark is a block that tells a chain from others.
type landmark struct {
	height int64
	hash   string
}

// estimator is how a node tells the fee to offer.
type estimator int

// The estimators.
const (
	smartFee estimator = iota // estimatesmartfee with a number of blocks
	plainFee                  // estimatefee without a parameter
	noFee                     // none: the configured rate holds
)

// wholeCoin is one coin in units.
const wholeCoin = 100_000_000

// coins are the networks of the family.
var coins = byNetwork(&bitcoin, &litecoin, &dogecoin, &bitcoinCash, &bitcoinSV, &bitcoinGold)

func byNetwork(all ...*coin) map[string]*coin {
	out := map[string]*coin{}
	for _, c := range all {
		out[c.network] = c
	}
	return out
}

// families are the address families of the networks.
func families() (out []pay.Family) {
	for _, n := range pay.Networks {
		if coins[n.Name] != nil {
			out = append(out, n.Family)
		}
	}
	return out
}

func rate(text string) decimal.Decimal { return decimal.RequireFromString(text) }
