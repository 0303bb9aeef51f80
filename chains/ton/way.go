package ton

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// onWay tells of the way of a payment between accounts of ours. It is final once it has arrived.
func (c *Connector) onWay(ctx context.Context, n node, t *transaction, tip int64, now *chains.TxStatus) error {
	if len(t.out) == 0 {
		return nil
	}
	m := &t.out[0]
	jettons, err := c.jettonWallets(ctx, n, t.account, t.seqno)
	if err != nil {
		return err
	}
	token, o, ofJetton := ordersUnits(jettons, m)
	to, amount := m.to, whole(m.value)
	if ofJetton {
		to, amount = o.to, token.amount(o.units)
	}
	ours, err := c.watched(ctx)
	if err != nil || !slices.Contains(ours, to) {
		return err
	}
	arrived, err := c.arrived(ctx, n, m, ofJetton, tip)
	if err == nil && arrived != nil {
		arrived, err = c.located(ctx, n, arrived, tip)
	}
	if err != nil {
		return err
	}
	now.Way = wayOf(arrived, amount)
	now.Final = now.Final && now.Way.Arrives > 0
	return nil
}

func wayOf(arrived *transaction, amount decimal.Decimal) *chains.Way {
	w := &chains.Way{Amount: amount}
	if arrived != nil {
		w.Arrives = arrived.seqno
	}
	return w
}

// arrived returns the transaction by which a message, or the units that it orders to be sent, have come to their recipient: what tells the
// holder of them. Nil while there is none.
func (c *Connector) arrived(ctx context.Context, n node, m *message, ofJetton bool, tip int64) (*transaction, error) {
	t, err := c.arrival(ctx, n, m, tip)
	if err != nil || t == nil || !ofJetton {
		return t, err
	}
	for _, op := range []uint64{opInternal, opNotice} { // a wallet that cannot tell its owner has the units nevertheless
		next := t.first(op)
		if next == nil {
			return t, nil
		}
		if t, err = c.arrival(ctx, n, next, tip); err != nil || t == nil {
			return nil, err
		}
	}
	return t, nil
}
