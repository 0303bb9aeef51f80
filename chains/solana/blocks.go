package solana

import (
	"context"
	"errors"
	"fmt"

	"causeway/chains"
)

// Blocks returns blocks of ours from a height on, with the transfers to the addresses that were asked for, and all of the hot wallet.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) ([]chains.Block, error) {
	tip, err := c.tip(ctx)
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	n := int(min(tip-from+1, int64(limit)))
	for ; n > 0; n /= 2 {
		out, err := c.stretch(ctx, from, n)
		if errors.Is(err, errTooMany) && n > 1 {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("blocks from %d: %w", from, err)
		}
		return out, nil
	}
	return nil, nil
}

// stretch reads blocks of ours in a row. The blocks come first, then the addresses to ask for, then their accounts: a payment to an address
// that is made later cannot be in them.
func (c *Connector) stretch(ctx context.Context, from int64, n int) ([]chains.Block, error) {
	row, err := c.row(ctx, from, n)
	if err != nil {
		return nil, err
	}
	owners, err := c.owners(ctx)
	if err != nil {
		return nil, err
	}
	last := from + int64(n) - 1
	read, tables, err := c.changes(ctx, owners, first(from), end(last))
	if err != nil {
		return nil, err
	}
	out := make([]chains.Block, n)
	for i, g := range row {
		out[i] = chains.Block{Height: g.height, Hash: g.hash, Parent: g.parent, Time: g.time}
	}
	for _, d := range read {
		at := d.slot/slotsOfGroup - from
		if d.slot < first(from) || at >= int64(n) {
			continue
		}
		for _, k := range d.keys[:d.signers] {
			out[at].Sent = append(out[at].Sent, chains.Sending{Txid: d.id, From: k.String()})
		}
		out[at].Transfers = append(out[at].Transfers, d.transfers(tables, c.hot)...)
	}
	return out, nil
}
