package utxo

import (
	"context"
	"sync"

	"causeway/chains/utxo/client"
)

// coinbases remembers the coinbases of the blocks read last, by the block's hash.
type coinbases struct {
	sync.Mutex
	known map[string]*transaction
	order []string
}

// remembered is how many coinbases are kept: more than there are blocks until the last one may be spent.
const remembered = 1000

func (k *coinbases) keep(block string, t *transaction) {
	k.Lock()
	defer k.Unlock()
	if k.known == nil {
		k.known = map[string]*transaction{}
	}
	if k.known[block] != nil {
		return
	}
	k.known[block] = &transaction{hash: t.hash, coinbase: true, outs: cloned(t.outs)}
	if k.order = append(k.order, block); len(k.order) > remembered {
		delete(k.known, k.order[0])
		k.order = k.order[1:]
	}
}

// cloned copies outputs, which would keep the bytes of their block in memory.
func cloned(outs []output) []output {
	out := make([]output, len(outs))
	for i, o := range outs {
		o.script = append([]byte(nil), o.script...)
		out[i] = o
	}
	return out
}

func (k *coinbases) of(block string) *transaction {
	k.Lock()
	defer k.Unlock()
	return k.known[block]
}

// coinbase returns the coinbase of a block. The node is asked for those of blocks read by an earlier process.
func (v view) coinbase(ctx context.Context, block string) (*transaction, error) {
	if t := v.coinbases.of(block); t != nil {
		return t, nil
	}
	var told struct {
		Hash string   `json:"hash"`
		Tx   []string `json:"tx"`
	}
	if err := v.ask(ctx, client.Ask(&told, "getblock", block, 1)); err != nil {
		return nil, v.forked(err)
	}
	if told.Hash != block || len(told.Tx) == 0 {
		return nil, odd("block %s without its coinbase", block)
	}
	id, ok := hashOf(told.Tx[0])
	if !ok {
		return nil, odd("block %s without its coinbase", block)
	}
	found, err := v.transactions(ctx, []hash{id})
	if err != nil {
		return nil, err
	}
	t := found[id]
	if t == nil || !t.coinbase {
		return nil, odd("the coinbase of block %s is none, or not there", block)
	}
	v.coinbases.keep(block, t)
	return t, nil
}
