package ton

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/shopspring/decimal"
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
	if t, err = c.located(ctx, n, t, tip.Seqno); err != nil {
		return now, err
	}
	at, err := n.Client.Header(ctx, t.seqno)
	if err != nil {
		return now, err
	}
	now = chains.TxStatus{Height: t.seqno, Block: at.Hash, State: chains.TxMined, Fee: whole(t.cost())}
	mined := now
	if err = c.fate(ctx, n, t, tip.Seqno, &now); err == nil && now.State == chains.TxMined && now.Way == nil {
		err = c.onWay(ctx, n, t, tip.Seqno, &now)
	}
	if strange(err) { // anybody may be a recipient, and one that cannot be read must not keep others waiting
		if c.past.first(txid) {
			c.log.WithError(err).WithField("txid", txid).Warn("the way of a transaction cannot be read: it does not end")
		}
		mined.Fee = now.Fee
		return mined, nil
	}
	return now, err
}

// strange reports whether an error is about the content of an answer.
func strange(err error) bool {
	var odd oddity
	return errors.As(err, &odd) || client.Unread(err)
}

// fate follows what a wallet sent to its end. What bounces has moved nothing: the coins that went with it are a cost, and come back as what they
// are, beside payments.
func (c *Connector) fate(ctx context.Context, n node, t *transaction, tip int64, now *chains.TxStatus) error {
	switch {
	case !sends(t.signed): // it only took its number, or is of a wallet of another kind
		now.Final = true
		return nil
	case len(t.out) == 0: // the wallet had too little, or the message was wrong; its number is used
		now.State, now.Final = chains.TxReverted, true
		return nil
	}
	m := &t.out[0]
	jettons, err := c.jettonWallets(ctx, n, t.account, t.seqno)
	if err != nil {
		return err
	}
	if token, o, isOrder := ordersUnits(jettons, m); isOrder {
		now.Fee = now.Fee.Add(whole(m.value))
		return c.fateOfJetton(ctx, n, m, token, o.units, tip, now)
	}
	if !m.bounce { // nothing brings it back
		now.Final = true
		return nil
	}
	return c.fateOfCoins(ctx, n, m, tip, now)
}

// fateOfCoins is the end of coins that come back if their recipient does not take them. What a recipient keeps it has, whether its code worked or not.
func (c *Connector) fateOfCoins(ctx context.Context, n node, m *message, tip int64, now *chains.TxStatus) error {
	t, err := c.arrival(ctx, n, m, tip)
	if err != nil || t == nil {
		return err
	}
	if now.Final = true; t.returned() != nil {
		now.State, now.Fee = chains.TxReverted, now.Fee.Add(whole(m.value))
	}
	return nil
}

// fateOfJetton is the end of an order to a jetton wallet: it sends the units to the recipient's, which takes them or sends them back. Units that were
// neither taken nor sent back are gone, as those are that a token keeps: a person decides.
func (c *Connector) fateOfJetton(ctx context.Context, n node, m *message, token token, ordered *big.Int, tip int64, now *chains.TxStatus) error {
	t, err := c.arrival(ctx, n, m, tip)
	if err != nil || t == nil {
		return err
	}
	if !t.worked {
		now.State, now.Final = chains.TxReverted, true
		return nil
	}
	arrived, sent := new(big.Int), t.first(opInternal)
	if sent != nil {
		_, units, _ := sentUnits(sent.body)
		got, back, err := c.delivery(ctx, n, sent, tip)
		switch {
		case err != nil || got == nil && back == nil:
			return err
		case back != nil && !back.worked: // they came back in vain
		case got == nil || got.returned() != nil:
			return c.comesBack(ctx, n, back, token.amount(units), tip, now)
		case got.worked:
			arrived = units
		}
	}
	if now.Final = true; arrived.Cmp(ordered) != 0 {
		now.Amiss = &chains.Amiss{Arrived: token.amount(arrived), Spent: token.amount(ordered)}
	}
	return nil
}

// delivery returns the transaction by which a jetton wallet received units, and the one by which their sender has them again. The first is missing
// if they are not there yet, or came to an account that is gone since; the second if they have not come back.
func (c *Connector) delivery(ctx context.Context, n node, sent *message, tip int64) (got, back *transaction, err error) {
	if got, err = c.arrival(ctx, n, sent, tip); err != nil {
		return nil, nil, err
	}
	if got == nil {
		back, err = c.cameBack(ctx, n, sent, tip)
	} else if m := got.returned(); m != nil {
		back, err = c.arrival(ctx, n, m, tip)
	}
	return got, back, err
}

// comesBack is the end of units that were not taken. Until their jetton wallet has them again nobody holds them.
func (c *Connector) comesBack(ctx context.Context, n node, back *transaction, amount decimal.Decimal, tip int64, now *chains.TxStatus) error {
	if back != nil {
		var err error
		if back, err = c.located(ctx, n, back, tip); err != nil {
			return err
		}
		now.State, now.Final = chains.TxReverted, true
	}
	now.Way = wayOf(back, amount)
	return nil
}
