package rippled

import "slices"

// mostQueued is how many transactions of an account wait in the queue.
const mostQueued = 10

// submit takes a transaction into the open ledger or the queue, or refuses it.
func (c *chain) submit(tx *transaction) string {
	if result := c.preflight(tx); result != tesSUCCESS {
		return result
	}
	return c.enter(tx)
}

// enter is submit of a transaction that is well by itself.
func (c *chain) enter(tx *transaction) string {
	burnt := c.burnt
	defer func() { c.burnt = burnt }()
	v := c.ahead(tx.account)
	result := c.preclaim(tx, v, true)
	waits := slices.ContainsFunc(c.queue, func(q *transaction) bool { return q.account == tx.account })
	switch {
	case result == tefPASTSEQ && waits && tx.sequence >= c.open.get(tx.account).sequence:
		return c.replace(tx)
	case result == terPRESEQ:
		if !slices.ContainsFunc(c.held, func(h *transaction) bool { return h.id == tx.id }) {
			c.held = append(c.held, tx)
		}
		return result
	case !claimed(result):
		return result
	case tx.fee < c.openFee || waits:
		return c.enqueue(tx)
	}
	if result = c.apply(tx, c.open, true); claimed(result) {
		c.applied = append(c.applied, tx)
	}
	return result
}

// ahead is the open ledger with what an account has in the queue.
func (c *chain) ahead(a Account) *view {
	v := newView(c.state, c.open.ledger)
	for account, r := range c.open.changed {
		v.changed[account] = r
	}
	for _, q := range c.queue {
		if q.account == a {
			c.apply(q, v, false)
		}
	}
	return v
}

func (c *chain) enqueue(tx *transaction) string {
	own := 0
	for _, q := range c.queue {
		if q.account == tx.account {
			own++
		}
	}
	if own >= mostQueued {
		return telQUEUEFULL
	}
	c.queue = append(c.queue, tx)
	return terQUEUED
}

// replace takes a transaction in place of one in the queue with the same number, for a fee that is a quarter higher.
func (c *chain) replace(tx *transaction) string {
	for i, q := range c.queue {
		switch {
		case q.account != tx.account || q.sequence != tx.sequence:
			continue
		case q.id == tx.id:
			return terQUEUED
		case tx.fee*4 < q.fee*5:
			return telQUEUEFEE
		}
		c.queue[i] = tx
		return terQUEUED
	}
	return tefPASTSEQ
}
