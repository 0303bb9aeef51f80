package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"causeway/chains/addresses"
)

// litecoinForm is the form of blocks in the words of a node of Litecoin, as its connector reads them. The last payment of a block comes out
// of the extension block.
type litecoinForm struct {
	extended chainhash.Hash // the last transaction of the block before: it holds the extension block's coins
}

// The form of an extension block (MWEB): a block of the main chain has a few.
const (
	proofSize      = 675
	insideOutputs  = 4
	extendedFlag   = "0008" // before the inputs of the last transaction
	extendedEnd    = "00"   // before its lock time: it has no part within the extension block
	extendedScript = 0x58   // of the coin for all coins of the extension block
)

func (*litecoinForm) verbosity() string { return "2" }

func (*litecoinForm) tx(tx *wire.MsgTx) []byte {
	return append([]byte(","), wordsOf(tx, string(hexOf(tx)))...)
}

// one is the answer to getrawtransaction.
func (*litecoinForm) one(tx *wire.MsgTx) []byte { return wordsOf(tx, string(hexOf(tx))) }

func (f *litecoinForm) block(height int64, parent chainhash.Hash, txs []*wire.MsgTx, body *bitcoinBody) bitcoinBlock {
	var paid []*wire.TxOut
	if n := len(txs) - 1; n > 0 {
		paid, txs = txs[n].TxOut[1:], txs[:n]
	}
	last := f.extension(paid)
	ids := append(append(idsOf(txs), body.ids...), last.TxHash())
	made := time.Now()
	h := wire.BlockHeader{Version: 1 << 29, PrevBlock: parent, MerkleRoot: bitcoinRoot(slices.Clone(ids)), Timestamp: made, Bits: bits}
	b := bitcoinBlock{hash: h.BlockHash(), body: body}
	b.head = fmt.Appendf(nil, `{"hash":"%s","confirmations":1,"strippedsize":500000,"size":800000,"weight":2300000,"height":%d,"version":%d,"versionHex":"20000000","merkleroot":"%s","tx":[`,
		b.hash, height, h.Version, h.MerkleRoot)
	for i, tx := range txs {
		if words := f.tx(tx); i == 0 {
			b.head = append(b.head, words[1:]...)
		} else {
			b.head = append(b.head, words...)
		}
	}
	b.tail = append([]byte(","), wordsOf(last, extendedHex(last))...)
	b.tail = fmt.Appendf(b.tail, `],"time":%d,"mediantime":%d,"nonce":0,"bits":"%x","difficulty":4.656542373906925e-10,"chainwork":"%064x","nTx":%d,"mweb":%s,"previousblockhash":"%s"}`,
		made.Unix(), made.Unix()-1, bits, height, len(ids), insideOf(height), parent)
	return b
}

// extension is the last transaction of a block. It moves the coins of the extension block on, and pays out of it.
func (f *litecoinForm) extension(paid []*wire.TxOut) *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	tx.AddTxIn(wire.NewTxIn(wire.NewOutPoint(&f.extended, 0), nil, nil))
	tx.AddTxOut(wire.NewTxOut(100_000_000_000, append([]byte{extendedScript, 32}, random(32)...)))
	tx.TxOut = append(tx.TxOut, paid...)
	f.extended = tx.TxHash()
	return tx
}

// extendedHex writes the last transaction of a block with its flag.
func extendedHex(tx *wire.MsgTx) string {
	plain := string(hexOf(tx))
	version, end := 8, len(plain)-8
	return plain[:version] + extendedFlag + plain[version:end] + extendedEnd + plain[end:]
}

// insideOf is a node's account of an extension block. Nothing of it is a payment.
func insideOf(height int64) []byte {
	some := func(n int) string { return hex.EncodeToString(random(n)) }
	var outputs, inputs bytes.Buffer
	for i := range insideOutputs {
		comma(&outputs, i)
		fmt.Fprintf(&outputs, `{"output_id":"%s","commit":"08%s","sender_pubkey":"02%s","receiver_pubkey":"03%s","range_proof":"%s","message":"%s"}`,
			some(32), some(32), some(32), some(32), some(proofSize), some(59))
		comma(&inputs, i)
		fmt.Fprintf(&inputs, `{"output_id":"%s","commit":"09%s","output_pubkey":"03%s","input_pubkey":"02%s","sig":"%s"}`, some(32), some(32), some(32), some(32), some(64))
	}
	return fmt.Appendf(nil, `{"hash":"%s","height":%d,"kernel_offset":"%s","stealth_offset":"%s","num_kernels":1,"num_txos":400000,"kernel_root":"%s","output_root":"%s",`+
		`"leaf_root":"%s","inputs":[%s],"outputs":[%s],"kernels":[{"kernel_id":"%s","features":21,"commit":"08%s","fee":2820,"lock_height":0,"excess":"08%s","signature":"%s"}]}`,
		some(32), height, some(32), some(32), some(32), some(32), some(32), inputs.Bytes(), outputs.Bytes(), some(32), some(32), some(32), some(64))
}

// wordsOf tells a transaction in words.
func wordsOf(tx *wire.MsgTx, raw string) []byte {
	size, stripped := tx.SerializeSize(), tx.SerializeSizeStripped()
	var ins, outs bytes.Buffer
	for i, in := range tx.TxIn {
		comma(&ins, i)
		ins.WriteString(inWords(in))
	}
	for i, out := range tx.TxOut {
		comma(&outs, i)
		outs.WriteString(outWords(i, out))
	}
	return fmt.Appendf(nil, `{"txid":"%s","hash":"%s","version":2,"size":%d,"vsize":%d,"weight":%d,"locktime":0,"vin":[%s],"vout":[%s],"hex":"%s"}`,
		tx.TxHash(), tx.WitnessHash(), size, (3*stripped+size+3)/4, 3*stripped+size, ins.Bytes(), outs.Bytes(), raw)
}

func inWords(in *wire.TxIn) string {
	if in.PreviousOutPoint.Hash == (chainhash.Hash{}) {
		return fmt.Sprintf(`{"ismweb":false,"coinbase":"%x","sequence":%d}`, in.SignatureScript, in.Sequence)
	}
	witness := ""
	if len(in.Witness) == 2 {
		witness = fmt.Sprintf(`"txinwitness":["%x","%x"],`, in.Witness[0], in.Witness[1])
	}
	return fmt.Sprintf(`{"ismweb":false,"txid":"%s","vout":%d,"scriptSig":{"asm":"","hex":"%x"},%s"sequence":%d}`,
		in.PreviousOutPoint.Hash, in.PreviousOutPoint.Index, in.SignatureScript, witness, in.Sequence)
}

// kindOf is a node's word for a script of segwit, by its version.
var kindOf = map[byte]string{0x00: "witness_v0_keyhash", 0x51: "witness_v1_taproot", extendedScript: "witness_mweb_hogaddr"}

func outWords(i int, out *wire.TxOut) string {
	version, to := out.PkScript[0], ""
	if address := addresses.OfScript("Litecoin", out.PkScript); address != "" {
		to = fmt.Sprintf(`,"addresses":["%s"]`, address)
	}
	if version != 0 {
		version -= 0x50
	}
	return fmt.Sprintf(`{"ismweb":false,"value":%d.%08d,"n":%d,"scriptPubKey":{"asm":"%d %x","hex":"%x","reqSigs":1,"type":"%s"%s}}`,
		out.Value/coin, out.Value%coin, i, version, out.PkScript[2:], out.PkScript, kindOf[out.PkScript[0]], to)
}

// coin is one coin in units.
const coin = 100_000_000
