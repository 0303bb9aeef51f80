package client

import (
	"context"
	"fmt"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Turn implements nodes.Client.
func (c *Client) Turn(timeout time.Duration, hasty bool) *Client {
	other := c.Within(timeout)
	other.hasty = hasty
	return other
}

// Best implements nodes.Client: all in one batch.
func (c *Client) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	var latest *Header
	headers, questions := byHeight(heights)
	if err := c.Batch(ctx, append([]*Question{Ask(&latest, "eth_getBlockByNumber", "latest", false)}, questions...)...); err != nil {
		return v, err
	}
	height, made, ok := latest.Best()
	if !ok {
		return v, fmt.Errorf("%w: a latest block without its fields", chains.ErrDown)
	}
	return nodes.View{Best: chains.Mark{Height: height, Hash: latest.Hash.Hex()}, Time: made, Hashes: hashes(heights, headers)}, nil
}

// Hashes implements nodes.Client.
func (c *Client) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	headers, questions := byHeight(heights)
	if err := c.Batch(ctx, questions...); err != nil {
		return nil, err
	}
	return hashes(heights, headers), nil
}

// byHeight asks for the headers at some heights.
func byHeight(heights []int64) ([]*Header, []*Question) {
	headers, questions := make([]*Header, len(heights)), make([]*Question, len(heights))
	for i, height := range heights {
		questions[i] = Ask(&headers[i], "eth_getBlockByNumber", hexutil.Uint64(height), false)
	}
	return headers, questions
}

// hashes are those of the headers that say where they stand.
func hashes(heights []int64, headers []*Header) map[int64]string {
	out := map[int64]string{}
	for i, height := range heights {
		if headers[i].Complete(height) {
			out[height] = headers[i].Hash.Hex()
		}
	}
	return out
}
