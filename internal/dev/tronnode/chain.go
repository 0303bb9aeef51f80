package tronnode

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"

	"github.com/ethereum/go-ethereum/common"
)

// receipt is what a transaction has cost and done.
type receipt struct {
	result                 int64 // contractResult of Tron.proto
	fee                    int64 // of the contract itself, sun
	netUsage, netFee       int64
	energyUsage, energyFee int64
	energyTotal, penalty   int64
	memoFee                int64
	withdrawn              int64 // sun that came back from stakes
	contract               *common.Address
	returned               []byte
	logs                   []entry
	failure                string // why it failed, as nodes say it
}

// entry is a log of a contract.
type entry struct {
	contract common.Address
	topics   []common.Hash
	data     []byte
}

// mined is a transaction in a block.
type mined struct {
	*transaction
	what *contract
	receipt
}

// block is one block. The first has no transactions.
type block struct {
	number, time int64 // ms
	id, parent   [32]byte
	root         [32]byte
	witness      Key
	hash         [32]byte // of the header
	txs          []mined
	changes      []change
	printed      json.RawMessage // in hex, once asked for
}

// chain is the fake's whole memory.
type chain struct {
	state
	options
	blocks    []*block // by number
	waiting   []*transaction
	seen      map[[32]byte]bool // of waiting
	contracts map[common.Address]*code20
	forks     int
	tip       *block // the newest, also while an older view is asked
	trouble
}

// options are the settled Options.
type options struct {
	fees  Fees
	lag   int
	key   string
	limit int64 // the highest fee_limit
	delay int   // days until what is unfrozen can be spent
}

func (c *chain) head() *block { return c.blocks[len(c.blocks)-1] }

// solid is the newest block that cannot be undone.
func (c *chain) solid() *block {
	if c.stalled != nil {
		return c.stalled
	}
	return c.blocks[max(len(c.blocks)-1-c.lag, 0)]
}

// slot is the time of the newest block in slots.
func (c *chain) slot() int64 { return c.head().time / slotMs }

// at runs f on the state after an earlier block. It returns false if the block is too old or not there.
func (c *chain) at(b *block, f func()) {
	undo(c.changes)
	for i := len(c.blocks) - 1; int64(i) > b.number; i-- {
		undo(c.blocks[i].changes)
	}
	f()
	for i := b.number + 1; i < int64(len(c.blocks)); i++ {
		redo(c.blocks[i].changes)
	}
	redo(c.changes)
}

// mine makes the next block out of the waiting transactions. Those that do not fit any more are dropped.
func (c *chain) mine(time int64) *block {
	c.revert(0)
	head := c.head()
	b := &block{number: head.number + 1, time: max(time, head.time+slotMs), parent: head.id}
	b.witness = c.witness(b.number)
	waiting := c.waiting
	c.waiting = nil
	if c.held {
		c.waiting, waiting = waiting, nil
	}
	for _, tx := range waiting {
		if tx.expiration < b.time {
			continue
		}
		what, r, refused := c.process(tx)
		if refused != nil {
			continue
		}
		put(&c.state, c.places, tx.id, place{b, len(b.txs)})
		b.txs = append(b.txs, mined{tx, what, *r})
	}
	c.addForeign(b)
	b.seal()
	b.changes, c.changes = c.changes, nil
	c.blocks, c.tip = append(c.blocks, b), b
	c.forget()
	c.retry()
	return b
}

// retry processes the transactions that still wait anew, on the newest block.
func (c *chain) retry() {
	waiting := c.waiting
	c.waiting, c.seen = nil, map[[32]byte]bool{}
	for _, tx := range waiting {
		if _, _, refused := c.process(tx); refused == nil {
			c.waiting, c.seen[tx.id] = append(c.waiting, tx), true
		}
	}
}

// forget drops the undoing of a block far below the solid one: no question reaches so far back.
func (c *chain) forget() {
	if old := c.solid().number - 64; old > 0 {
		c.blocks[old].changes = nil
	}
}

// reorganise undoes blocks that are not solid yet, and mines one more than that in their place. Their transactions wait again, or
// are lost.
func (c *chain) reorganise(depth int, lost func(txid string) bool) bool {
	if depth < 1 || depth > len(c.blocks)-1 || int64(len(c.blocks)-depth) <= c.solid().number {
		return false
	}
	c.revert(0)
	var again []*transaction
	for range depth {
		b := c.head()
		undo(b.changes)
		c.blocks = c.blocks[:len(c.blocks)-1]
		for i := len(b.txs) - 1; i >= 0; i-- {
			if tx := b.txs[i].transaction; !lost(hex32(tx.id)) {
				again = append([]*transaction{tx}, again...)
			}
		}
	}
	c.forks++
	c.waiting = append(again, c.waiting...)
	for range depth + 1 {
		c.mine(0)
	}
	return true
}

// witness is who makes the block of a number. After a fork another one does.
func (c *chain) witness(number int64) Key {
	return witnesses[(number+int64(c.forks))%int64(len(witnesses))]
}

var witnesses = func() (keys [27]Key) {
	for i := range keys {
		keys[i] = KeyOf("witness " + string(rune('a'+i)))
	}
	return keys
}()

// blockVersion is the version of blocks that the fake writes.
const blockVersion = 32

// header returns the bytes whose hash is the block's id, but for its first 8 bytes: they are the height.
func (b *block) header() []byte {
	m := message(nil).number(1, b.time).bytes(2, b.root[:]).bytes(3, b.parent[:]).number(7, b.number)
	return m.bytes(9, bytesOf(b.witness.Address())).number(10, blockVersion)
}

// seal computes the root and the id.
func (b *block) seal() {
	leaves := make([][32]byte, len(b.txs))
	for i := range b.txs {
		leaves[i] = sha256.Sum256(b.txs[i].bytes(b.txs[i].result))
	}
	b.root = root(leaves)
	b.hash = sha256.Sum256(b.header())
	b.id = b.hash
	binary.BigEndian.PutUint64(b.id[:8], uint64(b.number))
}

// signature is the witness's: of blocks it ends with 0 or 1.
func (b *block) signature() []byte {
	signature := b.witness.sign(b.hash)
	signature[64] -= 27
	return signature
}

// root is the root of java-tron's tree: an odd one at the end of a level goes up as it is.
func root(level [][32]byte) [32]byte {
	if len(level) == 0 {
		return [32]byte{}
	}
	for len(level) > 1 {
		var above [][32]byte
		for i := 0; i < len(level); i += 2 {
			if i+1 == len(level) {
				above = append(above, level[i])
			} else {
				above = append(above, sha256.Sum256(append(level[i][:], level[i+1][:]...)))
			}
		}
		level = above
	}
	return level[0]
}

func hex32(hash [32]byte) string { return hex.EncodeToString(hash[:]) }
