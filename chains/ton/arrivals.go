package ton

import (
	"context"
	"slices"

	"causeway/chains/ton/client"
)

// arrival returns the transaction by which an account received a message in the blocks up to a height; nil if it has not yet. It is looked for in
// the account's own transactions after the message was made: a node's search by messages tries three blocks only, and a message may wait for longer.
// An account with very many transactions is left to that search, and so is one that began after the message: it may have been there before.
func (c *Connector) arrival(ctx context.Context, n node, m *message, height int64) (found *transaction, err error) {
	now, err := state(ctx, n, m.to, height)
	if err != nil {
		return nil, err
	}
	first := now.LT == 0
	ended, err := c.back(ctx, n, m.to, now, mostPages, func(t *transaction) (more bool) {
		if first = t.beforeLT == 0; t.lt > m.created && t.receives(m) {
			found = t
		}
		return found == nil && t.beforeLT > m.created
	})
	if err != nil || found != nil || ended && !first {
		return found, err
	}
	return toldArrival(ctx, n, m)
}

// cameBack returns the transaction by which a jetton wallet received units that it had sent and that came back; nil for none up to a height. The
// account that did not take them may be gone since. The number of the order tells them from others.
func (c *Connector) cameBack(ctx context.Context, n node, sent *message, height int64) (found *transaction, err error) {
	now, err := state(ctx, n, sent.from, height)
	if err != nil {
		return nil, err
	}
	query, _, ok := sentUnits(sent.body)
	if !ok {
		return nil, nil
	}
	_, err = c.back(ctx, n, sent.from, now, mostPages, func(t *transaction) (more bool) {
		if t.in != nil && t.in.bounced && t.in.from == sent.to && t.in.created > sent.created {
			if its, ok := backUnits(t.in.body); ok && its == query {
				found = t
			}
		}
		return found == nil && t.beforeLT > sent.created
	})
	return found, err
}

// toldArrival asks the node itself for the transaction by which an account received a message.
func toldArrival(ctx context.Context, n node, m *message) (*transaction, error) {
	root, err := n.Client.Located(ctx, m.from.String(), m.to.String(), m.created)
	if err != nil || root == nil {
		return nil, err
	}
	t, err := readTransaction(m.to, root)
	if err != nil || !t.receives(m) {
		return nil, odd("the node tells another transaction of %s for a message of %s", m.to, m.from)
	}
	return t, nil
}

// receives reports whether a transaction received a message. An account makes one message at a logical time.
func (t *transaction) receives(m *message) bool {
	return t.in != nil && t.in.from == m.from && t.in.created == m.created && t.in.value == m.value
}

// sends returns the place of a message among those that a transaction sent, -1 if it is none of them.
func (t *transaction) sends(m *message) int {
	return slices.IndexFunc(t.out, func(o message) bool { return o.created == m.created && o.to == m.to })
}

// cause returns the transaction by which an account sent a message that had arrived by a height: the account's newest one before the message was
// made. The place of the message is that among those sent.
func (c *Connector) cause(ctx context.Context, n node, m *message, height int64) (t *transaction, place int, err error) {
	if t = c.past.search(m.from, func(t *transaction) bool { return t.sends(m) >= 0 }); t != nil {
		return t, t.sends(m), nil
	}
	now, err := state(ctx, n, m.from, height)
	if err != nil {
		return nil, 0, err
	}
	if now.LT == 0 {
		return &transaction{account: m.from}, 0, nil // it is gone, and nobody knows what it sent
	}
	ended, err := c.back(ctx, n, m.from, now, mostSteps/client.AtOnce, func(older *transaction) (more bool) {
		t = older
		return older.lt >= m.created
	})
	if err != nil {
		return nil, 0, err
	}
	if !ended || t == nil || t.sends(m) < 0 {
		return nil, 0, odd("the node does not tell the transaction by which %s sent a message at %d", m.from, m.created)
	}
	c.past.keep([]*transaction{t})
	return t, t.sends(m), nil
}

// sender returns the id of the transaction by which a followed account sent a message, with the message's place. One that nobody signed has none
// that others know: own is the id then.
func (c *Connector) sender(ctx context.Context, n node, m *message, height int64, own string) (id string, place int, err error) {
	t, place, err := c.cause(ctx, n, m, height)
	if err != nil || t.signed == nil {
		return own, 0, err
	}
	return t.id.String(), place, nil
}

// ordered returns the id of the transaction by which a followed account ordered its jetton wallet to send the units that a notice tells of, with the
// place of the order. The messages are followed back over both jetton wallets: many orders may look the same. For units that were not ordered, but
// made in its name, own is the id.
func (c *Connector) ordered(ctx context.Context, n node, owner account, notice *message, height int64, own string) (id string, place int, err error) {
	m := notice
	for range 2 {
		t, _, err := c.cause(ctx, n, m, height)
		if err != nil || t.in == nil {
			return own, 0, err
		}
		m = t.in
	}
	if _, isOrder := readOrder(m.body); m.from != owner || !isOrder {
		return own, 0, nil
	}
	return c.sender(ctx, n, m, height, own)
}
