package ton

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"causeway/chains"
	"causeway/chains/ton/client"
)

// Status looks up transactions. A payout has succeeded once its recipient has taken it: the hot wallet's own transaction says only that it was
// sent. Until then it is in a block, and not final.
func (c *Connector) Status(ctx context.Context, txids []string) (out map[string]chains.TxStatus, err error) {
	if len(txids) == 0 {
		return map[string]chains.TxStatus{}, nil
	}
	err = c.node.Use(ctx, func(n node) (err error) {
		out, err = c.statuses(ctx, n, txids)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("status: %w", err)
	}
	return out, nil
}

func (c *Connector) statuses(ctx context.Context, n node, txids []string) (map[string]chains.TxStatus, error) {
	tip, err := tipOf(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := c.lookUp(ctx, n, txids, tip.Seqno); err != nil {
		return nil, err
	}
	answers := make([]chains.TxStatus, len(txids))
	group, within := errgroup.WithContext(ctx)
	group.SetLimit(questionsAtOnce)
	for i, txid := range txids {
		group.Go(func() (err error) {
			answers[i], err = c.statusOf(within, n, txid, tip)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := make(map[string]chains.TxStatus, len(txids))
	for i, txid := range txids {
		out[txid] = answers[i]
	}
	return out, nil
}

// statusOf is the status of one transaction.
func (c *Connector) statusOf(ctx context.Context, n node, txid string, tip client.Header) (now chains.TxStatus, err error) {
	t := c.past.find(txid)
	switch {
	case t != nil:
	case c.sent.waits(txid, tip.Time.Unix()):
		return chains.TxStatus{State: chains.TxPending}, nil
	default:
		return chains.TxStatus{State: chains.TxMissing}, nil
	}
	if err := c.located(ctx, n, t, tip.Seqno); err != nil {
		return now, err
	}
	at, err := n.Client.Header(ctx, t.seqno)
	if err != nil {
		return now, err
	}
	now = chains.TxStatus{Height: t.seqno, Block: at.Hash, Fee: whole(t.cost())}
	if now.State, now.Final, err = c.fate(ctx, n, t, &now); err == nil && now.State == chains.TxMined {
		err = c.onWay(ctx, n, t, tip, &now)
	}
	return now, err
}

// fate follows what a wallet sent to its end. What bounces has moved nothing: the coins that went with it are a cost, and come back as what they
// are, beside payments.
func (c *Connector) fate(ctx context.Context, n node, t *transaction, now *chains.TxStatus) (state chains.TxState, final bool, err error) {
	switch {
	case !sends(t.signed):
		return chains.TxMined, true, nil // it only took its number, or is of a wallet of another kind
	case len(t.out) == 0:
		return chains.TxReverted, true, nil // the wallet had too little, or the message was wrong; its number is used
	}
	m := &t.out[0]
	jettons, err := c.jettonWallets(ctx, n, t.account, t.seqno)
	if err != nil {
		return 0, false, err
	}
	_, ofJetton := jettons[m.to]
	switch {
	case ofJetton:
		now.Fee = now.Fee.Add(whole(m.value))
		state, final, err = c.fateOfJetton(ctx, n, m)
	case !m.bounce:
		return chains.TxMined, true, nil // nothing brings it back
	default:
		state, final, err = c.fateOf(ctx, n, m)
		if state == chains.TxReverted {
			now.Fee = now.Fee.Add(whole(m.value))
		}
	}
	return state, final, err
}

// fateOf is the end of a message that comes back if its recipient does not take it.
func (c *Connector) fateOf(ctx context.Context, n node, m *message) (chains.TxState, bool, error) {
	t, err := arrival(ctx, n, m)
	if err != nil || t == nil {
		return chains.TxMined, false, err
	}
	if _, back := t.returned(); back {
		return chains.TxReverted, true, nil
	}
	return chains.TxMined, true, nil
}

// fateOfJetton is the end of an order to a jetton wallet: it sends the units to the recipient's, which takes them or sends them back.
func (c *Connector) fateOfJetton(ctx context.Context, n node, m *message) (chains.TxState, bool, error) {
	t, err := arrival(ctx, n, m)
	switch {
	case err != nil || t == nil:
		return chains.TxMined, false, err
	case !t.worked:
		return chains.TxReverted, true, nil
	}
	for i := range t.out {
		if op, _, _ := opOf(t.out[i].body); op == opInternal {
			return c.fateOf(ctx, n, &t.out[i])
		}
	}
	return chains.TxReverted, true, nil
}

// arrival returns the transaction by which an account received a message; nil if it has not yet.
func arrival(ctx context.Context, n node, m *message) (*transaction, error) {
	root, err := n.Client.Located(ctx, m.from.String(), m.to.String(), m.created)
	if err != nil || root == nil {
		return nil, err
	}
	t, err := readTransaction(m.to, root)
	if err != nil || t.in == nil || t.in.from != m.from || t.in.created != m.created || t.in.value != m.value {
		return nil, odd("the node tells another transaction of %s for a message of %s", m.to, m.from)
	}
	return t, nil
}
