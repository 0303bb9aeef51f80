package ripple

import (
	"context"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/ripple/client"
)

// Status looks up transactions. One that a node calls validated counts only as it is in its ledger, which is read.
func (c *Connector) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	states := make(map[string]chains.TxStatus, len(txids))
	if len(txids) == 0 {
		return states, nil
	}
	answers := make([]chains.TxStatus, len(txids))
	err := c.node.Use(ctx, func(n node) error {
		group, within := errgroup.WithContext(ctx)
		group.SetLimit(ledgersAtOnce)
		for i, txid := range txids {
			group.Go(func() (err error) {
				answers[i], err = c.state(within, n, txid)
				return err
			})
		}
		return group.Wait()
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	for i, txid := range txids {
		states[txid] = answers[i]
	}
	return states, nil
}

// isHash reports whether a text is an id of a transaction or of a ledger.
func isHash(text string) bool {
	raw, err := hex.DecodeString(text)
	return err == nil && len(raw) == len(client.Hash{}) && strings.ToUpper(text) == text
}

// look asks for a transaction; nil where the node does not know it.
func look(ctx context.Context, n node, id string) (*client.Transaction, error) {
	if !isHash(id) {
		return nil, nil // no transaction here has such an id
	}
	var told client.Transaction
	err := n.Client.Call(ctx, &told, "tx", map[string]any{"transaction": id, "binary": true})
	if client.Says(err, "txnNotFound") {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	blob, err := hex.DecodeString(told.Blob)
	if err != nil || txid(blob).String() != id {
		return nil, odd("transaction %s is told as another one", id)
	}
	return &told, nil
}

// state looks up one transaction.
func (c *Connector) state(ctx context.Context, n node, id string) (chains.TxStatus, error) {
	missing := chains.TxStatus{State: chains.TxMissing}
	told, err := look(ctx, n, id)
	switch {
	case err != nil || told == nil:
		return missing, err
	case !told.Validated || told.Index <= 0:
		return chains.TxStatus{State: waiting(ctx, n, told)}, nil
	}
	l, err := c.ledger(ctx, n, told.Index)
	if err != nil {
		return missing, err
	}
	i := slices.IndexFunc(l.txs, func(t transaction) bool { return txidText(t.id) == id })
	if i < 0 {
		return missing, odd("transaction %s is not in ledger %d", id, told.Index)
	}
	now := chains.TxStatus{State: chains.TxReverted, Height: l.Index, Block: l.Hash.String(), Final: true, Fee: xrp(l.txs[i].fee)}
	if l.txs[i].succeeded {
		now.State = chains.TxMined
	}
	return now, nil
}

// waiting is the state of a transaction in no ledger. A node remembers one for a while after its last ledger: then it is missing.
func waiting(ctx context.Context, n node, told *client.Transaction) chains.TxState {
	if blob, err := hex.DecodeString(told.Blob); err == nil && over(ctx, n, blob) {
		return chains.TxMissing
	}
	return chains.TxPending
}
