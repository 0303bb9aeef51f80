package evm

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/evm/client"
)

// confirmations is how many nodes have to tell a transfer to us, where the list has several.
const confirmations = 2

// telling is what the nodes of the list tell of transfers in a block. The hash of a block does not prove them to us: this would take
// all receipts of the block, and traces have no proof.
type telling struct {
	*Connector
	block     chains.Mark
	transfers []chains.Transfer

	alike    []client.Node // tell all of them
	contrary []client.Node // have the block, and tell otherwise
	of       string        // a transaction that is told otherwise
	awaited  bool          // a node that is up to date does not show the block yet
}

// Confirm reports whether two nodes tell transfers of a block in the same way. One node is enough where no other answers. The error is
// ErrDown while nodes contradict each other.
func (c *Connector) Confirm(ctx context.Context, block chains.Mark, transfers []chains.Transfer) (bool, error) {
	if c.node.Size() < confirmations {
		return true, nil
	}
	t := &telling{Connector: c, block: block, transfers: transfers}
	c.node.Others(ctx, client.Node{}, func(node client.Node) (bool, error) {
		err := t.ask(ctx, node)
		return len(t.alike) == confirmations, err
	})
	if ctx.Err() != nil {
		return false, fmt.Errorf("%w: the second node: %w", chains.ErrDown, ctx.Err())
	}
	return t.judge()
}

// judge decides by what was told. A contradiction holds while one of the nodes is away: else the liar would win.
func (t *telling) judge() (bool, error) {
	_, disputed := t.disputes.Load(t.block.Hash)
	why := fmt.Errorf("%w: it tells transaction %s in block %d otherwise than the others: take the wrong node off the list", chains.ErrDown, t.of, t.block.Height)
	switch {
	case len(t.alike) >= confirmations:
		t.disputes.Delete(t.block.Hash)
		t.leave(t.contrary, why)
		return true, nil
	case len(t.contrary) > 0:
		t.disputes.Store(t.block.Hash, true)
		if len(t.contrary) >= confirmations {
			t.leave(t.alike, why)
		}
		return false, t.contrary[0].Named(why)
	case disputed:
		return false, fmt.Errorf("%w: nodes have told other transfers in block %d, and no second node confirms them", chains.ErrDown, t.block.Height)
	}
	return !t.awaited && len(t.alike) > 0, nil
}

func (t *telling) leave(nodes []client.Node, why error) {
	for _, node := range nodes {
		t.node.Leave(node, why)
	}
}

// ask notes what one node tells.
func (t *telling) ask(ctx context.Context, node client.Node) error {
	receipts, told, err := t.question(ctx, node)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(receipts, func(r *client.LoggedReceipt) bool {
		return r == nil || r.BlockHash == nil || r.BlockHash.Hex() != t.block.Hash
	}) {
		return t.without(ctx, node)
	}
	if missing := t.missing(told); missing != "" {
		t.contrary, t.of = append(t.contrary, node), missing
	} else {
		t.alike = append(t.alike, node)
	}
	return nil
}

// without notes a node that does not show the transactions in the block. It may be late by some blocks, or behind. Else it contradicts.
func (t *telling) without(ctx context.Context, node client.Node) error {
	told, err := node.Client.Best(ctx, t.block.Height)
	if err != nil {
		return err
	}
	switch behind := t.node.Saw(node, told.Best.Height, told.Time); {
	case behind:
	case told.Hashes[t.block.Height] != t.block.Hash || told.Best.Height < t.block.Height+patience:
		t.awaited = true
	default:
		t.contrary, t.of = append(t.contrary, node), t.transfers[0].Txid
	}
	return nil
}

// patience is for how many blocks a node with a block may still be without the receipts of it.
const patience = 3

// question asks a node for the transactions, and returns all transfers in them.
func (t *telling) question(ctx context.Context, node client.Node) ([]*client.LoggedReceipt, []chains.Transfer, error) {
	ids := t.ids()
	txs, receipts := make([]*client.Tx, len(ids)), make([]*client.LoggedReceipt, len(ids))
	var questions []*client.Question
	for i, id := range ids {
		questions = append(questions, client.Ask(&txs[i], "eth_getTransactionByHash", id).Without("input", "accessList"),
			client.Ask(&receipts[i], "eth_getTransactionReceipt", id).Without("logsBloom"))
	}
	if err := node.Client.Batch(ctx, questions...); err != nil {
		return nil, nil, err
	}
	var told []chains.Transfer
	for i := range ids {
		told = append(told, t.told(txs[i], receipts[i], nil)...)
	}
	if !t.cfg.Traces || t.missing(told) == "" {
		return receipts, told, nil
	}
	told, err := t.withTraces(ctx, node, ids, txs, receipts)
	return receipts, told, err
}

// withTraces returns the transfers with the coin that contracts have sent. A node without traces tells nothing, and is no second node.
func (t *telling) withTraces(ctx context.Context, node client.Node, ids []common.Hash, txs []*client.Tx, receipts []*client.LoggedReceipt) ([]chains.Transfer, error) {
	frames, questions := make([]*client.Frame, len(ids)), make([]*client.Question, len(ids))
	for i, id := range ids {
		questions[i] = askTrace(&frames[i], "debug_traceTransaction", id)
	}
	if err := node.Client.Batch(ctx, questions...); err != nil {
		return nil, err
	}
	var told []chains.Transfer
	for i, id := range ids {
		var inner []move
		if f := frames[i]; f != nil && f.Error == "" {
			inner = t.called(nil, id, f.Calls)
		}
		told = append(told, t.told(txs[i], receipts[i], inner)...)
	}
	return told, nil
}

// told returns the transfers of a transaction by its own words, its receipt and its trace.
func (t *telling) told(tx *client.Tx, receipt *client.LoggedReceipt, inner []move) []chains.Transfer {
	if tx == nil || tx.Hash == nil || receipt == nil || receipt.Status == nil {
		return nil
	}
	var plain []client.Tx
	if bool(*receipt.Status) && tx.To != nil && tx.Value != nil && tx.Value.ToInt().Sign() > 0 && tx.From != *tx.To {
		plain = []client.Tx{*tx}
	}
	var logs []client.Log
	for _, l := range receipt.Logs {
		if t.isOurs(&l) && l.TxHash != nil && l.Index != nil && l.Data != nil {
			logs = append(logs, l)
		}
	}
	return t.Connector.transfers(plain, inner, logs)
}

// missing returns the transaction of a transfer asked about that is not among those told; "" for none.
func (t *telling) missing(told []chains.Transfer) string {
	for _, wanted := range t.transfers {
		if !slices.ContainsFunc(told, func(one chains.Transfer) bool {
			same := one.Amount.Equal(wanted.Amount)
			one.Amount = wanted.Amount
			return same && one == wanted
		}) {
			return wanted.Txid
		}
	}
	return ""
}

// ids are the transactions of the transfers.
func (t *telling) ids() (ids []common.Hash) {
	for i := range t.transfers {
		if id := common.HexToHash(t.transfers[i].Txid); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
