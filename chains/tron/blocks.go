package tron

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/tron/client"
)

// blocksAtOnce is how many blocks are asked for at the same time.
const blocksAtOnce = 4

// How many transfers a step reads, and for how long, if there is more than one stretch of blocks.
const (
	mostMoves   = 10_000
	longestRead = 8 * time.Second
)

// Blocks returns the blocks from a height on, with transfers to everybody.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = c.use(ctx, func(v view) (err error) {
		for range rereads {
			if out, err = v.stretch(ctx, from, limit); !errors.Is(err, errForked) {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	return out, nil
}

func (v view) stretch(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	best, err := v.newest(ctx, whole)
	if err != nil {
		return nil, err
	}
	n := min(best.Header.Raw.Number-from+1, int64(limit))
	if n <= 0 {
		return nil, nil
	}
	out := make([]chains.Block, 0, n)
	began, moves, width := time.Now(), 0, int64(blocksAtOnce)
	for int64(len(out)) < n && moves < mostMoves && time.Since(began) < longestRead {
		at := from + int64(len(out))
		read, err := v.run(ctx, at, int(min(width, from+n-at)))
		switch {
		case errors.Is(err, errLate) && width > 1: // the blocks below are told
			width = 1
			continue
		case errors.Is(err, errLate):
			return out, nil
		case err != nil:
			return nil, err
		}
		for _, b := range read {
			if last := len(out) - 1; last >= 0 && b.parent != out[last].Hash {
				return nil, errForked
			}
			told := v.told(b)
			moves += len(told.Transfers)
			out = append(out, told)
		}
	}
	return out, nil
}

// run reads blocks in a row, each the parent of the next.
func (v view) run(ctx context.Context, from int64, n int) ([]*block, error) {
	if kept := v.recent.row(from, n); kept != nil { // the id of the last names all before it
		h, err := v.at(ctx, from+int64(n)-1)
		if err != nil {
			return nil, err
		}
		if h != nil && h.ID == kept[n-1].id {
			return kept, nil
		}
	}
	read := make([]*block, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(blocksAtOnce)
	for i := range read {
		group.Go(func() (err error) {
			read[i], err = v.block(ctx, from+int64(i))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := 1; i < n; i++ {
		if read[i].parent != read[i-1].id {
			return nil, errForked
		}
	}
	return read, nil
}

// num asks about the block at a height.
type num struct {
	Num int64 `json:"num"`
}

// block reads the block at a height. One that was read before is not read again, if its header is still there.
func (v view) block(ctx context.Context, height int64) (*block, error) {
	if known := v.recent.at(height); known != nil {
		h, err := v.at(ctx, height)
		if err != nil {
			return nil, err
		}
		if h != nil && h.ID == known.id {
			return known, nil
		}
	}
	var told client.Block
	if err := v.ask(ctx, &told, "wallet/getblockbynum", num{height}); err != nil {
		return nil, err
	}
	if told.ID == "" {
		return nil, errForked
	}
	b, err := v.parseBlock(&told, height)
	if err != nil {
		return nil, err
	}
	if len(b.txs) > 0 && height > 0 {
		infos, err := v.infos(ctx, height)
		if err != nil {
			return nil, err
		}
		if err := b.addInfos(infos); err != nil {
			return nil, err
		}
		if err := v.confirm(ctx, b); err != nil {
			return nil, err
		}
	}
	v.recent.keep(b)
	return b, nil
}

// infos reads what the transactions of a block did. A node without any answers with nothing, or with an empty object.
func (v view) infos(ctx context.Context, height int64) ([]client.Info, error) {
	var list client.Infos
	err := v.ask(ctx, &list, "wallet/gettransactioninfobyblocknum", num{height})
	return list, err
}

// told returns a block as the follower needs it.
func (c *Connector) told(b *block) chains.Block {
	out := chains.Block{Height: b.height, Hash: b.id, Parent: b.parent, Time: b.time}
	for i := range b.txs {
		t := &b.txs[i]
		if t.known {
			out.Sent = append(out.Sent, chains.Sending{Txid: t.id.String(), From: addresses.TronOf(t.owner)})
		}
		out.Transfers = append(out.Transfers, c.transfers(t)...)
	}
	return out
}

// transfers returns what a transaction moved: TRX by itself, or tokens of the catalogue by the logs of their exact contracts. Moves of
// nothing and to oneself are none, and neither are other currencies and what contracts send of TRX.
func (c *Connector) transfers(t *transaction) (out []chains.Transfer) {
	if !t.succeeded {
		return nil
	}
	if t.kind == kindTransfer {
		if !t.known || t.units <= 0 || t.owner == t.to {
			return nil
		}
		return []chains.Transfer{{Txid: t.id.String(), Token: coin.symbol, From: addresses.TronOf(t.owner), To: addresses.TronOf(t.to), Amount: sun(t.units)}}
	}
	tables := c.known.Load()
	if len(t.logs) == 0 {
		return nil
	}
	next, id := map[string]int{}, t.id.String()
	for _, m := range t.logs {
		token, ours := tables.byContract[m.contract]
		if !ours || m.units.Sign() <= 0 || m.from == m.to {
			continue
		}
		out = append(out, chains.Transfer{Txid: id, Token: token.symbol, Position: next[token.symbol], From: addresses.TronOf(m.from),
			To: addresses.TronOf(m.to), Amount: token.amount(m.units)})
		next[token.symbol]++
	}
	return out
}

// recentBlocks is how many blocks are kept: those of the unsolid part of the chain, and some more.
const recentBlocks = 64

// recent are the last blocks read, by height.
type recent struct {
	sync.Mutex
	blocks map[int64]*block
}

func (r *recent) at(height int64) *block {
	r.Lock()
	defer r.Unlock()
	return r.blocks[height]
}

// row returns blocks in a row, each the parent of the next; nil if one of them is not kept.
func (r *recent) row(from int64, n int) []*block {
	r.Lock()
	defer r.Unlock()
	out := make([]*block, n)
	for i := range out {
		b := r.blocks[from+int64(i)]
		if b == nil || i > 0 && b.parent != out[i-1].id {
			return nil
		}
		out[i] = b
	}
	return out
}

func (r *recent) keep(b *block) {
	r.Lock()
	defer r.Unlock()
	if r.blocks == nil {
		r.blocks = map[int64]*block{}
	}
	r.blocks[b.height] = b
	for height := range r.blocks {
		if height <= b.height-recentBlocks {
			delete(r.blocks, height)
		}
	}
	for height := range r.blocks { // a reader of old blocks keeps no more
		if len(r.blocks) <= recentBlocks {
			break
		}
		delete(r.blocks, height)
	}
}

func heightText(height int64) string { return strconv.FormatInt(height, 10) }
