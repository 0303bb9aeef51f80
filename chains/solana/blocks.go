package solana

import (
	"context"
	"fmt"

	"causeway/chains"
)

// Blocks returns blocks of ours from a height on, with the transfers to the addresses that were asked for, and all of the hot wallet.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	err = c.use(ctx, func(v view) (err error) {
		out, err = v.blocks(ctx, from, limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	return out, nil
}

// blocks is Blocks, as one node answers.
func (v view) blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	tip, err := v.tip(ctx)
	if err != nil {
		return nil, err
	}
	n := int(min(tip-from+1, int64(limit)))
	if n <= 0 {
		return nil, nil
	}
	return v.stretch(ctx, from, n)
}

// stretch reads blocks of ours in a row. The blocks come first, then the addresses to ask for, then their accounts: a payment to an address
// that is made later cannot be in them.
func (v view) stretch(ctx context.Context, from int64, n int) ([]chains.Block, error) {
	row, err := v.row(ctx, from, n)
	if err != nil {
		return nil, err
	}
	owners, err := v.owners(ctx)
	if err != nil {
		return nil, err
	}
	last := from + int64(n) - 1
	read, tables, to, err := v.changes(ctx, owners, first(from), end(last))
	if err != nil {
		return nil, err
	}
	out := make([]chains.Block, (to+1)/slotsOfGroup-from)
	for i, g := range row[:len(out)] {
		out[i] = chains.Block{Height: g.height, Hash: g.hash, Parent: g.parent, Time: g.time}
	}
	for _, d := range read {
		at := d.slot/slotsOfGroup - from
		if d.slot < first(from) || at >= int64(len(out)) {
			continue
		}
		for _, k := range d.keys[:d.signers] {
			out[at].Sent = append(out[at].Sent, chains.Sending{Txid: d.id, From: k.String()})
		}
		out[at].Transfers = append(out[at].Transfers, d.transfers(tables, v.hot)...)
	}
	return out, nil
}
