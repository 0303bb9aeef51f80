package solana

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"causeway/chains/solana/client"
)

// A block of ours is 16 slots of the finalized chain, about six seconds. Its number is that of the first slot by 16, and its hash that of the
// last block in it, with the count of blocks: by this clock transactions die, so nodes and processes have to agree on it, too. Nothing else is followed, so no block of ours ever vanishes.
const slotsOfGroup = 16

// askedAtOnce is how many questions are asked at the same time.
const askedAtOnce = 8

// group is a block of ours.
type group struct {
	height       int64
	hash, parent string
	last         int64 // the slot of the last block in it or before it
	blockhash    string
	blockHeight  int64 // of that block: a count without the slots that were skipped
	time         time.Time
}

// first and end are the first and the last slot of a block of ours.
func first(height int64) int64 { return height * slotsOfGroup }
func end(height int64) int64   { return first(height+1) - 1 }

// finalized is how questions ask for the finalized chain.
type finalized struct {
	Commitment     string `json:"commitment"`
	MinContextSlot int64  `json:"minContextSlot,omitempty"`
	Encoding       string `json:"encoding,omitempty"`
}

func atLeast(slot int64) finalized { return finalized{Commitment: "finalized", MinContextSlot: slot} }

// tip returns the newest block of ours that is whole.
func (p *peer) tip(ctx context.Context) (int64, error) {
	var slot int64
	if err := p.Ask(ctx, &slot, "getSlot", atLeast(0)); err != nil {
		return 0, err
	}
	height := (slot+1)/slotsOfGroup - 1
	if slot < 0 || height < 0 {
		return 0, odd("the node has no %d final slots yet", slotsOfGroup)
	}
	return height, nil
}

// group reads one block of ours.
func (p *peer) group(ctx context.Context, height int64) (*group, error) {
	all, err := p.row(ctx, height, 1)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// row reads blocks of ours in a row. They are final, so those known are not asked for again.
func (p *peer) row(ctx context.Context, from int64, n int) ([]*group, error) {
	if kept := p.groups.row(from, n); kept != nil {
		return kept, nil
	}
	lasts, err := p.lasts(ctx, from-1, n+1)
	if err != nil {
		return nil, err
	}
	out := make([]*group, n+1)
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(askedAtOnce)
	for i, last := range lasts {
		asking.Go(func() (err error) {
			out[i], err = p.ending(ctx, from-1+int64(i), last)
			return err
		})
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	if kept := p.groups.row(from-1, 1); kept != nil && kept[0].hash != out[0].hash {
		return nil, odd("block %d was %s, and is %s", from-1, kept[0].hash, out[0].hash)
	}
	for i := 1; i <= n; i++ {
		if was := out[i-1]; was != nil {
			out[i].parent = was.hash
			if grown := out[i].blockHeight - was.blockHeight; grown < 0 || grown > out[i].last-was.last {
				return nil, odd("block %d counts %d blocks more than the one before it, in %d slots", out[i].height, grown, out[i].last-was.last)
			}
		}
	}
	p.groups.keep(out[1:])
	return out[1:], nil
}

// lasts returns the slots of the last blocks up to the ends of blocks of ours in a row. One without any block has the last of those before.
func (p *peer) lasts(ctx context.Context, from int64, n int) ([]int64, error) {
	top := end(from + int64(n) - 1)
	for low := first(max(from, 0)); ; low = max(0, low-furtherBack) {
		var slots []int64
		if err := p.Ask(ctx, &slots, "getBlocks", low, top, atLeast(top)); err != nil { // one that is behind would leave out the last ones
			return nil, err
		}
		out := make([]int64, n)
		at, before := 0, int64(-1)
		for i := range out {
			for at < len(slots) && slots[at] <= end(from+int64(i)) {
				if slots[at] <= before || slots[at] < low {
					return nil, odd("the list of slots is in no order")
				}
				before = slots[at]
				at++
			}
			out[i] = before
		}
		if from < 0 {
			out[0] = 0 // there is no block of ours before the first
		}
		if out[0] >= 0 {
			return out, nil
		}
		if low == 0 || first(from)-low > furthestBack {
			return nil, odd("the node has no block near slot %d", first(from))
		}
	}
}

// How far back a block is looked for, where slots are empty.
const (
	furtherBack  = 1_000
	furthestBack = 100_000
)

// blockQuestion asks for a block without its transactions.
type blockQuestion struct {
	Commitment string `json:"commitment"`
	Details    string `json:"transactionDetails"`
	Rewards    bool   `json:"rewards"`
	Versions   int    `json:"maxSupportedTransactionVersion"`
}

// anyVersion has the node tell transactions of every version that it knows.
const anyVersion = 127

// ending reads the block of ours that ends with the block of a slot. A node that tells a block has written the lists of signatures up to it.
func (p *peer) ending(ctx context.Context, height, slot int64) (*group, error) {
	if height < 0 {
		return nil, nil
	}
	var b client.Block
	if err := p.Ask(ctx, &b, "getBlock", slot, blockQuestion{"finalized", "none", false, anyVersion}); err != nil {
		return nil, err
	}
	if !isHash(b.Blockhash) || b.BlockHeight == nil || b.BlockTime == nil || *b.BlockHeight < 0 || *b.BlockHeight > slot || *b.BlockTime < 0 {
		return nil, odd("the block of slot %d without its fields", slot)
	}
	g := &group{height: height, hash: fmt.Sprintf("%s/%d", b.Blockhash, *b.BlockHeight), last: slot, blockhash: b.Blockhash, blockHeight: *b.BlockHeight, time: time.Unix(*b.BlockTime, 0).UTC()}
	if slot < first(height) {
		g.hash = fmt.Sprintf("%s+%d", g.hash, height) // no slot of it has a block
	}
	return g, nil
}

// groupsKept is how many blocks of ours are kept.
const groupsKept = 4_096

// groups are the blocks of ours that were read.
type groups struct {
	sync.Mutex
	known map[int64]*group
}

func (g *groups) row(from int64, n int) []*group {
	g.Lock()
	defer g.Unlock()
	out := make([]*group, n)
	for i := range out {
		if out[i] = g.known[from+int64(i)]; out[i] == nil {
			return nil
		}
	}
	return out
}

func (g *groups) keep(read []*group) {
	g.Lock()
	defer g.Unlock()
	if g.known == nil || len(g.known) > groupsKept {
		g.known = map[int64]*group{}
	}
	for _, each := range read {
		g.known[each.height] = each
	}
}

func (g *groups) forget() {
	g.Lock()
	defer g.Unlock()
	g.known = nil
}
