package workers

import (
	"context"
	"fmt"

	"causeway/chains"
	"causeway/pay"
	"causeway/store"
)

// stuck tells whether a transaction has been in the mempool for longer than its network's patience.
func stuck(n *chains.Network, t *pay.SignedTransaction) bool {
	return n.BumpAfter > 0 && t.State == pay.TxSent && t.Sent > n.BumpAfter
}

// replace signs another transaction for the nonce of a payout's newest one, at a higher fee: the same payment, or one that
// moves nothing. At most one of a nonce is ever mined; the follower watches them all.
func (w *Workers) replace(ctx context.Context, j store.DueJob, n *chains.Network, p *pay.Payout, newest *pay.SignedTransaction, history []pay.SignedTransaction, purpose string) error {
	draft, err := w.replacement(ctx, n, p, newest, history, purpose)
	if err != nil {
		return fmt.Errorf("replace nonce %d of %s on %s: %w", newest.Nonce, newest.Address, n.Name, err)
	}
	var kept *pay.SignedTransaction
	err = w.Store.InTx(ctx, func(tx *store.Store) (err error) {
		if err := start(ctx, tx, j); err != nil {
			return err
		}
		if kept, err = signed(n, p, draft, newest.Nonce, purpose); err != nil {
			return err
		}
		return tx.AddSigned(ctx, kept)
	})
	if err != nil {
		return err
	}
	return w.sendOr(ctx, j, n, p, kept, rejectedToo)
}

// replacement prepares what is to take the nonce of a payout's newest transaction. It is signed by the wallet that signed that
// one, or by none: a nonce of another wallet takes nothing from it, and both would be mined.
func (w *Workers) replacement(ctx context.Context, n *chains.Network, p *pay.Payout, newest *pay.SignedTransaction, history []pay.SignedTransaction, purpose string) (chains.Draft, error) {
	if newest.Address != n.Hot {
		return nil, fmt.Errorf("the hot wallet is %s now, and cannot: only a signer with the seed and NETWORKS_FILE of that time can", n.Hot)
	}
	if err := w.maySign(ctx, n, p); err != nil {
		return nil, err
	}
	var over [][]byte
	for _, t := range history {
		if t.Nonce == newest.Nonce && t.Address == newest.Address {
			over = append(over, t.Raw)
		}
	}
	if purpose == pay.PurposeCancel {
		return n.Sender.Cancel(ctx, uint64(newest.Nonce), over) //nolint:gosec // it came out as a uint64
	}
	return n.Sender.Bump(ctx, orderOf(p), over)
}
