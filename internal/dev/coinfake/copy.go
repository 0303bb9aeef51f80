package coinfake

import (
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
)

// copy puts a copy in the place of a transaction of the mempool, as any miner can: the scripts of its inputs push the same data by other
// words. It answers the copy's id.
func (c *chain) copy(p params) (any, *failure) {
	var text string
	if !p.read(0, &text) {
		return nil, fail(-1, "fake_copy txid")
	}
	txid, err := chainhash.NewHashFromStr(text)
	if err != nil || c.waiting(*txid) == nil {
		return nil, fail(-5, "Transaction not in mempool")
	}
	w := c.waiting(*txid)
	w.tx = w.tx.Copy()
	for i, in := range w.tx.TxIn {
		parts, err := pushes(in.SignatureScript)
		if err != nil || len(parts) == 0 {
			return nil, fail(-8, "Its scripts do not only push")
		}
		in.SignatureScript = nil
		for _, part := range parts {
			in.SignatureScript = append(append(in.SignatureScript, txscript.OP_PUSHDATA1, byte(len(part))), part...)
		}
		if out, _ := c.look(in.PreviousOutPoint); c.verify(w.tx, i, out.TxOut) != "" {
			return nil, fail(-26, "It does not hold")
		}
	}
	w.txid = w.tx.TxHash()
	return w.txid.String(), nil
}
