package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// formOf is the form of a network's blocks.
func formOf(network string) coinForm {
	switch network {
	case "Litecoin":
		return &litecoinForm{extended: chainhash.Hash(random(32))}
	case "BitcoinGold":
		return rawForm{goldHeader}
	}
	return rawForm{plainHeader}
}

// rawForm is the form of blocks in hex.
type rawForm struct {
	// header writes a header and computes its hash.
	header func(height int64, parent, root chainhash.Hash) (raw []byte, hash chainhash.Hash)
}

func (rawForm) verbosity() string { return "0" }

func (rawForm) tx(tx *wire.MsgTx) []byte { return hexOf(tx) }

func (rawForm) one(tx *wire.MsgTx) []byte { return asText(string(hexOf(tx))) }

func (f rawForm) block(height int64, parent chainhash.Hash, txs []*wire.MsgTx, body *bitcoinBody) bitcoinBlock {
	ids := append(idsOf(txs), body.ids...)
	raw, hash := f.header(height, parent, bitcoinRoot(slices.Clone(ids)))
	b := bitcoinBlock{hash: hash, head: hex.AppendEncode([]byte(`"`), raw), body: body, tail: []byte(`"`)}
	var count bytes.Buffer
	_ = wire.WriteVarInt(&count, 0, uint64(len(ids)))
	b.head = hex.AppendEncode(b.head, count.Bytes())
	for _, tx := range txs {
		b.head = append(b.head, hexOf(tx)...)
	}
	return b
}

func idsOf(txs []*wire.MsgTx) (ids []chainhash.Hash) {
	for _, tx := range txs {
		ids = append(ids, tx.TxHash())
	}
	return ids
}

// bits is the difficulty of regtest.
const bits = 0x207fffff

func plainHeader(_ int64, parent, root chainhash.Hash) ([]byte, chainhash.Hash) {
	h := wire.BlockHeader{Version: 1 << 29, PrevBlock: parent, MerkleRoot: root, Timestamp: time.Now(), Bits: bits}
	var raw bytes.Buffer
	_ = h.Serialize(&raw)
	return raw.Bytes(), h.BlockHash()
}

// goldSolution is the length of a solution of Equihash with the parameters 144 and 5, which BitcoinGold has since 2018. A solution of
// the fake solves nothing.
const goldSolution = 100

// goldHeader writes a header of BitcoinGold. It has the height, a nonce of 32 bytes and the solution, and the hash is that of all.
func goldHeader(height int64, parent, root chainhash.Hash) ([]byte, chainhash.Hash) {
	raw := binary.LittleEndian.AppendUint32(nil, 1<<29)
	raw = slices.Concat(raw, parent[:], root[:])
	raw = binary.LittleEndian.AppendUint32(raw, uint32(height)) //nolint:gosec // a height
	raw = append(raw, make([]byte, 28)...)
	raw = binary.LittleEndian.AppendUint32(raw, uint32(time.Now().Unix())) //nolint:gosec // a moment of this century
	raw = binary.LittleEndian.AppendUint32(raw, bits)
	raw = append(append(raw, random(32)...), goldSolution)
	raw = append(raw, random(goldSolution)...)
	return raw, chainhash.DoubleHashH(raw)
}
