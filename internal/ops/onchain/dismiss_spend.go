package onchain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"causeway/chains"
	"causeway/internal/store"
	"causeway/tasks"
)

// DismissSpend takes a transaction undone by a reorganisation off the overview: a person has dealt with it. Its booked spends stay,
// and its undecided ones are forgotten. Payouts to its recipient no longer wait for it. Where they did, the network must not know
// it, or have it in a final and followed block, without a movement there. DismissSpend returns its former spends of the hot wallet.
func (o *Operator) DismissSpend(ctx context.Context, network, txid string) (spends []store.UnknownSpend, err error) {
	if spends, err = o.Store.SpendsOf(ctx, network, txid); err != nil {
		return nil, err
	}
	var top *store.ChainBlock // followed last when the network was asked
	if slices.ContainsFunc(spends, mayStillPay) {
		if top, err = o.movesNothing(ctx, network, txid); err != nil {
			return nil, err
		}
	}
	err = o.change(ctx, "wallet.dismiss", "wallet:"+network, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		if top != nil {
			if err := holds(ctx, tx, *top); err != nil {
				return nil, nil, nil, err
			}
		}
		if spends, err = tx.SpendsOf(ctx, network, txid); err != nil {
			return nil, nil, nil, err
		}
		if top == nil && slices.ContainsFunc(spends, mayStillPay) {
			return nil, nil, nil, fmt.Errorf("%s reorganised meanwhile: try again", network)
		}
		dismissed, err := tx.DismissSpends(ctx, network, txid)
		if err == nil && !dismissed {
			err = fmt.Errorf("no spend of %s on %s is undone", txid, network)
		}
		if err != nil {
			return nil, nil, nil, err
		}
		left, err := tx.SpendsOf(ctx, network, txid)
		return spends, left, nil, err
	})
	return spends, err
}

// mayStillPay reports whether a payout waits for an undone spend, since the spend may pay it once it is mined again.
func mayStillPay(u store.UnknownSpend) bool {
	return u.UndoneAt != nil && (u.Decision == nil || *u.Decision == store.SpendLost)
}

// movesNothing fails while an undone transaction may have moved something again above the followed blocks, or may still do so, as
// far as the network knows. It returns the block followed last at that time.
func (o *Operator) movesNothing(ctx context.Context, network, txid string) (*store.ChainBlock, error) {
	n, err := o.Network(network)
	if err != nil {
		return nil, err
	}
	top, err := o.followedLast(ctx, n) // first: everything mined up to there was seen
	if err != nil {
		return nil, err
	}
	final, why, err := o.finalOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, errors.New(why)
	}
	all, err := n.Watcher.Status(ctx, []string{txid})
	if err != nil {
		return nil, fmt.Errorf("look up %s on %s: %w", txid, n.Name, err)
	}
	switch now := all[txid]; {
	case now.State == chains.TxPending:
		return nil, fmt.Errorf("%s is in the mempool of %s: it may still be mined", txid, n.Name)
	case now.State != chains.TxMined && now.State != chains.TxReverted:
		if from, err := o.originOf(ctx, n, txid); err != nil || from.Txid != "" {
			return nil, cmp.Or(err, fmt.Errorf("%s knows %s, and does not say where it is: try again", n.Name, txid))
		}
		return &top, nil
	case now.Height > final:
		return nil, fmt.Errorf("%s is in block %d of %s, which is not final yet", txid, now.Height, n.Name)
	default:
		return &top, nil
	}
}
