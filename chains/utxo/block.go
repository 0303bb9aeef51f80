package utxo

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"
)

// block is a block of the chain with all its transactions.
type block struct {
	hash, parent hash
	time         time.Time
	txs          []transaction
}

// header is a header of the wire, read in the form of a coin.
type header struct {
	hash, parent, root hash
	time               time.Time
}

// headerForm says how a coin writes the headers of its blocks.
type headerForm int

// The forms of headers.
const (
	plainHeader  headerForm = iota // 80 bytes
	mergedHeader                   // 80 bytes, and the proof of another chain where the version says so
	goldHeader                     // with the height, a nonce of 32 bytes and a solution
)

// mergedBit in the version of a block of Dogecoin says that it was mined along with another chain.
const mergedBit = 0x100

// header reads a header. Those of BitcoinGold are its own once it has forked.
func (c *coin) header(r *reader, gold bool) header {
	if c.form == goldHeader {
		return goldHeaderOf(r, gold)
	}
	raw := r.keep(headerSize)
	if r.bad {
		return header{}
	}
	h := plain(raw)
	if c.form == mergedHeader && raw[1]&(mergedBit>>8) != 0 {
		r.skipMerged()
	}
	return h
}

// headerSize is the length of a plain header.
const headerSize = 80

func plain(raw []byte) header {
	h := header{hash: double(raw)}
	copy(h.parent[:], raw[4:])
	copy(h.root[:], raw[36:])
	h.time = time.Unix(int64(binary.LittleEndian.Uint32(raw[68:])), 0).UTC()
	return h
}

// skipMerged leaves out the proof of a merge-mined block: the parent's coinbase, two branches, and the parent's header.
func (r *reader) skipMerged() {
	r.transaction()
	r.hash()
	for range 2 {
		for n := r.count(); n > 0 && !r.bad; n-- {
			r.hash()
		}
		r.number(4)
	}
	r.skip(headerSize)
}

// mostSolution is the most bytes of a solution of BitcoinGold; one has 100 or 1344.
const mostSolution = 4096

// goldHeaderOf reads a header of BitcoinGold. Blocks before its fork from Bitcoin have the hash of Bitcoin's header.
func goldHeaderOf(r *reader, forked bool) header {
	var whole bytes.Buffer
	r.to = &whole
	before := r.keep(68)
	r.hash() // height, reserved
	after := r.keep(8)
	nonce := r.keep(32)
	size := r.count() // of the solution
	r.bad = r.bad || size > mostSolution
	r.keep(size)
	r.to = nil
	if r.bad {
		return header{}
	}
	h := plain(slices.Concat(before, after, nonce[:4]))
	if forked {
		h.hash = double(whole.Bytes())
	}
	return h
}

// readBlock reads a raw block, which must be the one asked for: its hash and the root of its transactions are computed. Of long scripts
// only a key is kept.
func (c *coin) readBlock(from io.Reader, want string, height int64, forked bool) (*block, error) {
	r := blockReader(from)
	h := c.header(r, forked)
	if r.bad || h.hash.String() != want {
		return nil, odd("block %d is not %s", height, want)
	}
	b := &block{hash: h.hash, parent: h.parent, time: h.time}
	for n := r.count(); n > 0 && !r.bad; n-- {
		b.txs = append(b.txs, r.transaction())
	}
	if !r.ended() {
		return nil, odd("block %d: %v", height, errCut)
	}
	if err := b.check(h.root); err != nil {
		return nil, odd("block %d: %v", height, err)
	}
	return b, nil
}

// check compares the root of the transactions with the header's, and the place of the coinbase.
func (b *block) check(root hash) error {
	level := make([]hash, len(b.txs))
	for i := range b.txs {
		if level[i] = b.txs[i].hash; b.txs[i].coinbase != (i == 0) {
			return fmt.Errorf("transaction %d is a coinbase, or the first is none", i)
		}
	}
	got, ok := merkleRoot(level)
	if !ok || got != root {
		return fmt.Errorf("the root of its %d transactions is %s, not %s", len(level), got, root)
	}
	return nil
}

// merkleRoot computes the root over the level, which it uses up. It is not ok for a list with repeated transactions: such a list has
// the root of the shorter one (CVE-2012-2459).
func merkleRoot(level []hash) (root hash, ok bool) {
	if len(level) == 0 {
		return hash{}, false
	}
	for len(level) > 1 {
		for i := 0; i+1 < len(level); i += 2 {
			if level[i] == level[i+1] {
				return hash{}, false
			}
		}
		if len(level)%2 == 1 {
			level = append(level, level[len(level)-1])
		}
		for i := range len(level) / 2 {
			level[i] = double(level[2*i][:], level[2*i+1][:])
		}
		level = level[:len(level)/2]
	}
	return level[0], true
}
