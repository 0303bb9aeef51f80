package ton

import (
	"context"
	"slices"
	"sync"
	"time"

	"causeway/chains/ton/client"
)

// The bounds of what is remembered, and of how far back own transactions are looked for.
const (
	mostKept  = 20_000
	mostPages = 40 // of one question
	fewPages  = 5  // of a deposit address
)

// past are the transactions of followed accounts that were read: the signed ones by their ids, and how far each account is known.
type past struct {
	sync.Mutex
	signed map[string]*transaction
	at     map[account]reached
	spans  map[account]span
	sought map[string]time.Time // when deposit addresses were looked through for an id
	said   map[string]bool      // ids of which something was logged
}

// reached is the state of an account after a block.
type reached struct {
	seqno int64
	state client.State
}

// span is a stretch of an account's transactions that is known without a gap.
type span struct {
	newest   client.State
	oldest   client.Hash // the transaction before the stretch
	oldestLT uint64      // 0 where it begins with the first
	count    int
}

// keep remembers transactions. Of one known already its block is added.
func (p *past) keep(all []*transaction) {
	p.Lock()
	defer p.Unlock()
	if p.signed == nil || len(p.signed) > mostKept {
		p.signed, p.spans = map[string]*transaction{}, map[account]span{}
	}
	for _, t := range all {
		if t.signed == nil {
			continue
		}
		if known := p.signed[t.id.String()]; known != nil && t.seqno == 0 {
			continue
		}
		p.signed[t.id.String()] = t
	}
}

// first reports whether an id is named for the first time.
func (p *past) first(id string) bool {
	p.Lock()
	defer p.Unlock()
	if p.said == nil || len(p.said) > mostKept {
		p.said = map[string]bool{}
	}
	before := p.said[id]
	p.said[id] = true
	return !before
}

// find returns a signed transaction.
func (p *past) find(id string) *transaction {
	p.Lock()
	defer p.Unlock()
	return p.signed[id]
}

// search returns the signed transaction of an account that fits, or nil.
func (p *past) search(a account, fits func(*transaction) bool) *transaction {
	p.Lock()
	defer p.Unlock()
	for _, t := range p.signed {
		if t.account == a && fits(t) {
			return t
		}
	}
	return nil
}

// stateAt returns the state of an account after a block, if the last step ended there.
func (p *past) stateAt(a account, seqno int64) (client.State, bool) {
	p.Lock()
	defer p.Unlock()
	r, known := p.at[a]
	return r.state, known && r.seqno == seqno
}

func (p *past) reached(a account, seqno int64, s client.State) {
	p.Lock()
	defer p.Unlock()
	if p.at == nil {
		p.at = map[account]reached{}
	}
	p.at[a] = reached{seqno, s}
}

// forget forgets how far an account is known.
func (p *past) forget(a account) {
	p.Lock()
	defer p.Unlock()
	delete(p.at, a)
	delete(p.spans, a)
}

func (p *past) span(a account) (span, bool) {
	p.Lock()
	defer p.Unlock()
	s, known := p.spans[a]
	return s, known
}

func (p *past) setSpan(a account, s span) {
	p.Lock()
	defer p.Unlock()
	if p.spans == nil {
		p.spans = map[account]span{}
	}
	p.spans[a] = s
}

// learn reads the newest transactions of an account, up to a block.
func (c *Connector) learn(ctx context.Context, n node, a account, tip int64) error {
	now, err := state(ctx, n, a, tip)
	if err != nil || now.LT == 0 {
		return err
	}
	s, known := c.past.span(a)
	switch {
	case known && now.LT <= s.newest.LT:
		return nil
	case known:
		fresh, err := c.since(ctx, n, a, s.newest, now, mostSteps)
		if err != nil {
			c.past.forget(a) // another node may have told what was remembered
			return err
		}
		c.past.keep(fresh)
		s.newest, s.count = now, s.count+len(fresh)
		c.past.setSpan(a, s)
		return nil
	default:
		s = span{newest: now, oldest: now.Hash, oldestLT: now.LT}
		_, err := c.learnBack(ctx, n, a, s)
		return err
	}
}

// learnBack reads transactions before a stretch. It returns false where there is none before.
func (c *Connector) learnBack(ctx context.Context, n node, a account, s span) (bool, error) {
	if s.oldestLT == 0 || s.count > mostKept {
		return false, nil
	}
	page, err := c.page(ctx, n, a, s.oldestLT, s.oldest, 0)
	if client.Lacks(err) { // older than the node remembers
		return false, nil
	}
	if err != nil {
		return false, err
	}
	c.past.keep(page)
	last := page[len(page)-1]
	s.oldest, s.oldestLT, s.count = last.before, last.beforeLT, s.count+len(page)
	c.past.setSpan(a, s)
	return true, nil
}

// lookUp finds signed transactions of our wallets, looking back for those that are not known yet. Deposit addresses are many, and seldom spend:
// they are looked through for what no other wallet has, and for each id once a while.
func (c *Connector) lookUp(ctx context.Context, n node, ids []string, tip int64) error {
	first := c.spenders()
	for _, a := range c.sent.wallets(ids) {
		if !slices.Contains(first, a) {
			first = append(first, a)
		}
	}
	for _, a := range first {
		if err := c.lookIn(ctx, n, a, ids, tip, mostPages); err != nil {
			return err
		}
	}
	sought := c.past.toSeek(slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !c.missing(id) }), time.Now())
	if len(sought) == 0 {
		return nil
	}
	all, err := c.watched(ctx)
	if err != nil {
		return err
	}
	for _, a := range all {
		if slices.Contains(first, a) {
			continue
		}
		if err := c.lookIn(ctx, n, a, sought, tip, fewPages); err != nil {
			return err
		}
	}
	c.past.seek(sought, time.Now())
	return nil
}

// missing reports whether a transaction is neither known nor sent by this process lately.
func (c *Connector) missing(id string) bool { return c.past.find(id) == nil && !c.sent.knows(id) }

// lookIn is lookUp in one wallet, over so many pages.
func (c *Connector) lookIn(ctx context.Context, n node, a account, ids []string, tip int64, most int) error {
	if err := c.learn(ctx, n, a, tip); err != nil {
		return err
	}
	for pages := 0; pages < most && slices.ContainsFunc(ids, c.missing); pages++ {
		s, known := c.past.span(a)
		if !known {
			break
		}
		more, err := c.learnBack(ctx, n, a, s)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	return nil
}

// seekAgain is how long deposit addresses are not looked through for an id again.
const seekAgain = time.Minute

// toSeek returns those of the ids for which deposit addresses were not looked through lately.
func (p *past) toSeek(ids []string, now time.Time) []string {
	p.Lock()
	defer p.Unlock()
	for id, at := range p.sought {
		if now.Sub(at) > seekAgain {
			delete(p.sought, id)
		}
	}
	return slices.DeleteFunc(ids, func(id string) bool { _, lately := p.sought[id]; return lately })
}

// seek notes that deposit addresses were looked through.
func (p *past) seek(ids []string, now time.Time) {
	p.Lock()
	defer p.Unlock()
	if p.sought == nil {
		p.sought = map[string]time.Time{}
	}
	for _, id := range ids {
		p.sought[id] = now
	}
}

// spenders are the accounts whose own transactions are looked up.
func (c *Connector) spenders() []account {
	if c.cold != nil {
		return []account{c.hot, *c.cold}
	}
	return []account{c.hot}
}

// located returns a transaction with its block, which is looked for if it is not known yet. What others read stays as it is.
func (c *Connector) located(ctx context.Context, n node, known *transaction, tip int64) (*transaction, error) {
	if known.seqno != 0 {
		return known, nil
	}
	placed := *known
	t := &placed
	low := tip
	for step := int64(1); low > 0; step *= 2 {
		low = max(0, tip-step)
		before, err := state(ctx, n, t.account, low)
		if err != nil {
			return nil, err
		}
		if before.LT < t.lt {
			break
		}
	}
	if err := c.place(ctx, n, t.account, []*transaction{t}, low, tip); err != nil {
		return nil, err
	}
	c.past.keep([]*transaction{t})
	return t, nil
}
