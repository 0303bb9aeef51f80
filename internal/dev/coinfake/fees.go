package coinfake

import (
	"cmp"
	"slices"

	"github.com/btcsuite/btcd/wire/v2"
)

func (c *chain) poolInfo(params) (any, *failure) {
	var bytes int64
	for _, w := range c.pool {
		bytes += w.size()
	}
	loaded, least := any(absent{}), any(absent{})
	if c.relay > 0 {
		loaded, least = true, money(c.relay)
	}
	return object{"loaded", loaded, "size", len(c.pool), "bytes", bytes, "mempoolminfee", money(c.relay), "minrelaytxfee", least}, nil
}

// rawPool lists the mempool. Nodes that replace name what pays most first.
func (c *chain) rawPool(p params) (any, *failure) {
	if p.verbosity(0, 0) > 0 {
		out := object{}
		for _, w := range c.pool {
			out = append(out, w.txid.String(), c.showWaiting(w))
		}
		return out, nil
	}
	ordered := slices.Clone(c.pool)
	if c.order == byFee {
		slices.SortStableFunc(ordered, func(a, b *waiting) int { return cmp.Compare(b.rate(), a.rate()) })
	}
	out := make([]string, len(ordered))
	for i, w := range ordered {
		out[i] = w.txid.String()
	}
	return out, nil
}

func (c *chain) poolEntry(p params) (any, *failure) {
	txid, _ := p.hash(0)
	w := c.waiting(txid)
	if w == nil {
		return nil, fail(-5, "Transaction not in mempool")
	}
	return c.showWaiting(w), nil
}

func (c *chain) showWaiting(w *waiting) object {
	fee, size, at := money(w.fee), w.size(), w.at.Unix()
	depends, spentBy := c.relatives(w)
	switch c.network {
	case "BitcoinCash":
		return object{"fees", object{"base", fee, "modified", fee}, "size", size, "time", at, "depends", depends, "spentby", spentBy}
	case "BitcoinGold":
		opted := slices.ContainsFunc(w.tx.TxIn, func(in *wire.TxIn) bool { return in.Sequence < wire.MaxTxInSequenceNum-1 })
		return object{"fees", object{"base", fee, "modified", fee}, "vsize", size, "weight", weight(w.tx), "fee", fee,
			"modifiedfee", fee, "time", at, "height", w.height, "wtxid", w.tx.WitnessHash().String(), "depends", depends,
			"spentby", spentBy, "bip125-replaceable", opted}
	}
	return object{"size", size, "fee", fee, "modifiedfee", fee, "time", at, "height", w.height, "depends", depends}
}

// relatives are the transactions of the mempool that one spends of, and those that spend of it.
func (c *chain) relatives(w *waiting) (depends, spentBy []string) {
	depends, spentBy = []string{}, []string{}
	for _, in := range w.tx.TxIn {
		if c.waiting(in.PreviousOutPoint.Hash) != nil {
			depends = append(depends, in.PreviousOutPoint.Hash.String())
		}
	}
	for n := range w.tx.TxOut {
		if by := c.spender(wire.OutPoint{Hash: w.txid, Index: uint32(n)}); by != nil {
			spentBy = append(spentBy, by.txid.String())
		}
	}
	return depends, spentBy
}

// smartFee has too few blocks with payments to estimate from, as a fresh chain does.
func (c *chain) smartFee(p params) (any, *failure) {
	var blocks int
	if !p.read(0, &blocks) {
		return nil, fail(-1, "estimatesmartfee nblocks")
	}
	if c.network == "Dogecoin" {
		return object{"feerate", -1, "blocks", 25}, nil
	}
	return object{"errors", []string{"Insufficient data or no feerate found"}, "blocks", 0}, nil
}

// plainFee takes a number of blocks on Dogecoin, and no argument on BitcoinCash.
func (c *chain) plainFee(p params) (any, *failure) {
	if c.network == "Dogecoin" {
		if len(p) != 1 {
			return nil, fail(-1, "estimatefee nblocks")
		}
		return -1, nil
	}
	if len(p) != 0 {
		return nil, fail(-1, "estimatefee")
	}
	return money(c.relay), nil
}
