package follow

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/desk"
)

// recalledAtOnce is how many forgotten blocks one step asks for.
const recalledAtOnce = 10

// statuses asks where our own open transactions stand, and reads the followed blocks there.
func (w *Worker) statuses(ctx context.Context, r *reading) (err error) {
	if r.open, err = w.Store.OpenSigned(ctx, r.network.Name, r.head.Final, w.openAtOnce()); err != nil {
		return err
	}
	txids := make([]string, len(r.open))
	for i := range r.open {
		txids[i] = r.open[i].Txid
	}
	if r.status, err = r.network.Watcher.Status(ctx, txids); err != nil {
		return fmt.Errorf("transactions on %s: %w", r.network.Name, err)
	}
	if err := w.readDeaths(ctx, r); err != nil {
		return err
	}
	var heights []int64
	for _, now := range r.status {
		if inBlock(now) {
			heights = append(heights, now.Height)
		}
	}
	if r.hashes, err = w.hashes(ctx, r, heights); err != nil {
		return err
	}
	w.recall(ctx, r)
	if r.doubt = r.doubts(); r.doubt != "" && w.FreshOn(r.network.Name, tasks.FollowNetwork, r.doubt) {
		w.LogFor(r.network).Warn(r.doubt)
	}
	return nil
}

// recall looks up the hashes of blocks too old to be remembered, where the node places a transaction of ours not seen by an earlier
// step. The node must have the block followed last as well: blocks are linked, so below it its chain is ours. A question without an
// answer is repeated by the next step.
func (w *Worker) recall(ctx context.Context, r *reading) {
	top := chains.Mark{Height: r.state.Height, Hash: r.state.Hash}
	if top.Height < 0 && len(r.blocks) > 0 {
		top = chains.Mark{Height: r.blocks[0].Height, Hash: r.blocks[0].Hash}
	}
	asked := 0
	for i := range r.open {
		now := r.status[r.open[i].Txid]
		if _, known := r.hashes[now.Height]; known || !inBlock(now) || now.Height >= top.Height || r.open[i].Block != nil {
			continue
		}
		hash, err := r.network.Scanner.HashBelow(ctx, top, now.Height)
		if err != nil {
			if w.FreshOn(r.network.Name, tasks.FollowNetwork, desk.ReasonOf(err)) {
				w.LogFor(r.network).WithError(err).Warn("a block that is no longer remembered could not be looked up")
			}
			return
		}
		r.hashes[now.Height] = hash
		if asked++; asked == recalledAtOnce {
			return
		}
	}
}

// standing returns the new state of a transaction, and whether its bytes are to be sent again. A block above the last one followed
// counts as the mempool: were it undone, nobody would notice. If the node names another block than the followed one at the height,
// the state stays: only a reorganisation takes a mined transaction out of its block, and it is noticed first. Nothing is final above
// r.head.Final.
func (r *reading) standing(t *pay.SignedTransaction) (state pay.SignedState, again bool) {
	now := r.status[t.Txid]
	switch {
	case t.State == pay.TxMined && !r.there(t):
		return t.State, false
	case inBlock(now) && now.Height > r.followed(), now.State == chains.TxPending:
		return pay.TxSent, false
	case inBlock(now) && !r.there(t):
		return t.State, false
	case inBlock(now) && (!now.Final || now.Height > r.head.Final || now.Way.On(r.followed())): // the books have what arrives by then
		return pay.TxMined, false
	case now.State == chains.TxReverted:
		return pay.TxReverted, false
	case now.State == chains.TxMined:
		return pay.TxFinal, false
	case r.dead(t):
		return pay.TxExpired, true
	case t.State == pay.TxSigned: // missing or rejected: the broadcast finds out; a signed one is being sent already
		return pay.TxSigned, false
	default:
		return pay.TxSent, true
	}
}

// there reports whether the node's block for a transaction is the block followed at its height. The block is kept with a mined
// transaction: a network with late finality may have more unfinal blocks than are remembered. Without a block to compare, there
// reports false.
func (r *reading) there(t *pay.SignedTransaction) bool {
	now := r.status[t.Txid]
	if !inBlock(now) || now.Block == "" {
		return false
	}
	if t.Block != nil {
		return t.Height != nil && *t.Height == now.Height && *t.Block == blockID(now.Block)
	}
	return r.hashes[now.Height] == now.Block
}

// doubts names a transaction overdue to be settled, and why: all nodes agree on the final blocks, but the node asked does not have it
// in the followed block. It is empty without one.
func (r *reading) doubts() string {
	for i := range r.open {
		t := &r.open[i]
		now := r.status[t.Txid]
		switch due := inBlock(now) && now.Final && now.Height <= min(r.head.Final, r.followed()); {
		case r.there(t):
		case t.State == pay.TxMined:
			return fmt.Sprintf("nodes disagree: transaction %s is in block %d, which was followed, and not there for the node that was asked", t.Txid, *t.Height)
		case due && r.hashes[now.Height] != "":
			return fmt.Sprintf("nodes disagree: transaction %s is in another block %d for the node that was asked than the one that was followed", t.Txid, now.Height)
		case due:
			return fmt.Sprintf("transaction %s is said to be in block %d, which is no longer remembered, and no node that has the blocks followed since has said so",
				t.Txid, now.Height)
		}
	}
	return ""
}

// inBlock reports whether a network has a transaction in a block.
func inBlock(now chains.TxStatus) bool {
	return now.State == chains.TxMined || now.State == chains.TxReverted
}

// blockID shortens a block's hash for the row of a transaction: hashes are of any length, and rows are many.
func blockID(hash string) uuid.UUID { return uuid.NewSHA1(uuid.Nil, []byte(hash)) }

// moveOf returns the move of a transaction to a state, with the block named for it by the network.
// Proven is the height of the proof of an expired one.
func moveOf(t *pay.SignedTransaction, to pay.SignedState, now chains.TxStatus, proven int64) store.SignedMove {
	m := store.SignedMove{Txid: t.Txid, From: t.State, To: to}
	if to != pay.TxSent {
		m.Height = &now.Height
	}
	if to == pay.TxExpired {
		m.Height = &proven
	}
	if to == pay.TxMined {
		m.Block = new(blockID(now.Block))
	}
	return m
}
