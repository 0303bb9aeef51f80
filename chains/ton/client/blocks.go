package client

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math"
	"time"

	"causeway/chains"
	"causeway/chains/nodes"
)

// masterchain names the one shard of the masterchain, as the API has it.
const (
	masterchain = -1
	shard       = "-9223372036854775808"
)

// Hash is 32 bytes: the hash of a cell.
type Hash [32]byte

// String writes it in hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// UnmarshalText reads it in base64, as the API writes it.
func (h *Hash) UnmarshalText(text []byte) error {
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil || len(raw) != len(h) {
		return fmt.Errorf("not a hash")
	}
	copy(h[:], raw)
	return nil
}

// block is a block as the API names it.
type block struct {
	Workchain int
	Seqno     int64
	Root      Hash `json:"root_hash"`
}

// Header is a block of the masterchain.
type Header struct {
	Seqno        int64
	Hash, Parent string
	Time         time.Time
}

// Tip returns the newest block of the masterchain, and the hash of the chain's first state.
func (c *Client) Tip(ctx context.Context) (tip chains.Mark, first string, err error) {
	var told struct{ Last, Init block }
	if err := c.call(ctx, &told, "getMasterchainInfo", map[string]any{}); err != nil {
		return tip, "", err
	}
	if told.Last.Workchain != masterchain || told.Last.Seqno < 0 || told.Last.Seqno > math.MaxUint32 {
		return tip, "", &Error{Method: "getMasterchainInfo", Text: "the newest block is none of the masterchain"}
	}
	return chains.Mark{Height: told.Last.Seqno, Hash: told.Last.Root.String()}, told.Init.Root.String(), nil
}

// Header returns the block of a seqno.
func (c *Client) Header(ctx context.Context, seqno int64) (h Header, err error) {
	var told struct {
		ID   block
		Time int64   `json:"gen_utime"`
		Prev []block `json:"prev_blocks"`
	}
	err = c.call(ctx, &told, "getBlockHeader", map[string]any{"workchain": masterchain, "shard": shard, "seqno": seqno})
	if err != nil {
		return h, err
	}
	if told.ID.Workchain != masterchain || told.ID.Seqno != seqno || len(told.Prev) != 1 || told.Prev[0].Seqno != seqno-1 || told.Time <= 0 || told.Time > math.MaxUint32 {
		return h, &Error{Method: "getBlockHeader", Text: "not the block that was asked for"}
	}
	return Header{seqno, told.ID.Root.String(), told.Prev[0].Root.String(), time.Unix(told.Time, 0).UTC()}, nil
}

// Best implements nodes.Client.
func (c *Client) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	tip, _, err := c.Tip(ctx)
	if err != nil {
		return v, err
	}
	h, err := c.Header(ctx, tip.Height)
	if err != nil {
		return v, err
	}
	v = nodes.View{Best: chains.Mark{Height: h.Seqno, Hash: h.Hash}, Time: h.Time}
	v.Hashes, err = c.Hashes(ctx, heights...)
	return v, err
}

// Hashes implements nodes.Client.
func (c *Client) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	out := map[int64]string{}
	for _, height := range heights {
		h, err := c.Header(ctx, height)
		if Lacks(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[height] = h.Hash
	}
	return out, nil
}
