package onchain

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/chains"
)

// notCounted is the slot of a transaction of the hot wallet that took none of ours.
const notCounted = -1

// originOf returns where a transaction has come from: by its network where the network counts a wallet's transactions, and else by the
// blocks followed. The nonce is the number of the slot then, or notCounted.
func (o *Operator) originOf(ctx context.Context, n *chains.Network, txid string) (from chains.Origin, err error) {
	if n.Counter != nil {
		return n.Counter.Origin(ctx, txid)
	}
	status, err := n.Watcher.Status(ctx, []string{txid})
	if err != nil {
		return from, err
	}
	if status[txid].State == chains.TxMissing {
		return from, nil
	}
	sent, err := o.Store.ForeignOrigin(ctx, n.Name, n.Hot, txid)
	from = chains.Origin{Txid: txid, Nonce: notCounted}
	if err != nil || !sent {
		return from, err
	}
	from.From = n.Hot
	slots, err := o.Store.SlotsSpent(ctx, n.Name, n.Hot, txid)
	if len(slots) > 0 {
		from.Nonce = slots[0]
	}
	return from, err
}

// openAt returns the open payouts of the slots that a transaction of the hot wallet has taken, with the number of the first such slot.
func (o *Operator) openAt(ctx context.Context, n *chains.Network, txid string, nonce int64) (open []uuid.UUID, slot int64, err error) {
	slots := []int64{nonce}
	if n.Exclusion == chains.ByCoins {
		if slots, err = o.Store.SlotsSpent(ctx, n.Name, n.Hot, txid); err != nil {
			return nil, 0, err
		}
	}
	for _, at := range slots {
		its, err := o.Store.OpenPayoutsAt(ctx, n.Name, n.Hot, at)
		if err != nil {
			return nil, 0, err
		}
		if len(open) == 0 && len(its) > 0 {
			slot = at
		}
		open = append(open, its...)
	}
	return open, slot, nil
}

// stopsWallet fails while a transaction stops the hot wallet, since wallet resume decides on it.
func (o *Operator) stopsWallet(ctx context.Context, n *chains.Network, txid string) error {
	stopping, err := o.Store.Foreign(ctx, n.Name, n.Hot)
	if err != nil {
		return err
	}
	for _, s := range stopping {
		if s.Txid == txid {
			return fmt.Errorf("%s is a transaction of the wallet that our books do not know: that stops the wallet, and wallet resume books it", txid)
		}
	}
	return nil
}
