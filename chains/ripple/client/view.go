package client

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/nodes"
)

// Best implements nodes.Client: the newest validated ledger.
func (c *Client) Best(ctx context.Context, heights ...int64) (v nodes.View, err error) {
	best, err := c.Header(ctx, "validated")
	if err != nil {
		return v, err
	}
	hashes, err := c.Hashes(ctx, heights...)
	if err != nil {
		return v, err
	}
	return nodes.View{Best: chains.Mark{Height: best.Index, Hash: best.Hash.String()}, Time: best.Closed, Hashes: hashes}, nil
}

// Hashes implements nodes.Client.
func (c *Client) Hashes(ctx context.Context, heights ...int64) (map[int64]string, error) {
	out := map[int64]string{}
	for _, height := range heights {
		h, err := c.Header(ctx, height)
		switch {
		case Missing(err):
			continue
		case err != nil:
			return nil, err
		}
		out[height] = h.Hash.String()
	}
	return out, nil
}

// Missing reports whether an error says that a node does not have a ledger.
func Missing(err error) bool { return Says(err, "lgrNotFound", "lgrIdxNotFound") }

// Header reads the header of a validated ledger, by its index or as "validated".
func (c *Client) Header(ctx context.Context, ledger any) (h Header, err error) {
	_, h, err = c.read(ctx, ledger, false)
	return h, err
}

// Whole reads a validated ledger with its transactions.
func (c *Client) Whole(ctx context.Context, index int64) (*Ledger, Header, error) {
	return c.read(ctx, index, true)
}

func (c *Client) read(ctx context.Context, ledger any, whole bool) (*Ledger, Header, error) {
	var told Ledger
	params := map[string]any{"ledger_index": ledger, "binary": true}
	if whole {
		params["transactions"], params["expand"] = true, true
	}
	if err := c.Call(ctx, &told, "ledger", params); err != nil {
		return nil, Header{}, err
	}
	h, ok := ReadHeader(told.Ledger.Data)
	index, numbered := ledger.(int64)
	if !ok || !told.Validated || told.Hash != h.Hash.String() || told.Index != h.Index || numbered && h.Index != index {
		return nil, h, fmt.Errorf("%w: ledger %v is not validated, or not itself", chains.ErrDown, ledger)
	}
	return &told, h, nil
}
