package rippled

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"
)

// mined is a transaction in a ledger.
type mined struct {
	*transaction
	index  uint32
	result string
	meta   []byte
}

// ledger is one validated ledger.
type ledger struct {
	index, closed, parentClosed uint32
	coins                       int64
	hash, parent, txs, accounts [32]byte
	transactions                []mined // by id
}

// chain is the fake's whole memory.
type chain struct {
	state
	name                    string
	network                 int
	fee, reserve, increment int64
	ledgers                 []*ledger // by index, the first has 1
	places                  map[[32]byte]place
	open                    *view
	applied, queue, held    []*transaction // in the open ledger, waiting for a cheaper one, waiting for the number before
	burnt                   int64
	openFee, minimum        int64 // what enters the open ledger, and what is taken at all
	trouble
}

// place is where a transaction is.
type place struct {
	ledger *ledger
	at     int
}

// seconds are between two ledgers, unless a clock says otherwise.
const seconds = 4

func newChain(o Options) chain {
	or := func(v, otherwise int64) int64 {
		if v == 0 {
			return otherwise
		}
		return v
	}
	c := chain{state: state{}, name: o.Name, network: int(or(int64(o.Network), Network)), places: map[[32]byte]place{},
		fee: or(o.BaseFee, 10), reserve: or(o.Reserve, drops), increment: or(o.Increment, drops/5)}
	if o.Network < 0 {
		c.network = 0
	}
	c.openFee, c.minimum = c.fee, c.fee
	begin := o.Begin
	if begin.IsZero() {
		begin = time.Now().Add(-4 * seconds * time.Second)
	}
	first := &ledger{index: 1, closed: rippleTime(begin), coins: richBalance, parent: half("the first ledger of the fake of " + o.Name)}
	c.state[Rich.Account()] = []version{{1, root{exists: true, balance: richBalance - makerBalance, sequence: 1}}}
	c.state[maker.Account()] = []version{{1, root{exists: true, balance: makerBalance, sequence: 1}}}
	first.seal(c.name)
	c.ledgers = []*ledger{first}
	c.reopen()
	for range 3 {
		c.close(0)
	}
	return c
}

func (c *chain) validated() *ledger { return c.ledgers[len(c.ledgers)-1] }

// ledger returns the ledger of an index, nil where there is none, or the node has lost it.
func (c *chain) ledger(index int64) *ledger {
	if index < 1 || index > int64(len(c.ledgers)) || c.lost(uint32(index)) {
		return nil
	}
	return c.ledgers[index-1]
}

// known reports whether a transaction is in a ledger, or in the open one.
func (c *chain) known(id [32]byte) bool {
	_, done := c.places[id]
	return done
}

// close makes a ledger out of the open one, which is validated at once.
func (c *chain) close(at uint32) *ledger {
	top := c.validated()
	l := &ledger{index: top.index + 1, closed: max(at, top.closed+1), parentClosed: top.closed, parent: top.hash}
	if at == 0 {
		l.closed = top.closed + seconds
	}
	waiting := slices.Concat(c.applied, c.held)
	if c.holding {
		waiting = nil
	} else {
		c.applied, c.held = nil, nil
	}
	v, burnt := newView(c.state, l.index), c.burnt
	for _, tx := range waiting {
		before := map[Account]root{}
		for a := range tx.touches() {
			before[a] = v.get(a)
		}
		result := c.apply(tx, v, false)
		switch {
		case claimed(result):
			c.thread(tx, v, before)
			l.transactions = append(l.transactions, mined{tx, uint32(len(l.transactions)), result, nil})
			m := &l.transactions[len(l.transactions)-1]
			m.meta = c.metadata(m, v, before)
		case result == terPRESEQ:
			c.held = append(c.held, tx)
		}
	}
	v.commit()
	l.coins = top.coins - (c.burnt - burnt)
	slices.SortFunc(l.transactions, func(a, b mined) int { return bytes.Compare(a.id[:], b.id[:]) })
	for i, m := range l.transactions {
		c.places[m.id] = place{l, i}
	}
	l.seal(c.name)
	c.ledgers = append(c.ledgers, l)
	c.reopen()
	return l
}

// reopen opens the next ledger with everything that waits and still fits.
func (c *chain) reopen() {
	applied, queue, held, burnt := c.applied, c.queue, c.held, c.burnt
	c.applied, c.queue, c.held = nil, nil, nil
	c.open = newView(c.state, c.validated().index+1)
	for _, tx := range applied {
		if claimed(c.apply(tx, c.open, false)) {
			c.applied = append(c.applied, tx)
		}
	}
	for _, tx := range slices.Concat(queue, held) {
		c.enter(tx)
	}
	c.burnt = burnt
}

// thread notes in each changed account its last transaction.
func (c *chain) thread(tx *transaction, v *view, before map[Account]root) {
	for a := range before {
		if now := v.get(a); now != before[a] && now.exists {
			now.prevTx, now.prevIn = tx.id, v.ledger
			v.put(a, now)
		}
	}
}

// seal computes the hashes.
func (l *ledger) seal(name string) {
	leaves := make([]leaf, len(l.transactions))
	for i, m := range l.transactions {
		item := slices.Concat(length(len(m.blob)), m.blob, length(len(m.meta)), m.meta)
		leaves[i] = leaf{m.id, half(prefixLeaf, item, m.id[:])}
	}
	l.txs = tree(leaves, 0)
	l.accounts = half("the accounts of the fake of "+name, binary.BigEndian.AppendUint64(nil, uint64(l.index)), l.txs[:], l.parent[:])
	l.hash = half(prefixLedger, l.header())
}

// header writes the header of a ledger.
func (l *ledger) header() []byte {
	out := binary.BigEndian.AppendUint32(nil, l.index)
	out = binary.BigEndian.AppendUint64(out, uint64(l.coins))
	out = append(append(append(out, l.parent[:]...), l.txs[:]...), l.accounts[:]...)
	out = binary.BigEndian.AppendUint32(out, l.parentClosed)
	out = binary.BigEndian.AppendUint32(out, l.closed)
	return append(out, 10, 0) // the resolution of the time, and no flags
}

// leaf is a transaction in the tree of a ledger.
type leaf struct{ key, hash [32]byte }

// tree is the hash of leaves that agree in their first digits, by the sixteen values of the next one.
func tree(leaves []leaf, depth int) (out [32]byte) {
	if len(leaves) == 0 {
		return out
	}
	if len(leaves) == 1 && depth > 0 {
		return leaves[0].hash
	}
	var branches [16][]leaf
	for _, l := range leaves {
		digit := l.key[depth/2]
		if depth%2 == 0 {
			digit >>= 4
		}
		branches[digit&15] = append(branches[digit&15], l)
	}
	var inner []byte
	for _, b := range branches {
		below := tree(b, depth+1)
		inner = append(inner, below[:]...)
	}
	return half(prefixInner, inner)
}
