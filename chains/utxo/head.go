package utxo

import (
	"context"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/utxo/client"
)

// rereads is how often an answer is asked for again because the chain has changed meanwhile.
const rereads = 5

// aheadMost is how many headers a node may have beyond its blocks. It has them for a moment whenever a block is found.
const aheadMost = 6

// errForked says that the chain has changed between two answers.
var errForked = odd("the chain changes faster than it can be read")

// Head returns the best height and how far blocks may be credited and are final, by confirmations, as far as a second node has them. A
// node that is syncing, or has gone behind a block both followed and final, is down.
func (c *Connector) Head(ctx context.Context, followed int64) (head chains.Head, err error) {
	err = c.use(ctx, func(v view) (err error) {
		head, err = v.head(ctx, followed)
		return err
	})
	if err != nil {
		return chains.Head{}, fmt.Errorf("head: %w", err)
	}
	return head, nil
}

// head is Head, as one node answers.
func (v view) head(ctx context.Context, followed int64) (head chains.Head, err error) {
	for range rereads {
		info, at, err := v.standing(ctx, followed)
		if err != nil {
			return head, err
		}
		if info == nil {
			continue
		}
		made, err := v.timeOfBest(ctx, info)
		if err != nil {
			return head, err
		}
		if head, err = v.judge(info, at, followed, made); err != nil {
			return head, err
		}
		if err := v.nodes.Agree(ctx, v.node, &head, head.Marks[0], v.cfg.depths().Creditable(head), followed); err != nil {
			return head, err
		}
		v.keep(min(head.Final, followed))
		return head, nil
	}
	return head, errForked
}

// best is the best block of a node with its time, which never changes for a hash.
type best struct {
	of     *client.Client
	height int64
	hash   string
	made   time.Time
}

// timeOfBest returns the time of the best block. The node is asked for it once.
func (v view) timeOfBest(ctx context.Context, info *client.Chain) (time.Time, error) {
	if known := v.best.Load(); known != nil && known.of.Same(v.node.Client) && known.height == info.Blocks && known.hash == info.Best {
		return known.made, nil
	}
	var told client.Header
	if err := v.ask(ctx, client.Ask(&told, "getblockheader", info.Best)); err != nil {
		return time.Time{}, err
	}
	if told.Hash != info.Best || told.Height != info.Blocks || told.Time <= 0 {
		return time.Time{}, odd("block %d is not the best one", told.Height)
	}
	made := time.Unix(told.Time, 0).UTC()
	v.best.Store(&best{of: v.node.Client, height: info.Blocks, hash: info.Best, made: made})
	return made, nil
}

// keep remembers a block both followed and final.
func (c *Connector) keep(height int64) {
	for known := c.followed.Load(); height > known && !c.followed.CompareAndSwap(known, height); {
		known = c.followed.Load()
	}
}

// standing asks for the best block and for the hash of the followed one, which is "" above the best. Nil says that the best block has
// changed meanwhile.
func (v view) standing(ctx context.Context, followed int64) (*client.Chain, string, error) {
	var info client.Chain
	var at, best string
	questions := []*client.Question{client.Ask(&info, "getblockchaininfo")}
	if followed >= 0 {
		questions = append(questions, client.Ask(&at, "getblockhash", followed))
	}
	questions = append(questions, client.Ask(&best, "getbestblockhash"))
	if err := v.each(ctx, questions...); err != nil {
		return nil, "", err
	}
	for i, q := range questions {
		middle := i == 1 && len(questions) == 3
		if q.Err != nil && !(middle && client.IsClass(q.Err, client.Missing)) {
			return nil, "", q.Err
		}
	}
	_, named := hashOf(info.Best)
	switch {
	case !named || info.Blocks < 0:
		return nil, "", odd("a best block without its fields")
	case info.Syncing:
		return nil, "", odd("the node is still syncing: it is at block %d of %d", info.Blocks, info.Headers)
	case info.Headers > info.Blocks+aheadMost:
		return nil, "", odd("the node is still syncing: it has blocks up to %d and headers up to %d", info.Blocks, info.Headers)
	case info.Best != best:
		return nil, "", nil
	case at == "" && followed >= 0 && followed <= info.Blocks:
		return nil, "", odd("no block %d below the best one", followed)
	}
	return &info, at, nil
}

// judge applies the rule.
func (v view) judge(info *client.Chain, at string, followed int64, made time.Time) (chains.Head, error) {
	h := chains.Head{Height: info.Blocks, Time: made, Rule: v.ruleInWords(), Marks: []chains.Mark{{Height: info.Blocks, Hash: info.Best}}}
	h.Credit = max(0, h.Height-int64(v.cfg.Rule.Credit)+1)
	h.Final = max(0, h.Height-int64(v.cfg.Rule.Final)+1)
	if at != "" && followed != info.Blocks {
		h.Marks = append(h.Marks, chains.Mark{Height: followed, Hash: at})
	}
	if final := v.followed.Load(); h.Height < final {
		return chains.Head{}, odd("the node went back to block %d, behind block %d, which was final", h.Height, final)
	}
	v.nodes.Saw(v.node, h.Height, h.Time)
	return h, nil
}

func (c *Connector) ruleInWords() string {
	return fmt.Sprintf("credit: %d confirmations, final: %d confirmations", c.cfg.Rule.Credit, c.cfg.Rule.Final)
}

// Hash returns the hash of the block at height now, "" when there is none.
func (c *Connector) Hash(ctx context.Context, height int64) (hash string, err error) {
	if height < 0 {
		return "", c.nodes.Ready(ctx)
	}
	err = c.use(ctx, func(v view) (err error) {
		hash, err = v.hashAt(ctx, height)
		return err
	})
	return hash, err
}

// hashAt is Hash, as one node answers.
func (v view) hashAt(ctx context.Context, height int64) (hash string, err error) {
	err = v.ask(ctx, client.Ask(&hash, "getblockhash", height))
	if client.IsClass(err, client.Missing) {
		return "", nil
	}
	if _, named := hashOf(hash); err == nil && !named {
		err = odd("block %d without its hash", height)
	}
	if err != nil {
		return "", fmt.Errorf("hash of block %d: %w", height, err)
	}
	return hash, nil
}

// HashBelow returns the hash of a block in the chain of another one, "" when the node has another chain. The node is asked for top
// before and after.
func (c *Connector) HashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	if height < 0 || height > top.Height {
		return "", c.nodes.Ready(ctx)
	}
	err = c.use(ctx, func(v view) (err error) {
		hash, err = v.hashBelow(ctx, top, height)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash of block %d below %d: %w", height, top.Height, err)
	}
	return hash, nil
}

// hashBelow is HashBelow, as one node answers.
func (v view) hashBelow(ctx context.Context, top chains.Mark, height int64) (hash string, err error) {
	var before, after client.Header
	err = v.ask(ctx, client.Ask(&before, "getblockheader", top.Hash), client.Ask(&hash, "getblockhash", height),
		client.Ask(&after, "getblockheader", top.Hash))
	if client.IsClass(err, client.Missing) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for _, h := range []client.Header{before, after} {
		if h.Hash != top.Hash || h.Height != top.Height || h.Confirmations < 1 {
			return "", nil
		}
	}
	return hash, nil
}
