package coinfake

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// difficulty is that of bits.
var difficulty = json.RawMessage("4.656542373906925e-10")

// money is an amount as nodes write it.
func money(value int64) json.RawMessage {
	return json.RawMessage(fmt.Sprintf("%d.%08d", value/1e8, value%1e8))
}

// short is an amount in the text of a refusal, of two digits at least.
func short(value int64) string {
	text := strings.TrimRight(string(money(value)), "0")
	for len(text)-strings.IndexByte(text, '.') < 3 {
		text += "0"
	}
	return text
}

func (c *chain) networkInfo(params) (any, *failure) {
	incremental := any(absent{})
	if c.replaces {
		incremental = money(c.incremental)
	}
	return object{"version", c.version, "subversion", c.subversion, "protocolversion", 70016, "networkactive", true,
		"connections", 0, "relayfee", money(c.told), "incrementalfee", incremental, "warnings", ""}, nil
}

func (c *chain) chainInfo(params) (any, *failure) {
	tip, syncing := c.tip(), any(c.tip().height == 0)
	if c.network == "BitcoinSV" {
		syncing = absent{}
	}
	return object{"chain", "regtest", "blocks", tip.height, "headers", tip.height, "bestblockhash", tip.hash.String(),
		"difficulty", difficulty, "mediantime", median(tip), "verificationprogress", 1, "initialblockdownload", syncing,
		"chainwork", work(tip.height), "pruned", false}, nil
}

// work is that of all blocks: two for each.
func work(height int) string { return fmt.Sprintf("%064x", big.NewInt(2*int64(height)+2)) }

// hashOf is the hash of a block: of its head, and of BitcoinGold's whole head from the fork on.
func (c *chain) hashOf(b *block) chainhash.Hash {
	if c.longHeader && b.height >= c.fork {
		return chainhash.DoubleHashH(c.headerBytes(b))
	}
	return b.Header.BlockHash()
}

// headerBytes is the head of a block; BitcoinGold's has more. The fake's solutions solve nothing.
func (c *chain) headerBytes(b *block) []byte {
	var out bytes.Buffer
	if err := b.Header.Serialize(&out); err != nil {
		panic(err)
	}
	if !c.longHeader {
		return out.Bytes()
	}
	plain := out.Bytes()
	long := binary.LittleEndian.AppendUint32(bytes.Clone(plain[:68]), uint32(b.height))
	long = append(long, make([]byte, 28)...)
	long = append(long, plain[68:]...)
	long = append(long, make([]byte, 28)...) // the rest of a longer nonce
	solution := c.solution(b)
	return append(append(long, byte(len(solution))), solution...)
}

func (c *chain) solution(b *block) []byte {
	if b.height < c.fork {
		return nil
	}
	return make([]byte, 68)
}

func (c *chain) blockBytes(b *block) []byte {
	out := bytes.NewBuffer(c.headerBytes(b))
	_ = wire.WriteVarInt(out, 0, uint64(len(b.Transactions)))
	for _, tx := range b.Transactions {
		_ = tx.Serialize(out)
	}
	return out.Bytes()
}

// heading are the parts of a block's answer before the transactions, and after them.
func (c *chain) heading(b *block) (before, after object) {
	confirmations, next := -1, any(absent{})
	if c.has(b) {
		confirmations = c.tip().height - b.height + 1
		if b != c.tip() {
			next = c.active[b.height+1].hash.String()
		}
	}
	before = object{"hash", b.hash.String(), "confirmations", confirmations}
	after = object{"height", b.height, "version", b.Header.Version, "versionHex", fmt.Sprintf("%08x", uint32(b.Header.Version)),
		"merkleroot", b.Header.MerkleRoot.String()}
	number := any(absent{})
	if c.network == "BitcoinSV" {
		number = len(b.Transactions)
	}
	after = append(after, "num_tx", number, "tx", nil, "time", b.Header.Timestamp.Unix(), "mediantime", median(b))
	if c.longHeader {
		after = append(after, "nonceUint32", b.Header.Nonce, "nonce", fmt.Sprintf("%064x", b.Header.Nonce), "solution", hex.EncodeToString(c.solution(b)))
	} else {
		after = append(after, "nonce", b.Header.Nonce)
	}
	after = append(after, "bits", fmt.Sprintf("%08x", bits), "difficulty", difficulty, "chainwork", work(b.height))
	if c.network == "BitcoinCash" || c.longHeader {
		after = append(after, "nTx", len(b.Transactions))
	}
	previous := any(absent{})
	if b.parent != nil {
		previous = b.parent.hash.String()
	}
	return before, append(after, "previousblockhash", previous, "nextblockhash", next)
}

// put gives a key its value, or takes it away.
func (o object) put(key string, value any) object {
	for i := 0; i < len(o); i += 2 {
		if o[i] == key {
			o[i+1] = value
		}
	}
	return o
}

func (c *chain) showHeader(b *block) object {
	before, after := c.heading(b)
	if c.network == "BitcoinSV" {
		before = append(before, "size", len(c.blockBytes(b)))
	}
	return append(before, after.put("tx", absent{})...)
}

func (c *chain) showBlock(b *block, full bool) object {
	txs := make([]any, len(b.Transactions))
	head := wire.MaxBlockHeaderPayload
	if b.height >= c.fork {
		head = len(c.headerBytes(b))
	}
	size := head + wire.VarIntSerializeSize(uint64(len(txs)))
	stripped := size
	for i, tx := range b.Transactions {
		stripped += tx.SerializeSizeStripped()
		size += tx.SerializeSize()
		txs[i] = tx.TxHash().String()
		if full {
			txs[i] = c.showTransaction(tx, inBlock, nil, b.fees[i])
		}
	}
	before, after := c.heading(b)
	if c.network == "BitcoinSV" {
		before = append(append(object{"tx", txs}, before...), "size", size)
		return append(before, after.put("tx", absent{})...)
	}
	if c.committed {
		before = append(before, "strippedsize", stripped, "size", size, "weight", 3*stripped+size)
	} else {
		before = append(before, "size", size)
	}
	return append(before, after.put("tx", txs)...)
}

// place is where the answer with a transaction has it.
type place int

const (
	alone   place = iota // the answer of getrawtransaction
	inBlock              // one of those of a block
)

// showTransaction decodes a transaction. b is its block where the answer names it.
func (c *chain) showTransaction(tx *wire.MsgTx, at place, b *block, fee int64) object {
	raw := rawOf(tx)
	head := object{"txid", tx.TxHash().String(), "hash", tx.WitnessHash().String()}
	sizes := object{"size", tx.SerializeSize()}
	if c.committed {
		sizes = append(sizes, "vsize", virtual(tx))
	}
	if c.longHeader {
		sizes = append(sizes, "weight", weight(tx))
	}
	version := object{"version", tx.Version}
	if c.network == "Dogecoin" {
		head = append(append(head, sizes...), version...)
	} else {
		head = append(append(head, version...), sizes...)
	}
	head = append(head, "locktime", tx.LockTime, "vin", c.showInputs(tx), "vout", c.showOutputs(tx))
	if at == inBlock && c.network == "BitcoinCash" && fee > 0 {
		head = append(head, "fee", money(fee))
	}
	place := c.showPlace(b)
	switch {
	case c.network == "Dogecoin" && at == inBlock:
		return head
	case c.network == "Dogecoin":
		return append(append(object{"hex", raw}, head...), place...)
	case c.network == "BitcoinSV":
		return append(append(head, place...), "hex", raw)
	}
	return append(append(head, "hex", raw), place...)
}

// showPlace names a transaction's block. One that was taken back is named too, without a confirmation.
func (c *chain) showPlace(b *block) object {
	switch {
	case b == nil:
		return nil
	case !c.has(b):
		return object{"blockhash", b.hash.String(), "confirmations", 0}
	}
	at := b.Header.Timestamp.Unix()
	out := object{"blockhash", b.hash.String(), "confirmations", c.tip().height - b.height + 1, "time", at, "blocktime", at}
	if c.network == "BitcoinSV" {
		out = append(out, "blockheight", b.height)
	}
	return out
}

func (c *chain) showInputs(tx *wire.MsgTx) []object {
	out := make([]object, len(tx.TxIn))
	for i, in := range tx.TxIn {
		witness := any(absent{})
		if len(in.Witness) > 0 {
			parts := make([]string, len(in.Witness))
			for k, part := range in.Witness {
				parts[k] = hex.EncodeToString(part)
			}
			witness = parts
		}
		if in.PreviousOutPoint.Index == wire.MaxPrevOutIndex {
			out[i] = object{"coinbase", hex.EncodeToString(in.SignatureScript), "txinwitness", witness, "sequence", in.Sequence}
			continue
		}
		out[i] = object{"txid", in.PreviousOutPoint.Hash.String(), "vout", in.PreviousOutPoint.Index,
			"scriptSig", object{"asm", c.signatureText(in.SignatureScript), "hex", hex.EncodeToString(in.SignatureScript)},
			"txinwitness", witness, "sequence", in.Sequence}
	}
	return out
}

// signatureText writes a script of pushes, with the kind of a signature's hash by its name.
func (c *chain) signatureText(script []byte) string {
	parts, _ := pushes(script)
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = hex.EncodeToString(part)
		if len(part) > 60 && part[0] == 0x30 {
			name := "[ALL]"
			if part[len(part)-1]&0x40 != 0 {
				name = "[ALL|FORKID]"
			}
			texts[i] = hex.EncodeToString(part[:len(part)-1]) + name
		}
	}
	return strings.Join(texts, " ")
}

func (c *chain) showOutputs(tx *wire.MsgTx) []object {
	out := make([]object, len(tx.TxOut))
	for i, to := range tx.TxOut {
		script, tokens := c.tokens(to.PkScript)
		out[i] = object{"value", money(to.Value), "n", i, "scriptPubKey", showScript(script), "tokenData", tokens}
	}
	return out
}

func showScript(script []byte) object {
	text, _ := txscript.DisasmString(script)
	out := object{"asm", text, "hex", hex.EncodeToString(script)}
	kind, addresses, _, _ := txscript.ExtractPkScriptAddrs(script, &chaincfg.RegressionNetParams)
	switch kind {
	case txscript.PubKeyHashTy, txscript.ScriptHashTy:
		return append(out, "reqSigs", 1, "type", kind.String(), "addresses", spelled(addresses))
	}
	return append(out, "type", kind.String())
}

func spelled(all []address.Address) []string {
	out := make([]string, len(all))
	for i, a := range all {
		out[i] = a.EncodeAddress()
	}
	return out
}

func rawOf(tx *wire.MsgTx) string {
	var out bytes.Buffer
	if err := tx.Serialize(&out); err != nil {
		panic(err)
	}
	return hex.EncodeToString(out.Bytes())
}
