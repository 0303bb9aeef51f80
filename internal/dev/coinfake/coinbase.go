package coinfake

import (
	"encoding/hex"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

const opReturn = txscript.OP_RETURN

// coinbase is the first transaction of a block, byte for byte as the node writes it. Blocks of one call are counted from 1.
func (c *chain) coinbase(height, count int, reward int64, script []byte, txs []*wire.MsgTx) *wire.MsgTx {
	if !c.counted {
		count = 1
	}
	text := txscript.NewScriptBuilder().AddInt64(int64(height)).AddOps(number(count))
	if c.miner != "" {
		text.AddData([]byte(c.miner))
	}
	written, err := text.Script()
	if err != nil {
		panic(err)
	}
	tx := wire.NewMsgTx(c.txVersion)
	tx.AddTxIn(&wire.TxIn{
		PreviousOutPoint: wire.OutPoint{Index: wire.MaxPrevOutIndex}, Sequence: wire.MaxTxInSequenceNum, SignatureScript: written,
	})
	tx.AddTxOut(wire.NewTxOut(reward, script))
	if !c.committed {
		return tx
	}
	if c.witness {
		tx.TxIn[0].Witness = wire.TxWitness{make([]byte, 32)}
	}
	hashes := make([]chainhash.Hash, 1, 1+len(txs))
	for _, other := range txs {
		hashes = append(hashes, other.WitnessHash())
	}
	top := root(hashes)
	commitment := chainhash.DoubleHashB(append(top[:], make([]byte, 32)...))
	tx.AddTxOut(wire.NewTxOut(0, append([]byte{opReturn, 36, 0xaa, 0x21, 0xa9, 0xed}, commitment...)))
	return tx
}

// number pushes a small number as bytes, and never by an opcode.
func number(n int) []byte {
	digits := []byte{}
	for ; n > 0; n >>= 8 {
		digits = append(digits, byte(n))
	}
	if digits[len(digits)-1] > 0x7f {
		digits = append(digits, 0)
	}
	return append([]byte{byte(len(digits))}, digits...)
}

func txids(txs []*wire.MsgTx) []chainhash.Hash {
	out := make([]chainhash.Hash, len(txs))
	for i, tx := range txs {
		out[i] = tx.TxHash()
	}
	return out
}

// root is the root of a merkle tree.
func root(level []chainhash.Hash) chainhash.Hash {
	for len(level) > 1 {
		if len(level)%2 == 1 {
			level = append(level, level[len(level)-1])
		}
		var above []chainhash.Hash
		for i := 0; i < len(level); i += 2 {
			above = append(above, chainhash.DoubleHashH(append(level[i][:], level[i+1][:]...)))
		}
		level = above
	}
	return level[0]
}

func unhex(text string) []byte {
	out, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return out
}
