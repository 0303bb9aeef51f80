package solana

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana/client"
)

// statusesAtOnce is how many transactions a node tells the status of in one answer.
const statusesAtOnce = 256

// Status looks up transactions. One that is in no whole block of ours yet is pending: a block that is not final may vanish.
func (c *Connector) Status(ctx context.Context, txids []string) (states map[string]chains.TxStatus, err error) {
	err = c.use(ctx, func(v view) (err error) {
		states, err = v.status(ctx, txids)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return states, nil
}

// status is Status, as one node answers.
func (v view) status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out := make(map[string]chains.TxStatus, len(txids))
	tip, err := v.tip(ctx)
	if err != nil {
		return nil, err
	}
	var known []string
	for _, txid := range txids {
		if out[txid] = (chains.TxStatus{State: chains.TxMissing}); isSignature(txid) {
			known = append(known, txid)
		}
	}
	for from := 0; from < len(known); from += statusesAtOnce {
		part := known[from:min(from+statusesAtOnce, len(known))]
		var answer client.Statuses
		if err := v.Ask(ctx, &answer, "getSignatureStatuses", part, map[string]any{"searchTransactionHistory": true}); err != nil {
			return nil, err
		}
		if len(answer.Value) != len(part) {
			return nil, odd("%d statuses of %d", len(answer.Value), len(part))
		}
		for i, told := range answer.Value {
			if told == nil {
				continue
			}
			if out[part[i]], err = v.stands(ctx, part[i], told, tip); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func isSignature(text string) bool {
	_, ok := readSignature(text)
	return ok
}

// stands is where a transaction stands that the node knows.
func (v view) stands(ctx context.Context, txid string, told *client.Status, tip int64) (chains.TxStatus, error) {
	height := told.Slot / slotsOfGroup
	if told.ConfirmationStatus != "finalized" || height > tip {
		return chains.TxStatus{State: chains.TxPending}, nil
	}
	at, err := v.group(ctx, height)
	if err != nil {
		return chains.TxStatus{}, err
	}
	d, err := v.transaction(ctx, txid, told.Slot)
	if err != nil {
		return chains.TxStatus{}, err
	}
	now := chains.TxStatus{State: chains.TxMined, Height: height, Block: at.hash, Final: true, Fee: d.cost()}
	if d.failed {
		now.State = chains.TxReverted
	}
	return now, nil
}

// cost is what a transaction has cost its payer beside its moves: the fee, and the rent of accounts of tokens that it made, as far as those
// that it closed have not brought it.
func (d *done) cost() decimal.Decimal {
	rent, last := int64(0), -1
	for _, h := range d.holdings {
		if h.place != last { // an account that was given away is there twice
			rent += int64(d.post[h.place] - d.pre[h.place])
		}
		last = h.place
	}
	return lamports(d.fee + uint64(max(rent, 0)))
}
