package coinfake

import (
	"fmt"
	"slices"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// waiting is a transaction in the mempool.
type waiting struct {
	tx     *wire.MsgTx
	txid   chainhash.Hash
	fee    int64
	at     time.Time
	height int
}

func (w *waiting) size() int64   { return virtual(w.tx) }
func (w *waiting) rate() float64 { return float64(w.fee) / float64(w.size()) }

// virtual is the size of a transaction with its witness counted a quarter.
func virtual(tx *wire.MsgTx) int64 { return int64(weight(tx)+3) / 4 }

func weight(tx *wire.MsgTx) int { return 3*tx.SerializeSizeStripped() + tx.SerializeSize() }

// waiting returns a transaction of the mempool, or nil.
func (c *chain) waiting(txid chainhash.Hash) *waiting {
	for _, w := range c.pool {
		if w.txid == txid {
			return w
		}
	}
	return nil
}

// spender returns the transaction of the mempool that spends an output, or nil.
func (c *chain) spender(at wire.OutPoint) *waiting {
	for _, w := range c.pool {
		if slices.ContainsFunc(w.tx.TxIn, func(in *wire.TxIn) bool { return in.PreviousOutPoint == at }) {
			return w
		}
	}
	return nil
}

// look returns an output that is unspent in the chain, or made in the mempool.
func (c *chain) look(at wire.OutPoint) (output, bool) {
	if w := c.waiting(at.Hash); w != nil && int(at.Index) < len(w.tx.TxOut) {
		return output{w.tx.TxOut[at.Index], w.tx.Version, -1, false}, true
	}
	out, ok := c.unspent[at]
	return out, ok
}

// send is sendrawtransaction. A transaction with an unspent output in the chain is known to be mined; the node has forgotten others.
func (c *chain) send(tx *wire.MsgTx) (chainhash.Hash, *failure) {
	txid := tx.TxHash()
	if c.waiting(txid) != nil {
		if !c.known {
			return txid, &failure{Code: -27, Message: "Transaction already in the mempool"}
		}
		return txid, nil
	}
	for n := range tx.TxOut {
		if _, mined := c.unspent[wire.OutPoint{Hash: txid, Index: uint32(n)}]; mined {
			return txid, c.already()
		}
	}
	_, refused := c.accept(tx)
	return txid, refused
}

func (c *chain) already() *failure {
	switch c.network {
	case "BitcoinSV":
		return c.plain(257, "txn-already-known")
	case "BitcoinGold":
		return &failure{Code: -27, Message: "Transaction already in block chain"}
	}
	return &failure{Code: -27, Message: "transaction already in block chain"}
}

// accept takes a transaction into the mempool.
func (c *chain) accept(tx *wire.MsgTx) (*waiting, *failure) {
	w, gone, refused := c.judge(tx)
	if refused != nil {
		return nil, refused
	}
	c.pool = slices.DeleteFunc(c.pool, func(w *waiting) bool { return slices.Contains(gone, w) })
	c.pool = append(c.pool, w)
	return w, nil
}

// judge says whether a transaction may enter the mempool, and which others leave it for it. The checks have the order of the nodes.
func (c *chain) judge(tx *wire.MsgTx) (w *waiting, gone []*waiting, refused *failure) {
	if refused = c.form(tx); refused != nil {
		return nil, nil, refused
	}
	direct, refused := c.conflicts(tx)
	if refused != nil {
		return nil, nil, refused
	}
	w = &waiting{tx: tx, txid: tx.TxHash(), at: time.Now(), height: c.tip().height}
	if w.fee, refused = c.fee(tx); refused != nil {
		return nil, nil, refused
	}
	if least := c.relay * w.size() / 1000; w.fee < least {
		return nil, nil, c.refusal(66, "min relay fee not met", c.only("BitcoinGold", fmt.Sprintf("%d < %d", w.fee, least)))
	}
	if gone, refused = c.replaced(w, direct); refused != nil {
		return nil, nil, refused
	}
	for i, in := range tx.TxIn {
		out, _ := c.look(in.PreviousOutPoint)
		if problem := c.verify(tx, i, out.TxOut); problem != "" {
			return nil, nil, c.plain(16, "mandatory-script-verify-flag-failed ("+problem+")")
		}
	}
	return w, gone, nil
}

// only is a text of one network.
func (c *chain) only(network, text string) string {
	if c.network == network {
		return text
	}
	return ""
}

// form checks what can be seen without the chain.
func (c *chain) form(tx *wire.MsgTx) *failure {
	if len(tx.TxIn) == 0 {
		return c.plain(16, "bad-txns-vin-empty")
	}
	if len(tx.TxOut) == 0 {
		return c.plain(16, "bad-txns-vout-empty")
	}
	if tx.TxIn[0].PreviousOutPoint.Index == wire.MaxPrevOutIndex {
		return c.plain(16, "coinbase")
	}
	for _, out := range tx.TxOut {
		if out.Value < 0 {
			return c.plain(16, "bad-txns-vout-negative")
		}
		if why := c.refuses(out); why != "" {
			return c.plain(64, why)
		}
	}
	return nil
}

// conflicts are the transactions of the mempool that spend the same outputs, if they may be replaced.
func (c *chain) conflicts(tx *wire.MsgTx) (direct []*waiting, refused *failure) {
	for _, in := range tx.TxIn {
		w := c.spender(in.PreviousOutPoint)
		if w == nil || slices.Contains(direct, w) {
			continue
		}
		opted := slices.ContainsFunc(w.tx.TxIn, func(in *wire.TxIn) bool { return in.Sequence < wire.MaxTxInSequenceNum-1 })
		if !c.replaces || !opted {
			number := 18
			if c.network == "BitcoinSV" {
				number = 258
			}
			return nil, c.plain(number, "txn-mempool-conflict")
		}
		direct = append(direct, w)
	}
	return direct, nil
}

// fee is what the inputs have beyond the outputs.
func (c *chain) fee(tx *wire.MsgTx) (int64, *failure) {
	var in, out int64
	for _, input := range tx.TxIn {
		from, ok := c.look(input.PreviousOutPoint)
		if !ok {
			return 0, c.gone(input.PreviousOutPoint.Hash)
		}
		if depth := c.tip().height + 1 - from.height; from.coinbase && depth < c.maturity {
			return 0, c.refusal(16, "bad-txns-premature-spend-of-coinbase", fmt.Sprintf("tried to spend coinbase at depth %d", depth))
		}
		in += from.Value
	}
	for _, output := range tx.TxOut {
		out += output.Value
	}
	if in < out {
		return 0, c.refusal(16, "bad-txns-in-belowout", fmt.Sprintf("value in (%s) < value out (%s)", short(in), short(out)))
	}
	return in - out, nil
}

// gone is the answer for an output that is not there. Dogecoin forgets a transaction once all its outputs are spent, and before that it
// has another answer. No recording has this one; Dogecoin Core 1.14.99 was seen to give it.
func (c *chain) gone(txid chainhash.Hash) *failure {
	if b := c.mined[txid]; c.network == "Dogecoin" && b != nil && c.has(b) {
		for at := range c.unspent {
			if at.Hash == txid {
				return c.plain(18, "bad-txns-inputs-spent")
			}
		}
	}
	return &failure{Code: -25, Message: c.lost}
}

// replaced are the transactions that leave the mempool for another one: the direct conflicts and all that spend of them. The fee has
// to beat theirs.
func (c *chain) replaced(w *waiting, direct []*waiting) (gone []*waiting, refused *failure) {
	gone = slices.Clone(direct)
	for _, other := range c.pool {
		if slices.ContainsFunc(other.tx.TxIn, func(in *wire.TxIn) bool {
			return slices.ContainsFunc(gone, func(g *waiting) bool { return g.txid == in.PreviousOutPoint.Hash })
		}) {
			gone = append(gone, other)
		}
	}
	least := c.incremental * w.size() / 1000
	for _, g := range gone {
		least += g.fee
	}
	if len(gone) > 0 && w.fee < least ||
		slices.ContainsFunc(direct, func(g *waiting) bool { return w.rate() <= g.rate() }) {
		return nil, c.refusal(66, "insufficient fee", "rejecting replacement "+w.txid.String())
	}
	return gone, nil
}

// settle takes out of the mempool what the newest block has mined or made impossible.
func (c *chain) settle() {
	old := c.pool
	c.pool = nil
	for _, w := range old {
		if c.mined[w.txid] == c.tip() {
			continue
		}
		fine := true
		for _, in := range w.tx.TxIn {
			_, ok := c.look(in.PreviousOutPoint)
			fine = fine && ok
		}
		if fine {
			c.pool = append(c.pool, w)
		}
	}
}
