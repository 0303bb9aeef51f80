package utxo

import (
	"context"
	"encoding/hex"

	"causeway/chains/utxo/client"
)

// transactions asks for transactions by their ids, in blocks and in the mempool. Those that the node does not know are missing.
func (c *Connector) transactions(ctx context.Context, ids []hash) (map[hash]*transaction, error) {
	if c.coin.spoken {
		return c.spokenTransactions(ctx, ids)
	}
	texts := make([]string, len(ids))
	questions := make([]*client.Question, len(ids))
	for i, id := range ids {
		questions[i] = client.Ask(&texts[i], "getrawtransaction", id.String(), 0)
	}
	if err := c.eachKnown(ctx, questions); err != nil {
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

func (c *Connector) spokenTransactions(ctx context.Context, ids []hash) (map[hash]*transaction, error) {
	told := make([]client.Tx, len(ids))
	questions := make([]*client.Question, len(ids))
	for i, id := range ids {
		questions[i] = client.Ask(&told[i], "getrawtransaction", id.String(), 1)
	}
	if err := c.eachKnown(ctx, questions); err != nil {
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

// eachKnown asks questions that the node may have no answer to.
func (c *Connector) eachKnown(ctx context.Context, questions []*client.Question) error {
	if err := c.each(ctx, questions...); err != nil {
		return err
	}
	for _, q := range questions {
		if q.Err != nil && !client.IsClass(q.Err, client.Missing) {
			return q.Err
		}
	}
	return nil
}

// spentBy returns the outputs that inputs spend. One that the node does not know is an error.
func (c *Connector) spentBy(ctx context.Context, ins []input) (map[place]output, error) {
	wanted := map[hash]bool{}
	var ids []hash
	for _, in := range ins {
		if !wanted[in.from] {
			wanted[in.from] = true
			ids = append(ids, in.from)
		}
	}
	found, err := c.transactions(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[place]output, len(ins))
	for _, in := range ins {
		o, ok := found[in.from].output(in.vout)
		if !ok {
			return nil, odd("the node does not know coin %s, which is spent", in.coin())
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
