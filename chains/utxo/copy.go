package utxo

import (
	"bytes"
	"context"
	"encoding/hex"
	"slices"

	"causeway/chains/utxo/client"
)

// Copy finds a transaction of ours that a mined one is a copy of: it spends the same coins and has the same outputs. Anybody may give
// it another id, by other scripts of its inputs. It returns the bytes of the copy, or -1 if it is none.
func (c *Connector) Copy(ctx context.Context, txid string, ours [][]byte) (of int, raw []byte, err error) {
	id, ok := hashOf(txid)
	if !ok {
		return -1, nil, odd("%.64q is no id of a transaction", txid)
	}
	var text string
	err = c.use(ctx, func(v view) error { return v.ask(ctx, client.Ask(&text, "getrawtransaction", txid, 0)) })
	if err != nil {
		return -1, nil, err
	}
	if raw, err = hex.DecodeString(text); err != nil {
		return -1, nil, odd("transaction %s is not in hex", txid)
	}
	mined, err := parse(raw)
	if err != nil || mined.hash != id {
		return -1, nil, odd("transaction %s is another one", txid)
	}
	for i := range ours {
		if own, err := parse(ours[i]); err == nil && copied(&own, &mined) {
			return i, raw, nil
		}
	}
	return -1, nil, nil
}

// copied reports whether two transactions spend the same coins and pay the same, each in the same order.
func copied(a, b *transaction) bool {
	return slices.EqualFunc(a.ins, b.ins, func(x, y input) bool { return x.from == y.from && x.vout == y.vout }) &&
		slices.EqualFunc(a.outs, b.outs, func(x, y output) bool { return x.units == y.units && bytes.Equal(x.script, y.script) })
}
