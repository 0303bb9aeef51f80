package client

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Header is the head of a block.
type Header struct {
	Hash   string
	Parent string `json:"prev_hash"`
	Height int64
	Time   int64 `json:"timestamp"`
	Orphan bool  `json:"orphan_status"`
}

// Block is a block without its transactions.
type Block struct {
	Blob   string // in hex: header, the miner's transaction, ids of the others
	Header Header `json:"block_header"`
}

// Info is a node's account of itself.
type Info struct {
	Height  int64  // blocks, the first one among them
	Target  int64  `json:"target_height"` // the same of the network's, 0 where the node does not know
	Busy    bool   `json:"busy_syncing"`
	Network string `json:"nettype"`
}

// Tx is a transaction without its proofs.
type Tx struct {
	Hash   string `json:"tx_hash"`
	Pruned string `json:"pruned_as_hex"`
	Proofs string `json:"prunable_hash"` // hash of the proofs
	Height int64  `json:"block_height"`
	InPool bool   `json:"in_pool"`
	Twice  bool   `json:"double_spend_seen"`
	Whole  string `json:"as_hex"`
}

// headed is an answer with one header.
type headed struct {
	Header Header `json:"block_header"`
}

// Newest returns the head of the best block.
func (c *Client) Newest(ctx context.Context) (Header, error) {
	var told headed
	err := c.Call(ctx, &told, "get_last_block_header", nil)
	return checked(told.Header, err)
}

// At returns the head of the block at a height. The error is Missing above the best one.
func (c *Client) At(ctx context.Context, height int64) (Header, error) {
	var told headed
	err := c.Call(ctx, &told, "get_block_header_by_height", map[string]any{"height": height})
	if err == nil && told.Header.Height != height {
		err = &Error{Method: "get_block_header_by_height", Text: "another block than asked for"}
	}
	return checked(told.Header, err)
}

func checked(h Header, err error) (Header, error) {
	if err == nil && (len(h.Hash) != 64 || len(h.Parent) != 64 || h.Height < 0 || h.Time < 0) {
		err = &Error{Method: "block header", Text: "an answer of another shape"}
	}
	return h, err
}

// Best implements nodes.Client. The best block is read before and after the others, so all are of its chain.
func (c *Client) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	best, err := c.Newest(ctx)
	if err != nil {
		return v, err
	}
	v = nodes.View{Best: chains.Mark{Height: best.Height, Hash: best.Hash}, Time: time.Unix(best.Time, 0).UTC()}
	if v.Hashes, err = c.Hashes(ctx, heights...); err != nil {
		return v, err
	}
	after, err := c.At(ctx, best.Height)
	if err == nil && after.Hash != best.Hash {
		err = fmt.Errorf("%w: the chain has changed between two answers", chains.ErrDown)
	}
	return v, err
}

// Hashes implements nodes.Client.
func (c *Client) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	out := map[int64]string{}
	for _, height := range heights {
		h, err := c.At(ctx, height)
		if err == nil {
			out[height] = h.Hash
		} else if !Missing(err) {
			return nil, err
		}
	}
	return out, nil
}

// Pool returns the ids of the transactions in the mempool.
func (c *Client) Pool(ctx context.Context) ([]string, error) {
	var told struct {
		Status string
		Hashes []string `json:"tx_hashes"`
	}
	if err := c.Post(ctx, &told, "/get_transaction_pool_hashes", struct{}{}); err != nil {
		return nil, err
	}
	if told.Status != "OK" {
		return nil, &Error{Method: "/get_transaction_pool_hashes", Text: "status " + nodes.Words(told.Status), Answer: true, busy: true}
	}
	return told.Hashes, nil
}

// together is how many transactions are asked for at once: a node open to others answers no more.
const together = 100

// Transactions returns transactions without their proofs, in the order of their ids. Those that the node does not know are left out.
func (c *Client) Transactions(ctx context.Context, ids []string) (out []Tx, err error) {
	for len(ids) > 0 {
		n := min(together, len(ids))
		var told struct {
			Status string
			Txs    []Tx
		}
		if err := c.Post(ctx, &told, "/get_transactions", map[string]any{"txs_hashes": ids[:n], "prune": true}); err != nil {
			return nil, err
		}
		if told.Status != "OK" {
			return nil, &Error{Method: "/get_transactions", Text: "status " + nodes.Words(told.Status), Answer: true, busy: true}
		}
		out, ids = append(out, told.Txs...), ids[n:]
	}
	return out, nil
}

// Whole returns all bytes of a transaction. The error is Pruned if the node has not kept them.
func (c *Client) Whole(ctx context.Context, id string) ([]byte, error) {
	var told struct{ Txs []Tx }
	if err := c.Post(ctx, &told, "/get_transactions", map[string]any{"txs_hashes": []string{id}}); err != nil {
		return nil, err
	}
	e := &Error{Method: "/get_transactions", Text: "no such transaction", Answer: true}
	if len(told.Txs) == 1 {
		if raw, err := hex.DecodeString(told.Txs[0].Whole); err == nil && len(raw) > 0 {
			return raw, nil
		}
		if e.pruned = told.Txs[0].Whole == "" && told.Txs[0].Pruned != ""; e.pruned {
			e.Text = "the node is pruned, and has not kept all bytes of a transaction"
		}
	}
	return nil, e
}
