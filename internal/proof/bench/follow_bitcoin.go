package main

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/shopspring/decimal"

	"causeway/chains/addresses"
)

const (
	bitcoinFirst   = 900_000 // the last block before the first replayed one
	bitcoinTxs     = 4000    // of a block
	bitcoinBodies  = 24      // more than one step takes: strangers' addresses differ within a step
	bitcoinRegtest = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"
)

// dogecoinRegtest is the first block of Dogecoin; the others share Bitcoin's.
const dogecoinRegtest = "3d2160a3b5dc4a9d62e7e66a295f70313ac808440ef7400d6c0772171ce973a5"

// bitcoinReplay is a chain of Bitcoin. A block is a coinbase, payments to us, and one of some bodies of strangers' transactions.
type bitcoinReplay struct {
	*following
	xpub   string
	units  int64
	bodies []bitcoinBody
	blocks []bitcoinBlock // from bitcoinFirst on
	byHash map[string]int64
	known  map[string]string // transactions to be asked for, in hex
}

type bitcoinBody struct {
	text []byte // hex
	ids  []chainhash.Hash
}

type bitcoinBlock struct {
	hash chainhash.Hash
	head []byte // hex of the header, the coinbase, and the payments to us
	body *bitcoinBody
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
	r := &bitcoinReplay{following: f, xpub: xpub, units: amount.Shift(8).IntPart(), bodies: make([]bitcoinBody, bitcoinBodies),
		byHash: map[string]int64{}, known: map[string]string{}}
	for i := range r.bodies {
		for range bitcoinTxs - 1 - oursPerBlock {
			r.bodies[i].add(strangersTx())
		}
	}
	r.blocks = []bitcoinBlock{{hash: bitcoinOld(bitcoinFirst)}}
	r.byHash[r.blocks[0].hash.String()] = bitcoinFirst
	return r, nil
}

func (b *bitcoinBody) add(tx *wire.MsgTx) {
	b.text, b.ids = append(b.text, hexOf(tx)...), append(b.ids, tx.TxHash())
}

// strangersTx spends two coins of native segwit and pays two, as most do.
func strangersTx() *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	for range 2 {
		in := wire.NewTxIn(wire.NewOutPoint((*chainhash.Hash)(random(32)), 1), nil, wire.TxWitness{random(71), append([]byte{2}, random(32)...)})
		tx.AddTxIn(in)
	}
	tx.AddTxOut(wire.NewTxOut(12_345, append([]byte{0x00, 20}, random(20)...)))
	tx.AddTxOut(wire.NewTxOut(678_901, append([]byte{0x51, 32}, random(32)...)))
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
	if r.network == "BitcoinSV" {
		more += ", accept_risk: true"
	}
	return fmt.Sprintf("networks:\n  %s: {rpc: %q, chain: regtest, xpub: %s%s}\n", r.network, url, r.xpub, more)
}

func (r *bitcoinReplay) height() int64 { return bitcoinFirst + int64(len(r.blocks)) - 1 }

func (r *bitcoinReplay) add(pays []payee) {
	height, previous := r.height()+1, &r.blocks[len(r.blocks)-1]
	body := &r.bodies[height%bitcoinBodies]
	coinbase := bitcoinCoinbase(height)
	txs := []*wire.MsgTx{coinbase}
	for _, to := range pays {
		tx := strangersTx()
		script, err := addresses.Script(r.network, to.address)
		if err != nil {
			panic(err)
		}
		tx.TxOut[1] = wire.NewTxOut(r.units, script)
		txs = append(txs, tx)
	}
	var ids []chainhash.Hash
	for _, tx := range txs {
		ids = append(ids, tx.TxHash())
	}
	h := wire.BlockHeader{Version: 1 << 29, PrevBlock: previous.hash, MerkleRoot: bitcoinRoot(append(ids, body.ids...)), Timestamp: time.Now(), Bits: 0x207fffff}
	b := bitcoinBlock{hash: h.BlockHash(), head: hexOf(&h), body: body}
	var count bytes.Buffer
	_ = wire.WriteVarInt(&count, 0, uint64(len(ids)+len(body.ids)))
	b.head = hex.AppendEncode(b.head, count.Bytes())
	for _, tx := range txs {
		b.head = append(b.head, hexOf(tx)...)
	}
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
	return []string{fmt.Sprintf(`{"id":1,"method":"getblock","params":["%s",0]}`, r.hashAt(height))}
}

func (r *bitcoinReplay) hashAt(height int64) string {
	if height >= bitcoinFirst {
		return r.blocks[height-bitcoinFirst].hash.String()
	}
	if height == 0 {
		if r.network == "Dogecoin" {
			return dogecoinRegtest
		}
		return bitcoinRegtest
	}
	hash := bitcoinOld(height).String()
	r.byHash[hash] = height
	return hash
}

const bitcoinMissing = `{"code":-8,"message":"Block height out of range"}`

func (r *bitcoinReplay) answer(top int64, method string, params []json.RawMessage) ([][]byte, string) {
	var name string
	var height int64
	if len(params) > 0 && json.Unmarshal(params[0], &name) != nil {
		_ = json.Unmarshal(params[0], &height)
	}
	best := r.hashAt(top)
	switch method {
	case "getblockhash":
		if height > top {
			return nil, bitcoinMissing
		}
		return [][]byte{asText(r.hashAt(height))}, ""
	case "getbestblockhash":
		return [][]byte{asText(best)}, ""
	case "getblockchaininfo":
		return [][]byte{fmt.Appendf(nil, `{"chain":"regtest","blocks":%d,"headers":%d,"bestblockhash":"%s","initialblockdownload":false}`, top, top, best)}, ""
	case "getblockheader":
		at := r.byHash[name]
		return [][]byte{fmt.Appendf(nil, `{"hash":"%s","confirmations":%d,"height":%d,"time":%d,"previousblockhash":"%s"}`, name, top-at+1, at,
			time.Now().Unix(), r.hashAt(at-1))}, ""
	case "getrawmempool":
		return [][]byte{[]byte("[]")}, ""
	case "scantxoutset":
		return [][]byte{fmt.Appendf(nil, `{"success":true,"height":%d,"bestblock":"%s","unspents":[]}`, top, best)}, ""
	case "getrawtransaction":
		return [][]byte{asText(r.known[name])}, ""
	case "getblock":
		return r.block(r.byHash[name], len(params) > 1 && string(params[1]) != "0"), ""
	}
	return nil, fmt.Sprintf(`{"code":-32601,"message":"%s is not prepared"}`, method)
}

// block is a replayed block in hex, or the id of a block's coinbase.
func (r *bitcoinReplay) block(height int64, ids bool) [][]byte {
	if height > bitcoinFirst && !ids {
		b := &r.blocks[height-bitcoinFirst]
		return [][]byte{[]byte(`"`), b.head, b.body.text, []byte(`"`)}
	}
	tx := bitcoinCoinbase(height)
	id := tx.TxHash().String()
	r.known[id] = string(hexOf(tx))
	return [][]byte{fmt.Appendf(nil, `{"hash":"%s","tx":["%s"]}`, r.hashAt(height), id)}
}

func asText(s string) []byte { return []byte(`"` + s + `"`) }
