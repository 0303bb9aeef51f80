package utxo

import (
	"context"
	"encoding/hex"

	"causeway/chains/utxo/client"
)

// transactions asks for transactions by their ids, in blocks and in the mempool. Those that the node does not know are missing.
func (v view) transactions(ctx context.Context, ids []hash) (map[hash]*transaction, error) {
	if v.coin.spoken {
		return v.spokenTransactions(ctx, ids)
	}
	texts := make([]string, len(ids))
	questions := make([]*client.Question, len(ids))
	for i, id := range ids {
		questions[i] = client.Ask(&texts[i], "getrawtransaction", id.String(), 0)
	}
	if err := v.eachKnown(ctx, questions); err != nil {
		return nil, err
	}
	out := make(map[hash]*transaction, len(ids))
	for i, id := range ids {
		if texts[i] == "" {
			continue
		}
		raw, err := hex.DecodeString(texts[i])
		if err != nil {
			return nil, odd("transaction %s is not in hex", id)
		}
		t, err := parse(raw)
		if err != nil || t.hash != id {
			return nil, odd("transaction %s is another one", id)
		}
		out[id] = &t
	}
	return out, nil
}

func (v view) spokenTransactions(ctx context.Context, ids []hash) (map[hash]*transaction, error) {
	told := make([]client.Tx, len(ids))
	questions := make([]*client.Question, len(ids))
	for i, id := range ids {
		questions[i] = client.Ask(&told[i], "getrawtransaction", id.String(), 1)
	}
	if err := v.eachKnown(ctx, questions); err != nil {
		return nil, err
	}
	out := make(map[hash]*transaction, len(ids))
	for i, id := range ids {
		if told[i].Txid == "" {
			continue
		}
		t, err := spoken(&told[i])
		if err != nil {
			return nil, err
		}
		if t.hash != id {
			return nil, odd("transaction %s is another one", id)
		}
		out[id] = &t
	}
	return out, nil
}

// coinsSpent returns the outputs that inputs spend, as the first node knows them that has all.
func (c *Connector) coinsSpent(ctx context.Context, ins []input) (out map[place]output, err error) {
	err = c.use(ctx, func(v view) (err error) {
		out, err = v.spentBy(ctx, ins)
		return err
	})
	return out, err
}

// spentBy returns the outputs that inputs spend. One that the node does not know is an error.
func (v view) spentBy(ctx context.Context, ins []input) (map[place]output, error) {
	wanted := map[hash]bool{}
	var ids []hash
	for _, in := range ins {
		if !wanted[in.from] {
			wanted[in.from] = true
			ids = append(ids, in.from)
		}
	}
	found, err := v.transactions(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[place]output, len(ins))
	for _, in := range ins {
		o, ok := found[in.from].output(in.vout)
		if !ok {
			return nil, lacking("the node does not know coin %s, which is spent", in.coin())
		}
		out[in.place()] = o
	}
	return out, nil
}

// place is the place of a coin.
type place struct {
	from hash
	vout uint32
}

func (in input) place() place { return place{in.from, in.vout} }

// output returns the output at a place.
func (t *transaction) output(vout uint32) (output, bool) {
	if t == nil {
		return output{}, false
	}
	for _, o := range t.outs {
		if o.vout == vout {
			return o, true
		}
	}
	return output{}, false
}
