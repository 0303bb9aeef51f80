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
// the same hash have told the same. The wallet has to have read them too: it knows what of ours they spend.
func (c *Connector) Blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	if _, err := c.recognise(ctx); err != nil {
		return nil, err
	}
	for range rereads {
		if out, err = c.blocks(ctx, from, limit); !errors.Is(err, errForked) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("blocks from %d: %w", from, err)
	}
	return out, nil
}

// blocks is Blocks, unless the chain changes meanwhile.
func (c *Connector) blocks(ctx context.Context, from int64, limit int) (out []chains.Block, err error) {
	var read []followed
	err = c.node.Use(ctx, func(n node) (err error) {
		read, err = stretch(ctx, n, from, limit)
		return err
	})
	if err != nil || len(read) == 0 {
		return nil, err
	}
	var known *knowledge
	for _, b := range read {
		if len(b.txs) > 0 && known == nil {
			if known, err = c.know(ctx, read[len(read)-1].height); err != nil {
				return nil, err
			}
		}
		told, err := c.told(ctx, &b, known)
		if err != nil {
			return nil, err
		}
		out = append(out, told)
	}
	return out, nil
}

// stretch reads blocks until they are enough for one step.
func stretch(ctx context.Context, n node, from int64, limit int) (out []followed, err error) {
	for read, began := 0, time.Now(); len(out) < limit && (len(out) == 0 || read < mostRead && time.Since(began) < longestRead); {
		height := from + int64(len(out))
		b, txs, err := readBlock(ctx, n, height)
		if client.Missing(err) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) > 0 && out[len(out)-1].id != b.parent {
			return nil, errForked
		}
		read += len(txs)
		out = append(out, followed{b, txs})
	}
	return out, nil
}

// readBlock reads the block at a height and its transactions, without the miner's: what that pays is locked.
func readBlock(ctx context.Context, n node, height int64) (*parsedBlock, []*transaction, error) {
	b, err := headOfBlock(ctx, n, height)
	if err != nil {
		return nil, nil, err
	}
	txs, err := readTransactions(ctx, n, b.txs[1:], height)
	return b, txs, err
}

// headOfBlock reads the block at a height without its transactions. The block itself says its height.
func headOfBlock(ctx context.Context, n node, height int64) (*parsedBlock, error) {
	var told client.Block
	if err := n.Client.Call(ctx, &told, "get_block", map[string]any{"height": height}); err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(told.Blob)
	b, ok := parseBlock(raw)
	switch {
	case err != nil || !ok || b.id.String() != told.Header.Hash || b.height != height:
		return nil, odd("block %d is none", height)
	case b.major > lastMajor:
		return nil, odd("block %d is of version %d, and rules up to version %d are known: a newer Causeway is needed", height, b.major, lastMajor)
	}
	return b, nil
}

// anyHeight is the height of transactions of several blocks.
const anyHeight = -1

// readTransactions reads transactions in the order of their ids, of the block at a height. One that is missing has left the chain with its
// block.
func readTransactions(ctx context.Context, n node, ids []hash, height int64) ([]*transaction, error) {
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
		if out[i], err = readTransaction(ctx, n, &told[i], height); err != nil {
			return nil, err
		}
		if out[i].id != ids[i] {
			return nil, odd("transaction %s is another one", names[i])
		}
	}
	return out, nil
}

// readTransaction reads one transaction.
func readTransaction(ctx context.Context, n node, told *client.Tx, height int64) (*transaction, error) {
	raw, err := hex.DecodeString(told.Pruned)
	proofs, hexed := hex.DecodeString(told.Proofs)
	if err == nil && len(raw) > 0 && raw[0] == 1 {
		return readFirst(ctx, n, told.Hash, raw, height)
	}
	if err == nil && hexed == nil && len(proofs) == 32 {
		if t, ok := parsePruned(raw, hash(proofs)); ok {
			return t, nil
		}
	}
	return nil, odd("transaction %.64s cannot be read", told.Hash)
}

// keptWhole is for how many blocks a pruned node keeps all bytes of transactions (CRYPTONOTE_PRUNING_TIP_BLOCKS).
const keptWhole = 5_500

// readFirst reads a transaction of the first version, whose id needs all of its bytes. A pruned node has them no more after a week, and is
// believed then that this was such a transaction: it neither spends nor pays hidden amounts, so nothing of it is ours.
func readFirst(ctx context.Context, n node, id string, pruned []byte, height int64) (*transaction, error) {
	whole, err := n.Client.Whole(ctx, id)
	if client.Pruned(err) && height != anyHeight {
		best, failed := n.Client.Newest(ctx)
		if failed != nil {
			return nil, failed
		}
		if t, ok := parseBare(pruned, id); ok && best.Height-height > keptWhole {
			return t, nil
		}
	}
	if err != nil {
		return nil, err
	}
	if t, ok := parseFirst(whole); ok {
		return t, nil
	}
	return nil, odd("transaction %.64s cannot be read", id)
}

// told returns a block as the follower needs it.
func (c *Connector) told(ctx context.Context, b *followed, known *knowledge) (chains.Block, error) {
	out := chains.Block{Height: b.height, Hash: b.id.String(), Parent: b.parent.String(), Time: time.Unix(int64(b.made), 0).UTC()}
	for _, t := range b.txs {
		spent, ours, err := known.spends(t)
		if err != nil {
			return out, err
		}
		paid, err := c.transfers(ctx, t, b.height, ours)
		if err != nil {
			return out, err
		}
		out.Transfers, out.Spent = append(out.Transfers, paid...), append(out.Spent, spent...)
	}
	return out, nil
}

// transfers returns what a transaction pays to us. Who pays is not in it. Of a transaction by others the wallet has to say the same.
func (c *Connector) transfers(ctx context.Context, t *transaction, height int64, own bool) (out []chains.Transfer, err error) {
	found := c.view.arrivals(t, c.among)
	doubted := map[uint32]bool{}
	for _, a := range found {
		c.saw(a.minor)
	}
	if len(found) > 0 && !own {
		if doubted, err = c.doubted(ctx, t, height, found); err != nil {
			return nil, err
		}
	}
	for _, a := range found {
		if doubted[a.minor] {
			c.log.WithField("txid", t.id.String()).Warn("a transaction is not credited: the wallet finds less in it, since a one-time key was used before")
			continue
		}
		out = append(out, c.transfer(t, a))
	}
	return out, nil
}

func (c *Connector) transfer(t *transaction, a arrival) chains.Transfer {
	return chains.Transfer{Txid: t.id.String(), Token: coin, Position: a.place, To: c.view.address(a.minor), Amount: amountOf(a.units)}
}
