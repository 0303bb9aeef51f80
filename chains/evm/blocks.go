package evm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// errForked says that the chain was reorganised while it was read: the parts do not fit together.
var errForked = fmt.Errorf("%w: the chain changed while it was read", chains.ErrDown)

// gone is errForked for a block just seen.
func gone(err error) error {
	if client.IsClass(err, client.NoBlock) {
		return fmt.Errorf("%w: %w", errForked, err)
	}
	return err
}

// rereads is how often a range is read again after errForked.
const rereads = 3

// mostRead is how many transfers are read at once, if there is more than one block. A step holds them all, and they are everybody's.
const mostRead = 15_000

// Blocks returns the blocks from height on with their transfers of the configured tokens, at most limit, and fewer where they are full.
// When the node fails half way, the answer is the blocks read before. Blocks above its head are asked for in vain.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	if err := c.ready(ctx); err != nil {
		return nil, fmt.Errorf("blocks: %w", err)
	}
	last := from + int64(limit) - 1
	var blocks []chains.Block
	read := 0
	for from <= last && read <= mostRead {
		to := min(from+c.stride.Load()-1, last)
		part, err := c.stretch(ctx, from, to)
		c.blameReading(err)
		c.pace(ctx, err)
		if err != nil && len(blocks) == 0 {
			return nil, fmt.Errorf("blocks from %d: %w", from, err)
		}
		if err != nil {
			c.partly(from, err)
			break
		}
		if len(part) == 0 || len(blocks) > 0 && blocks[len(blocks)-1].Hash != part[0].Parent {
			break
		}
		blocks = append(blocks, part...)
		from += int64(len(part))
		for i := range part {
			read += len(part[i].Transfers)
		}
		if from <= to { // the node has no more
			break
		}
	}
	return blocks, nil
}

// partlyFor is the least time between two log lines about blocks read in part.
const partlyFor = time.Minute

// partly logs that blocks were read in part, at most once in partlyFor, with the number of times since the last such line.
func (c *Connector) partly(from int64, err error) {
	times, last := c.cut.times.Add(1), c.cut.told.Load()
	if now := time.Now().UnixNano(); now-last >= int64(partlyFor) && c.cut.told.CompareAndSwap(last, now) {
		c.cut.times.Add(-times)
		c.log.WithError(err).WithField("height", from).WithField("times", times).Warn("blocks: read only in part")
	}
}

// blameReading has the next node asked after an impossible answer, parts that do not fit together however often they are read, and
// a single block that does not come in time.
func (c *Connector) blameReading(err error) {
	if errors.Is(err, errForked) || client.IsClass(err, client.Late) && c.stride.Load() == 1 {
		c.node.Blame(err)
		return
	}
	c.blame(err)
}

// pace has fewer blocks read at once after they took too long, and then more again, one by one.
func (c *Connector) pace(ctx context.Context, err error) {
	switch stride := c.stride.Load(); {
	case client.IsClass(err, client.Late), errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.stride.Store(max(stride/4, 1))
	case err == nil:
		c.stride.Store(min(stride+1, int64(c.cfg.Batch)))
	}
}

// stretch reads the blocks from..to in one batch, and reads again when they change meanwhile.
func (c *Connector) stretch(ctx context.Context, from, to int64) (blocks []chains.Block, err error) {
	for range rereads {
		blocks, err = c.read(ctx, from, to)
		if !errors.Is(err, errForked) {
			return blocks, err
		}
	}
	return nil, err
}

func (c *Connector) read(ctx context.Context, from, to int64) ([]chains.Block, error) {
	full, err := c.full(ctx, from, to)
	if err != nil || len(full) == 0 {
		return nil, err
	}
	logs, err := c.logs(ctx, full)
	if err != nil {
		return nil, err
	}
	moved, err := c.succeeded(ctx, full)
	if err != nil {
		return nil, err
	}
	inner, err := c.inner(ctx, full)
	if err != nil {
		return nil, err
	}
	blocks := make([]chains.Block, len(full))
	for i, b := range full {
		blocks[i] = chains.Block{
			Height: int64(*b.Number), Hash: b.Hash.Hex(), Parent: b.ParentHash.Hex(),
			Time:      time.Unix(int64(*b.Timestamp), 0).UTC(),
			Transfers: c.transfers(moved[*b.Hash], inner[*b.Hash], logs[*b.Hash]),
		}
	}
	return blocks, nil
}

// full asks for whole blocks. Where the node has no more, the answer is shorter; each is the child of the one before.
func (c *Connector) full(ctx context.Context, from, to int64) ([]*client.Block, error) {
	blocks := make([]*client.Block, to-from+1)
	questions := make([]*client.Question, len(blocks))
	for i := range blocks {
		questions[i] = client.Ask(&blocks[i], "eth_getBlockByNumber", hexutil.Uint64(from+int64(i)), true).Without("input", "accessList")
	}
	if err := c.node.Batch(ctx, questions...); err != nil {
		return nil, err
	}
	for i, b := range blocks {
		if b == nil {
			return blocks[:i], nil
		}
		if !b.Complete(from+int64(i)) || b.Transactions == nil {
			return nil, odd("block %d without its fields", from+int64(i))
		}
		if i > 0 && *b.ParentHash != *blocks[i-1].Hash {
			return nil, errForked
		}
	}
	return blocks, nil
}
