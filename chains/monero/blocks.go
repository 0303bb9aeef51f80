package monero

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"causeway/chains"
	"causeway/chains/monero/client"
)

// How many transactions are read at once, and for how long, if there is more than one block.
const (
	mostRead    = 4_000
	longestRead = 8 * time.Second
)

// lastMajor is the newest version of blocks whose rules are known here. A later one may hide payments from this reading.
const lastMajor = 16

// Blocks returns the blocks from a height on, with the transfers to our addresses. Each id is computed of what was read, so two nodes with
// the same hash have told the same.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	if _, err := c.recognise(ctx); err != nil {
		return nil, err
	}
	err = c.node.Use(ctx, func(n node) (err error) {
		for range rereads {
			if out, err = c.stretch(ctx, n, from, limit); !errors.Is(err, errForked) {
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

// stretch reads blocks until they are enough for one step.
func (c *Connector) stretch(ctx context.Context, n node, from int64, limit int) (out []chains.Block, err error) {
	for read, began := 0, time.Now(); len(out) < limit && (len(out) == 0 || read < mostRead && time.Since(began) < longestRead); {
		b, txs, err := readBlock(ctx, n, from+int64(len(out)))
		if client.Missing(err) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) > 0 && out[len(out)-1].Hash != b.parent.String() {
			return nil, errForked
		}
		read += len(txs)
		out = append(out, c.told(b, from+int64(len(out)), txs))
	}
	return out, nil
}

// readBlock reads the block at a height and its transactions, without the miner's: what that pays is locked.
func readBlock(ctx context.Context, n node, height int64) (*parsedBlock, []*transaction, error) {
	var told client.Block
	if err := n.Client.Call(ctx, &told, "get_block", map[string]any{"height": height}); err != nil {
		return nil, nil, err
	}
	raw, err := hex.DecodeString(told.Blob)
	b, ok := parseBlock(raw)
	switch {
	case err != nil || !ok || b.id.String() != told.Header.Hash || told.Header.Height != height:
		return nil, nil, odd("block %d is none", height)
	case b.major > lastMajor:
		return nil, nil, odd("block %d is of version %d, and rules up to version %d are known: a newer Causeway is needed", height, b.major, lastMajor)
	}
	txs, err := readTransactions(ctx, n, b.txs[1:])
	return b, txs, err
}

// readTransactions reads transactions in the order of their ids. One that is missing has left the chain with its block.
func readTransactions(ctx context.Context, n node, ids []hash) ([]*transaction, error) {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	told, err := n.Client.Transactions(ctx, names)
	if err != nil {
		return nil, err
	}
	if len(told) != len(ids) {
		return nil, errForked
	}
	out := make([]*transaction, len(ids))
	for i := range told {
		if out[i], err = readTransaction(ctx, n, &told[i]); err != nil {
			return nil, err
		}
		if out[i].id != ids[i] {
			return nil, odd("transaction %s is another one", names[i])
		}
	}
	return out, nil
}

// readTransaction reads one transaction. Of the first version all bytes are needed.
func readTransaction(ctx context.Context, n node, told *client.Tx) (*transaction, error) {
	raw, err := hex.DecodeString(told.Pruned)
	proofs, hexed := hex.DecodeString(told.Proofs)
	if err == nil && len(raw) > 0 && raw[0] == 1 {
		whole, err := n.Client.Whole(ctx, told.Hash)
		if err != nil {
			return nil, err
		}
		if t, ok := parseFirst(whole); ok {
			return t, nil
		}
	}
	if err == nil && hexed == nil && len(proofs) == 32 {
		if t, ok := parsePruned(raw, hash(proofs)); ok {
			return t, nil
		}
	}
	return nil, odd("transaction %.64s cannot be read", told.Hash)
}

// told returns a block as the follower needs it.
func (c *Connector) told(b *parsedBlock, height int64, txs []*transaction) chains.Block {
	out := chains.Block{Height: height, Hash: b.id.String(), Parent: b.parent.String(), Time: time.Unix(int64(b.made), 0).UTC()}
	for _, t := range txs {
		out.Transfers = append(out.Transfers, c.transfers(t)...)
	}
	return out
}

// transfers returns what a transaction pays to us. Who pays is not in it.
func (c *Connector) transfers(t *transaction) (out []chains.Transfer) {
	for _, a := range c.view.arrivals(t, c.among) {
		out = append(out, chains.Transfer{Txid: t.id.String(), Token: coin, Position: a.place, To: c.view.address(a.minor), Amount: amountOf(a.units)})
	}
	return out
}
