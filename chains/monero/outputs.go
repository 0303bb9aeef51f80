package monero

import (
	"context"
	"maps"
)

// outputs are a wallet's outputs as it has told them, so that those long spent need not be told again.
type outputs struct {
	all    []entry
	at     map[string]int // places in all, by one-time key and transaction
	height int64          // up to which the wallet had read
	hash   string         // of the block there
}

// relistAfter is after how many blocks a wallet is asked for all outputs again. What came in fewer blocks cannot be spent in them: a coin may
// be spent in the tenth block after its own.
const relistAfter = 5

// list returns all outputs that the wallet has found in blocks, spent ones too. It asks for those that are not spent, unless something may
// have come and gone since the last time.
func (w *wallet) list(ctx context.Context) ([]entry, error) {
	height, hash, same, err := w.since(ctx)
	if err != nil {
		return nil, err
	}
	if same {
		some, err := w.outputs(ctx, "available")
		if err != nil {
			return nil, err
		}
		if w.told.merge(some) {
			w.told.height, w.told.hash = height, hash
			return w.told.all, nil
		}
	}
	w.told, w.ended = outputs{}, ended{}
	all, err := w.outputs(ctx, "all")
	if err != nil {
		return nil, err
	}
	w.told = outputs{all: all, at: map[string]int{}, height: height, hash: hash}
	for i, e := range all {
		w.told.at[e.Key+e.Txid] = i
	}
	return all, nil
}

// outputs asks the server for outputs in blocks: all, or those available, which are not spent.
func (w *wallet) outputs(ctx context.Context, which string) ([]entry, error) {
	var told struct{ Transfers []entry }
	err := w.server.Call(ctx, &told, "incoming_transfers", account(map[string]any{"transfer_type": which}))
	return told.Transfers, err
}

// since returns where the wallet stands now, and whether this is a few blocks above where it stood the last time, on the same chain.
func (w *wallet) since(ctx context.Context) (height int64, hash string, same bool, err error) {
	var told struct{ Height int64 }
	if err := w.server.Call(ctx, &told, "get_height", nil); err != nil {
		return 0, "", false, err
	}
	height = told.Height - 1
	last := w.told.height
	err = w.node.Use(ctx, func(n node) error {
		hashes, err := n.Client.Hashes(ctx, height, last)
		hash = hashes[height]
		same = w.told.all != nil && height >= last && height <= last+relistAfter && hash != "" && hashes[last] == w.told.hash
		return err
	})
	return height, hash, same, err
}

// merge takes over the outputs that are not spent. Others of before are spent by now. It reports false for an output that was spent without
// a key image: only the whole list has it.
func (o *outputs) merge(some []entry) bool {
	there := make(map[int]bool, len(some))
	for _, e := range some {
		i, known := o.at[e.Key+e.Txid]
		if !known {
			i = len(o.all)
			o.all, o.at[e.Key+e.Txid] = append(o.all, e), i
		}
		o.all[i], there[i] = e, true
	}
	for i := range o.all {
		if e := &o.all[i]; !e.Spent && !there[i] {
			if e.Image == "" {
				return false
			}
			e.Spent = true
		}
	}
	return true
}

// settledAfter is after how many blocks a spend is never undone: a follower halts before that.
const settledAfter = 1_000

// ended are the heights at which key images of ours were spent, up to a height so far back that none changes.
type ended struct {
	height int64
	at     map[string]int64
}

// spentAt returns the heights at which key images of ours were spent, while the wallet has read up to a height. Each transaction is read
// once, and asked for until it is settled.
func (w *wallet) spentAt(ctx context.Context, height int64) (map[string]int64, error) {
	var told struct {
		Out []struct {
			Txid   string
			Height int64
		}
	}
	err := w.server.Call(ctx, &told, "get_transfers", account(map[string]any{"out": true, "filter_by_height": true, "min_height": w.ended.height}))
	if err != nil {
		return nil, err
	}
	heights := map[string]int64{}
	for _, o := range told.Out {
		heights[o.Txid] = o.Height
	}
	images, err := w.imagesOf(ctx, heights)
	if err != nil {
		return nil, err
	}
	if w.ended.at == nil {
		w.ended.at = map[string]int64{}
	}
	out := maps.Clone(w.ended.at)
	settled := max(w.ended.height, height-settledAfter)
	for txid, at := range heights {
		for _, image := range images[txid] {
			if out[image] = at; at <= settled {
				w.ended.at[image] = at
			}
		}
	}
	w.ended.height = settled
	return out, nil
}
