package onchain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/settlement"
)

// takenNonce asks the network for the proof of a foreign transaction with the nonce of an open payout: it has come from the hot
// wallet, and is final. Our books must have seen its spends.
func (o *Operator) takenNonce(ctx context.Context, n *chains.Network, txid string) (*BookedSpend, error) {
	top, err := o.followedLast(ctx, n)
	if err != nil {
		return nil, err
	}
	from, err := o.originOf(ctx, n, txid)
	if err != nil {
		return nil, fmt.Errorf("look up %s on %s: %w", txid, n.Name, err)
	}
	if from.Txid == "" || from.From != n.Hot {
		return nil, fmt.Errorf("%s knows no transaction %s of the hot wallet", n.Name, txid)
	}
	status, err := n.Watcher.Status(ctx, []string{from.Txid})
	if err != nil {
		return nil, fmt.Errorf("look up %s on %s: %w", txid, n.Name, err)
	}
	now := status[from.Txid]
	if !now.Final || now.State != chains.TxMined && now.State != chains.TxReverted {
		return nil, fmt.Errorf("transaction %s is not final yet", txid)
	}
	_, why, err := o.finalOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if why != "" {
		return nil, errors.New(why)
	}
	b := &BookedSpend{Network: n.Name, Txid: from.Txid, cost: now.Fee, height: now.Height, top: top}
	b.Payout, b.Nonce, err = o.payoutWithout(ctx, n, from)
	return b, err
}

// followedLast returns the last followed block of a network, before the network is asked. The network's answers hold while this
// block is followed.
func (o *Operator) followedLast(ctx context.Context, n *chains.Network) (top store.ChainBlock, err error) {
	blocks, err := o.Store.BlocksBelow(ctx, n.Name, 1<<62, 1)
	if err == nil && len(blocks) == 0 {
		err = fmt.Errorf("%s is not followed yet", n.Name)
	}
	if err != nil {
		return top, err
	}
	return blocks[0], nil
}

// holds keeps a network's answers from being undone until the transaction ends, given the block followed last when it was asked. It
// fails if the block was undone.
func holds(ctx context.Context, tx *store.Store, top store.ChainBlock) error {
	still, err := tx.StillFollowed(ctx, &top)
	if err == nil && !still {
		err = fmt.Errorf("%s reorganised meanwhile: try again", top.Network)
	}
	return err
}

// payoutWithout returns an open payout with a taken slot, and the slot, when the network knows none of the payout's transactions.
func (o *Operator) payoutWithout(ctx context.Context, n *chains.Network, taken chains.Origin) (id uuid.UUID, slot int64, err error) {
	ours, err := o.Store.SignedAmong(ctx, n.Name, []string{taken.Txid})
	if err != nil {
		return id, 0, err
	}
	if ours[taken.Txid] {
		return id, 0, fmt.Errorf("transaction %s is ours", taken.Txid)
	}
	open, slot, err := o.openAt(ctx, n, taken.Txid, taken.Nonce)
	if err != nil {
		return id, 0, err
	}
	if len(open) == 0 {
		return id, 0, fmt.Errorf("no open payout was signed for nonce %d, which %s has: a nonce that our books do not know stops the wallet, and wallet resume books it",
			taken.Nonce, taken.Txid)
	}
	id = open[0]
	p, err := o.Store.Payout(ctx, id)
	if err != nil {
		return id, 0, err
	}
	alone, err := o.unknownToChain(ctx, n, p)
	if err == nil && !alone {
		err = fmt.Errorf("%s knows a transaction of payout %s: following it decides", n.Name, id)
	}
	return id, slot, err
}

// stillWithout ends everything signed for the payout, and its job. It fails unless all of it is for the taken nonce and in no block.
// It returns the payout and the other transactions ever at this nonce. An attempt signing a replacement has locked the job: the
// second of the two sees the first.
func stillWithout(ctx context.Context, tx *store.Store, n *chains.Network, b *BookedSpend) (p *pay.Payout, others []string, err error) {
	history, err := tx.SignedOf(ctx, b.Payout)
	if err != nil {
		return nil, nil, err
	}
	for _, t := range history {
		if t.Nonce != b.Nonce || t.State != pay.TxSigned && t.State != pay.TxSent && t.State != pay.TxRejected {
			return nil, nil, fmt.Errorf("transaction %s of payout %s has nonce %d and is %s", t.Txid, b.Payout, t.Nonce, t.State)
		}
	}
	replaced, err := tx.ReplaceSignedOf(ctx, b.Payout, b.Txid, b.height)
	if err == nil && replaced != int64(len(history)) {
		err = fmt.Errorf("transactions of payout %s were moved meanwhile: try again", b.Payout)
	}
	if err != nil {
		return nil, nil, err
	}
	p, err = tx.PayoutForUpdate(ctx, b.Payout)
	if err != nil {
		return nil, nil, err
	}
	if err := tx.DropJob(ctx, string(tasks.BroadcastPayout), p.ID); err != nil {
		return nil, nil, err
	}
	open, err := tx.OpenPayoutsAt(ctx, n.Name, n.Hot, b.Nonce)
	if err == nil && slices.Contains(open, p.ID) {
		err = fmt.Errorf("another transaction of payout %s was signed meanwhile: try again", p.ID)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, settlement.OthersAt(p, history, n.Hot, b.Nonce, b.Txid), nil
}
