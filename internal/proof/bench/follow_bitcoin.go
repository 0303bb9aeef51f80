package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

const (
	bitcoinFirst   = 900_000 // the last block before the first replayed one
	bitcoinTxs     = 4000    // of a block, where a network has no number of its own
	bitcoinBodies  = 24      // more than one step takes: strangers' addresses differ within a step,
	bitcoinStrange = 100_000 // and no more transactions than these, where blocks are larger
	bitcoinRegtest = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
)

// firstBlocks are the first blocks of regtest chains. The others share Bitcoin's.
var firstBlocks = map[string]string{
	"Litecoin": "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9",
	"Dogecoin": "3d2160a3b5dc4a9d62e7e66a295f70313ac808440ef7400d6c0772171ce973a5",
}

// bitcoinReplay is a fake chain of Bitcoin or its kin. A block is a coinbase, payments to us, and one of some bodies of strangers'
// transactions.
type bitcoinReplay struct {
	*following
	form   coinForm
	segwit bool // strangers pay by it
	xpub   string
	units  int64
	bodies []bitcoinBody
	blocks []bitcoinBlock // from bitcoinFirst on
	byHash map[string]int64
	known  map[string]*wire.MsgTx // transactions to be asked for
}

// coinForm is how the nodes of a coin write blocks.
type coinForm interface {
	// tx writes a transaction as it stands in the middle of a block.
	tx(tx *wire.MsgTx) []byte
	// block writes a block around the strangers' transactions.
	block(height int64, parent chainhash.Hash, txs []*wire.MsgTx, body *bitcoinBody) bitcoinBlock
	// one writes a transaction asked for by its id.
	one(tx *wire.MsgTx) []byte
	// verbosity is that of getblock for a whole block.
	verbosity() string
}

type bitcoinBody struct {
	text []byte
	ids  []chainhash.Hash
}

type bitcoinBlock struct {
	hash       chainhash.Hash
	head, tail []byte // what stands before the strangers' transactions, and after them
	body       *bitcoinBody
}

func newBitcoinReplay(f *following) (replay, error) {
	xpub, err := xpubOf(f.network)
	if err != nil {
		return nil, err
	}
	amount, err := decimal.NewFromString(f.amount)
	if err != nil {
		return nil, err
	}
	txs := cmp.Or(f.txs, bitcoinTxs)
	r := &bitcoinReplay{following: f, form: formOf(f.network), segwit: !slices.Contains(withoutSegwit, f.network), xpub: xpub, units: amount.Shift(8).IntPart(),
		bodies: make([]bitcoinBody, min(bitcoinBodies, bitcoinStrange/txs)), byHash: map[string]int64{}, known: map[string]*wire.MsgTx{}}
	for i := range r.bodies {
		for range txs - 1 - oursPerBlock {
			tx := r.strangersTx()
			r.bodies[i].text, r.bodies[i].ids = append(r.bodies[i].text, r.form.tx(tx)...), append(r.bodies[i].ids, tx.TxHash())
		}
	}
	r.blocks = []bitcoinBlock{{hash: bitcoinOld(bitcoinFirst)}}
	r.byHash[r.blocks[0].hash.String()] = bitcoinFirst
	return r, nil
}

// withoutSegwit are the coins that pay to the hashes of keys alone.
var withoutSegwit = []string{"Dogecoin", "BitcoinCash", "BitcoinSV"}

// strangersTx spends two coins and pays two, as most do.
func (r *bitcoinReplay) strangersTx() *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	for range 2 {
		signature, key := random(71), append([]byte{2}, random(32)...)
		in := wire.NewTxIn(wire.NewOutPoint((*chainhash.Hash)(random(32)), 1), nil, wire.TxWitness{signature, key})
		if !r.segwit {
			in.Witness, in.SignatureScript = nil, slices.Concat([]byte{71}, signature, []byte{33}, key)
		}
		tx.AddTxIn(in)
	}
	for i, units := range []int64{12_345, 678_901} {
		script := append([]byte{0x00, 20}, random(20)...)
		switch {
		case !r.segwit:
			script = slices.Concat([]byte{0x76, 0xa9, 20}, random(20), []byte{0x88, 0xac})
		case i == 1:
			script = append([]byte{0x51, 32}, random(32)...)
		}
		tx.AddTxOut(wire.NewTxOut(units, script))
	}
	return tx
}

func random(n int) []byte {
	out := make([]byte, n)
	_, _ = rand.Read(out)
	return out
}

func hexOf(from interface{ Serialize(io.Writer) error }) []byte {
	var raw bytes.Buffer
	_ = from.Serialize(&raw)
	return hex.AppendEncode(nil, raw.Bytes())
}

// bitcoinOld is the hash of a block before the replayed ones.
func bitcoinOld(height int64) chainhash.Hash {
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], uint64(height)) //nolint:gosec // a height
	return sha256.Sum256(number[:])
}

func (r *bitcoinReplay) settings(url string) string {
	more := ""
	if r.network != "Bitcoin" {
		more = fmt.Sprintf(", start: %d", bitcoinFirst+1) // most of its kin cannot search for coins
	}
	if r.network == "BitcoinSV" || r.network == "BitcoinGold" {
		more += ", accept_risk: true"
	}
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, chain: regtest, xpub: %s%s}\n", r.network, url, r.xpub, more)
}

func (r *bitcoinReplay) height() int64 { return bitcoinFirst + int64(len(r.blocks)) - 1 }

func (r *bitcoinReplay) add(pays []payee) {
	height, previous := r.height()+1, &r.blocks[len(r.blocks)-1]
	txs := []*wire.MsgTx{bitcoinCoinbase(height)}
	for _, to := range pays {
		tx := r.strangersTx()
		script, err := addresses.Script(r.network, to.address)
		if err != nil {
			panic(err)
		}
		tx.TxOut[1] = wire.NewTxOut(r.units, script)
		txs = append(txs, tx)
	}
	b := r.form.block(height, previous.hash, txs, &r.bodies[height%int64(len(r.bodies))])
	r.blocks, r.byHash[b.hash.String()] = append(r.blocks, b), height
}

func bitcoinCoinbase(height int64) *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], uint64(height)) //nolint:gosec // a height
	tx.AddTxIn(wire.NewTxIn(wire.NewOutPoint(&chainhash.Hash{}, wire.MaxPrevOutIndex), append([]byte{8}, number[:]...), nil))
	tx.AddTxOut(wire.NewTxOut(312_500_000, append([]byte{0x00, 20}, make([]byte, 20)...)))
	return tx
}

func bitcoinRoot(level []chainhash.Hash) chainhash.Hash {
	for len(level) > 1 {
		if len(level)%2 == 1 {
			level = append(level, level[len(level)-1])
		}
		for i := range len(level) / 2 {
			level[i] = chainhash.DoubleHashH(append(level[2*i][:], level[2*i+1][:]...))
		}
		level = level[:len(level)/2]
	}
	return level[0]
}

func (r *bitcoinReplay) questions(height int64) []string {
	return []string{fmt.Sprintf(`{"id":1,"method":"getblock","params":["%s",%s]}`, r.hashAt(height), r.form.verbosity())}
}

func (r *bitcoinReplay) hashAt(height int64) string {
	if height >= bitcoinFirst {
		return r.blocks[height-bitcoinFirst].hash.String()
	}
	if height == 0 {
		return cmp.Or(firstBlocks[r.network], bitcoinRegtest)
	}
	hash := bitcoinOld(height).String()
	r.byHash[hash] = height
	return hash
}

// The refusals of nodes.
const (
	bitcoinTooHigh   = `{"code":-8,"message":"Block height out of range"}`
	bitcoinNoBlock   = `{"code":-5,"message":"Block not found"}`
	bitcoinNoTx      = `{"code":-5,"message":"No such mempool or blockchain transaction. Use gettransaction for wallet transactions."}`
	bitcoinNotAnswer = `{"code":-32601,"message":"this is a fake node of a benchmark: %s is not prepared"}`
)

func (r *bitcoinReplay) answer(top int64, method string, params []json.RawMessage) ([][]byte, string) {
	var name string
	var height int64
	if len(params) > 0 && json.Unmarshal(params[0], &name) != nil {
		_ = json.Unmarshal(params[0], &height)
	}
	best := r.hashAt(top)
	switch method {
	case "getblockhash":
		if height < 0 || height > top {
			return nil, bitcoinTooHigh
		}
		return [][]byte{asText(r.hashAt(height))}, ""
	case "getbestblockhash":
		return [][]byte{asText(best)}, ""
	case "getblockchaininfo":
		return [][]byte{fmt.Appendf(nil, `{"chain":"regtest","blocks":%d,"headers":%d,"bestblockhash":"%s","initialblockdownload":false}`, top, top, best)}, ""
	case "getblockheader":
		at, ok := r.heightOf(name, top)
		if !ok {
			return nil, bitcoinNoBlock
		}
		return [][]byte{fmt.Appendf(nil, `{"hash":"%s","confirmations":%d,"height":%d,"time":%d,"previousblockhash":"%s"}`, name, top-at+1, at,
			time.Now().Unix(), r.hashAt(at-1))}, ""
	case "getrawmempool":
		return [][]byte{[]byte("[]")}, ""
	case "scantxoutset":
		return [][]byte{fmt.Appendf(nil, `{"success":true,"height":%d,"bestblock":"%s","unspents":[]}`, top, best)}, ""
	case "getrawtransaction":
		if tx := r.known[name]; tx != nil {
			return [][]byte{r.form.one(tx)}, ""
		}
		return nil, bitcoinNoTx
	case "getblock":
		return r.block(top, name, params)
	}
	return nil, fmt.Sprintf(bitcoinNotAnswer, method)
}

// heightOf is the height of a block that is shown.
func (r *bitcoinReplay) heightOf(name string, top int64) (int64, bool) {
	height, ok := r.byHash[name]
	return height, ok && height <= top
}

// block is a whole replayed block, or the id of a block's coinbase.
func (r *bitcoinReplay) block(top int64, name string, params []json.RawMessage) ([][]byte, string) {
	height, ok := r.heightOf(name, top)
	if !ok {
		return nil, bitcoinNoBlock
	}
	verbosity := "1"
	if len(params) > 1 {
		verbosity = string(params[1])
	}
	switch {
	case verbosity == "1":
		tx := bitcoinCoinbase(height)
		id := tx.TxHash().String()
		r.known[id] = tx
		return [][]byte{fmt.Appendf(nil, `{"hash":"%s","tx":["%s"]}`, name, id)}, ""
	case height > bitcoinFirst && verbosity == r.form.verbosity():
		b := &r.blocks[height-bitcoinFirst]
		return [][]byte{b.head, b.body.text, b.tail}, ""
	}
	return nil, fmt.Sprintf(bitcoinNotAnswer, "this form of a block")
}

func asText(s string) []byte { return []byte(`"` + s + `"`) }
