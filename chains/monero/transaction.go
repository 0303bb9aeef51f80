package monero

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"

	"github.com/ethereum/go-ethereum/crypto"
)

// hash is an id as nodes compute it: keccak.
type hash [32]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

func keccak(parts ...[]byte) hash { return hash(crypto.Keccak256(parts...)) }

// transaction is a transaction as far as a receiver reads it.
type transaction struct {
	id     hash
	unlock uint64     // 0 where its outputs may be spent as soon as all others
	images []hash     // of the coins that it spends
	rings  [][]uint64 // the outputs of which each may be the one spent, by their places on the chain; none for an open amount, never ours
	outs   []output
	keys   []hash // public keys of the transaction, by which receivers find their outputs
	extra  []hash // the same for each output, where there are subaddresses among several receivers
	fee    uint64
	hidden bool  // the amounts are hidden, and read with the view key
	mined  int64 // the height of the block whose miner it pays
}

// output is an output: its one-time key, and its hidden amount.
type output struct {
	key        hash
	tag        int // the first byte of a hash known to the receiver; -1 where there is none
	amount     [8]byte
	commitment hash
}

// The kinds of things in a transaction.
const (
	madeInput    = 0xff // of a miner's transaction
	keyInput     = 0x02
	keyOutput    = 0x02
	taggedOutput = 0x03

	extraPadding = 0x00
	extraKey     = 0x01
	extraNonce   = 0x02
	extraMining  = 0x03
	extraKeys    = 0x04
	extraMine    = 0xde

	// Types of hidden amounts: since 2019 an amount has eight bytes (rctTypes.h).
	typeNone  = 0
	typeFirst = 4 // Bulletproof2
	typeLast  = 6 // BulletproofPlus
)

// cursor reads the wire's form. After its first fault it returns zeros.
type cursor struct {
	rest []byte
	bad  bool
}

// number reads a number in its shortest form: nodes take no other, and the same thing must not have two.
func (c *cursor) number() uint64 {
	n, size := binary.Uvarint(c.rest)
	if size <= 0 || size > 1 && c.rest[size-1] == 0 {
		c.bad, c.rest = true, nil
		return 0
	}
	c.rest = c.rest[size:]
	return n
}

// count reads how many things follow, of at least so many bytes each.
func (c *cursor) count(size int) int {
	n := c.number()
	if n > uint64(len(c.rest)/size) {
		c.bad, c.rest = true, nil
		return 0
	}
	return int(n)
}

func (c *cursor) take(n int) []byte {
	if n > len(c.rest) {
		c.bad, c.rest = true, nil
		return make([]byte, n)
	}
	out := c.rest[:n]
	c.rest = c.rest[n:]
	return out
}

func (c *cursor) hash() hash { return hash(c.take(32)) }

// parsePruned reads a transaction without its proofs, whose hash the node tells. The id is computed, so a node can tell nothing else of it.
func parsePruned(raw []byte, proofs hash) (*transaction, bool) {
	c := &cursor{rest: raw}
	t, prefix := c.transaction(raw)
	base := c.rest
	c.amounts(t)
	if c.bad || len(c.rest) > 0 || raw[0] != 2 {
		return nil, false
	}
	if !t.hidden {
		proofs = hash{} // a miner's transaction proves nothing, whatever nodes tell
	}
	head, amounts := keccak(prefix), keccak(base)
	t.id = keccak(head[:], amounts[:], proofs[:])
	return t, true
}

// parseWhole reads a transaction with its proofs, as nodes pass it on.
func parseWhole(raw []byte) (*transaction, bool) {
	c := &cursor{rest: raw}
	t, _ := c.transaction(raw)
	c.amounts(t)
	if c.bad {
		return nil, false
	}
	pruned := raw[:len(raw)-len(c.rest)]
	return parsePruned(pruned, keccak(c.rest))
}

// parseFirst reads a transaction of the first version, with all its bytes. Only dust of 2017 is still spent so. Its amounts are open, and
// none is ours.
func parseFirst(raw []byte) (*transaction, bool) {
	c := &cursor{rest: raw}
	t, _ := c.transaction(raw)
	t.id = keccak(raw)
	return t, !c.bad && raw[0] == 1
}

// parseBare reads a transaction of the first version without its signatures. Its id is as it was told.
func parseBare(raw []byte, id string) (*transaction, bool) {
	c := &cursor{rest: raw}
	t, _ := c.transaction(raw)
	named, err := hex.DecodeString(id)
	if c.bad || len(c.rest) > 0 || raw[0] != 1 || err != nil || len(named) != 32 {
		return nil, false
	}
	t.id = hash(named)
	return t, true
}

// transaction reads all before the amounts, and returns its bytes too.
func (c *cursor) transaction(whole []byte) (*transaction, []byte) {
	t := &transaction{}
	if version := c.number(); version != 1 && version != 2 {
		c.bad = true
	}
	t.unlock = c.number()
	for range c.count(1) {
		switch kind := c.take(1)[0]; kind {
		case madeInput:
			t.mined = int64(c.number() & math.MaxInt64)
		case keyInput:
			open := c.number()
			ring := make([]uint64, c.count(1))
			for i := range ring {
				if ring[i] = c.number(); i > 0 {
					ring[i] += ring[i-1]
				}
			}
			if open > 0 {
				ring = nil
			}
			t.rings, t.images = append(t.rings, ring), append(t.images, c.hash())
		default:
			c.bad = true
		}
	}
	for range c.count(33) {
		c.number() // 0 where the amount is hidden
		o := output{tag: -1}
		kind := c.take(1)[0]
		o.key = c.hash()
		if kind == taggedOutput {
			o.tag = int(c.take(1)[0])
		} else if kind != keyOutput {
			c.bad = true
		}
		t.outs = append(t.outs, o)
	}
	t.readExtra(c.take(c.count(1)))
	return t, whole[:len(whole)-len(c.rest)]
}

// amounts reads the hidden amounts.
func (c *cursor) amounts(t *transaction) {
	switch kind := c.take(1)[0]; {
	case kind == typeNone:
		return
	case kind < typeFirst || kind > typeLast:
		c.bad = true
		return
	}
	t.hidden, t.fee = true, c.number()
	for i := range t.outs {
		t.outs[i].amount = [8]byte(c.take(8))
	}
	for i := range t.outs {
		t.outs[i].commitment = c.hash()
	}
}

// readExtra reads the public keys of the transaction. What comes after something unknown is not read, as wallets do.
func (t *transaction) readExtra(raw []byte) {
	for c := (&cursor{rest: raw}); len(c.rest) > 0 && !c.bad; {
		switch c.take(1)[0] {
		case extraKey:
			if key := c.hash(); !c.bad && !slices.Contains(t.keys, key) {
				t.keys = append(t.keys, key)
			}
		case extraNonce, extraMining, extraMine:
			c.take(c.count(1))
		case extraKeys:
			n := c.count(32)
			keys := make([]hash, n)
			for i := range keys {
				keys[i] = c.hash()
			}
			if t.extra == nil && !c.bad {
				t.extra = keys
			}
		case extraPadding:
			return
		default:
			return
		}
	}
}

// parsedBlock is a block: its own head and the ids of its transactions, the miner's first. Its hash is computed.
type parsedBlock struct {
	id, parent hash
	height     int64
	major      uint64
	made       uint64 // seconds
	txs        []hash
}

// parseBlock reads a block as nodes pass it on.
func parseBlock(raw []byte) (*parsedBlock, bool) {
	c := &cursor{rest: raw}
	b := &parsedBlock{major: c.number()}
	c.number()
	b.made = c.number()
	b.parent = c.hash()
	c.take(4)
	head := raw[:len(raw)-len(c.rest)]
	rest := c.rest
	mine, prefix := c.transaction(rest)
	if b.height = mine.mined; c.take(1)[0] != typeNone || c.bad {
		return nil, false
	}
	mined, none := keccak(prefix), keccak([]byte{typeNone})
	b.txs = append(b.txs, keccak(mined[:], none[:], make([]byte, 32)))
	for range c.count(32) {
		b.txs = append(b.txs, c.hash())
	}
	if c.bad || len(c.rest) > 0 {
		return nil, false
	}
	root := tree(b.txs)
	blob := slices.Concat(head, root[:], binary.AppendUvarint(nil, uint64(len(b.txs))))
	b.id = keccak(binary.AppendUvarint(nil, uint64(len(blob))), blob)
	return b, true
}

// tree is the root of the ids of a block's transactions (tree-hash.c): those beyond the greatest power of two below their number are joined
// in pairs first.
func tree(ids []hash) hash {
	if len(ids) == 1 {
		return ids[0]
	}
	width := 1
	for width*2 < len(ids) {
		width *= 2
	}
	row := slices.Clone(ids[:2*width-len(ids)])
	row = append(row, pairs(ids[2*width-len(ids):])...)
	for len(row) > 1 {
		row = pairs(row)
	}
	return row[0]
}

func pairs(row []hash) (out []hash) {
	for i := 0; i+1 < len(row); i += 2 {
		out = append(out, keccak(row[i][:], row[i+1][:]))
	}
	return out
}
