package coinfake

import (
	"fmt"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// coin is what one network does otherwise than the others.
type coin struct {
	network    string
	version    int    // of the node
	subversion string // its name for itself
	genesis    *wire.MsgBlock

	blockVersion, txVersion int32 // of mined blocks and their first transactions
	subsidy                 int64 // halved every 150 blocks
	maturity                int
	miner                   string // pushed into the first transaction of a block
	counted                 bool   // the blocks of one call are counted in the miner's script
	committed               bool   // blocks commit to witnesses
	witness                 bool   // the first transaction has one itself
	longHeader              bool   // of BitcoinGold
	fork                    int    // height from which the rules of the fork hold
	order                   order  // of the transactions of a block

	forkID      uint32 // in the type of each signature's hash
	relay       int64  // least fee of a transaction for 1,000 bytes; 0 where none is asked
	told        int64  // the same, as the node tells it
	dust        int64  // the least output; 0 where it depends on the script
	data        int    // the longest script of data alone that is passed on
	longest     int64  // request; 0 where none of the test's is too long
	replaces    bool   // by a higher fee
	incremental int64  // for 1,000 bytes more
	silent      bool   // refusals have no details
	numbered    string // how refusals have their number

	known bool // sent again, a transaction of the mempool is taken
	lost  string
	deny  map[string]bool // methods that the node does not have
}

// order is how a node orders the transactions of a block.
type order int

const (
	byFee order = iota
	byArrival
	byTxid
)

// coins are the fakes by network.
var coins = map[string]coin{
	"Dogecoin": {
		network: "Dogecoin", version: 1149900, subversion: "/Shibetoshi:1.14.99/", genesis: dogecoinGenesis(),
		blockVersion: 0x00620004, txVersion: 1, subsidy: 500_000 * 1e8, maturity: 240, committed: true, order: byFee,
		told: 100_000, dust: 100_000, data: 83, longest: 32 << 20, replaces: true, incremental: 10_000, silent: true, numbered: "%[1]d: %[2]s",
		known: true, lost: "Missing inputs", deny: set("testmempoolaccept", "scantxoutset"),
	},
	"BitcoinCash": {
		network: "BitcoinCash", version: 28000100, subversion: "/Bitcoin Cash Node:28.0.1(EB32.0)/", genesis: bitcoinGenesis(),
		blockVersion: 0x20000000, txVersion: 2, subsidy: 50 * 1e8, maturity: 100, miner: "/EB32.0/", counted: true, order: byTxid,
		forkID: 0x40, relay: 1000, told: 1000, data: 223, numbered: "%[2]s (code %[1]d)",
		known: true, lost: "Missing inputs", deny: set("estimatesmartfee"),
	},
	"BitcoinSV": {
		network: "BitcoinSV", version: 101020200, subversion: "/Bitcoin SV:1.2.2/", genesis: bitcoinGenesis(),
		blockVersion: 0x20000000, txVersion: 2, subsidy: 50 * 1e8, maturity: 100, order: byArrival,
		forkID: 0x40, dust: 1, data: 100_000, silent: true, numbered: "%[1]d: %[2]s",
		lost: "Missing inputs", deny: set("estimatesmartfee", "estimatefee", "testmempoolaccept", "scantxoutset"),
	},
	"BitcoinGold": {
		network: "BitcoinGold", version: 210300, subversion: "/Bitcoin Gold:0.21.3/", genesis: bitcoinGenesis(),
		blockVersion: 0x20000000, txVersion: 2, subsidy: 50 * 1e8, maturity: 100, committed: true, witness: true, longHeader: true, fork: 2000,
		order: byFee, forkID: 0x40 | 79<<8, relay: 1000, told: 1000, data: 83, longest: 32 << 20, replaces: true, incremental: 1000, numbered: "%[2]s",
		known: true, lost: "bad-txns-inputs-missingorspent", deny: set("estimatefee"),
	},
}

func set(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out
}

// refusal is a transaction's, with the number that Bitcoin's first nodes gave to its reason.
func (c coin) refusal(number int, reason, details string) *failure {
	if details != "" && !c.silent {
		reason += ", " + details
	}
	return c.plain(number, reason)
}

func (c coin) plain(number int, reason string) *failure {
	text := fmt.Sprintf(c.numbered, number, reason)
	if c.numbered == "%[2]s" {
		text = reason
	}
	return &failure{Code: -26, Message: text}
}

func bitcoinGenesis() *wire.MsgBlock { return chaincfg.RegressionNetParams.GenesisBlock }

// dogecoinGenesis is the first block of Dogecoin's regtest.
func dogecoinGenesis() *wire.MsgBlock {
	tx := wire.NewMsgTx(1)
	tx.AddTxIn(&wire.TxIn{
		PreviousOutPoint: wire.OutPoint{Index: wire.MaxPrevOutIndex}, Sequence: wire.MaxTxInSequenceNum,
		SignatureScript: append([]byte{4, 0xff, 0xff, 0, 0x1d, 1, 4, 8}, "Nintondo"...),
	})
	key := unhex("040184710fa689ad5023690c80f3a49c8f13f8d45b8c857fbcbc8bc4a8e4d3eb4b10f4d4604fa08dce601aaf0f470216fe1b51850b4acf21b179c45070ac7b03a9")
	tx.AddTxOut(wire.NewTxOut(88*1e8, append(append([]byte{byte(len(key))}, key...), 0xac)))
	return &wire.MsgBlock{
		Header: wire.BlockHeader{
			Version: 1, MerkleRoot: tx.TxHash(), Timestamp: bitcoinGenesis().Header.Timestamp, Bits: bits, Nonce: 2,
		},
		Transactions: []*wire.MsgTx{tx},
	}
}
