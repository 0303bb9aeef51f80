package onchain

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/follow"
)

// Resumed is the result of resuming a halted network.
type Resumed struct {
	Network      string `json:"network"`
	From         int64  `json:"from"`
	Hash         string `json:"hash"`                // of the chain's block at From, taken as shared from now on
	Transfers    int    `json:"transfers_undone"`    // seen above From; those on the chain are found again
	Transactions int    `json:"transactions_undone"` // of ours, in blocks above From; their bytes are sent again
}

// ResumeNetwork lets a network go on after a reorganisation deeper than is remembered. from is the last height at which the chain is
// certainly the one we followed. It lies below every remembered block, since all of them have vanished, and not below the one before
// the first followed block: earlier arrivals are in the books as the hot wallet's opening. Everything above it is undone as in any
// reorganisation, in one transaction, and following goes on from there with the chain's blocks of now.
func (o *Operator) ResumeNetwork(ctx context.Context, network string, from int64) (*Resumed, error) {
	n, err := o.NetworkNamed(network)
	if err != nil {
		return nil, err
	}
	anchor, err := o.anchor(ctx, n, from)
	if err != nil {
		return nil, err
	}
	out := &Resumed{Network: n.Name, From: from, Hash: anchor.Hash}
	err = o.change(ctx, "network.resume", "network:"+n.Name, func(tx *store.Store) (before, after any, ring []tasks.Job, err error) {
		if err := tx.SetDue(ctx, string(tasks.FollowNetwork), tasks.RefOf(n.Name)); err != nil { // steps lock the job before the follower, too
			return nil, nil, nil, err
		}
		first, deepest, err := tx.HaltedFollower(ctx, n.Name)
		if err != nil {
			return nil, nil, nil, err
		}
		if from < first-1 { // the hot wallet's holdings at that time are in the books as its opening
			return nil, nil, nil, fmt.Errorf("the first block of %s that was followed is %d: --from must not be below the one before it", n.Name, first)
		}
		if from >= deepest {
			return nil, nil, nil, fmt.Errorf("the deepest remembered block of %s is %d, and it is not in the chain: --from must be below it", n.Name, deepest)
		}
		if err := tx.Reanchor(ctx, *anchor); err != nil { // first, as in undo: transactions relying on the blocks are done then, and their writes are seen
			return nil, nil, nil, err
		}
		u, err := follow.GoBack(ctx, tx, o.Catalogue, n.Name, from)
		out.Transfers, out.Transactions = u.Transfers, u.Transactions
		return map[string]int64{"deepest_remembered": deepest}, out, u.Ring, err
	})
	return out, err
}

// anchor reads the chain's block at a height.
func (o *Operator) anchor(ctx context.Context, n *chains.Network, height int64) (*store.ChainBlock, error) {
	hash, err := n.Scanner.Hash(ctx, height)
	if err != nil {
		return nil, fmt.Errorf("block %d of %s: %w", height, n.Name, err)
	}
	if hash == "" {
		return nil, fmt.Errorf("%s has no block %d", n.Name, height)
	}
	return &store.ChainBlock{Network: n.Name, Height: height, Hash: hash}, nil
}
