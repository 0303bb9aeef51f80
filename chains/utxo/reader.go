package utxo

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// errCut says that raw bytes end too early, or do not end where they should.
var errCut = errors.New("the bytes are no transactions")

// reader reads the wire's form as it comes. It keeps what is asked for alone, so a block takes no memory for the data that is in it.
// After its first error it returns zeros.
type reader struct {
	from *bufio.Reader
	to   io.Writer // has all bytes that are read; nil for nobody
	long uint64    // the length of the longest script that is kept
	bad  bool
	slab int      // scripts share pieces of so many bytes; 0 for none
	room []byte   // the rest of the present piece
	word [32]byte // the last number or hash
	part []byte   // of what is not kept
	sum  digest   // of transactions
}

// digest computes a hash, again and again.
type digest interface {
	io.Writer
	Reset()
	Sum(after []byte) []byte
}

// longest is the length of the longest script that is kept of a block. Those of addresses are some thirty bytes, and data may be any.
const longest = 2000

// readerOf reads bytes that are in memory, and keeps all scripts.
func readerOf(raw []byte) *reader {
	return &reader{from: bufio.NewReaderSize(bytes.NewReader(raw), min(len(raw), 4096)), long: uint64(len(raw))}
}

// blockReader reads a block.
func blockReader(from io.Reader) *reader {
	return &reader{from: bufio.NewReaderSize(from, 64<<10), long: longest, slab: 64 << 10}
}

// fill reads all of a buffer.
func (r *reader) fill(b []byte) {
	if r.bad {
		return
	}
	if _, err := io.ReadFull(r.from, b); err != nil {
		r.bad = true
		return
	}
	if r.to != nil {
		_, _ = r.to.Write(b)
	}
}

// pass reads a few bytes that hold until the next are read.
func (r *reader) pass(n int) []byte {
	r.fill(r.word[:n])
	if r.bad {
		clear(r.word[:])
	}
	return r.word[:n]
}

// atOnce is the most room that is made before the bytes for it have come.
const atOnce = 8 << 10

// keep reads bytes that stay. Room is made as they come: a false length costs no memory.
func (r *reader) keep(n uint64) []byte {
	if n > atOnce {
		var out []byte
		for part := uint64(0); n > 0 && !r.bad; n -= part {
			part = min(n, atOnce)
			at := len(out)
			out = append(out, make([]byte, part)...)
			r.fill(out[at:])
		}
		return out
	}
	if uint64(len(r.room)) < n {
		r.room = make([]byte, max(int(n), r.slab))
	}
	out := r.room[:n:n]
	if r.fill(out); r.bad {
		return nil
	}
	r.room = r.room[n:]
	return out
}

func (r *reader) number(size int) uint64 {
	clear(r.word[:8])
	r.pass(size)
	return binary.LittleEndian.Uint64(r.word[:8])
}

func (r *reader) hash() hash { return hash(r.pass(32)) }

// count reads a number of one to nine bytes.
func (r *reader) count() uint64 {
	switch first := r.number(1); first {
	case 0xfd:
		return r.number(2)
	case 0xfe:
		return r.number(4)
	case 0xff:
		return r.number(8)
	default:
		return first
	}
}

// paid reads the script of an output, nil for one that is too long for any address.
func (r *reader) paid() []byte {
	n := r.count()
	if n > r.long {
		r.skip(n)
		return nil
	}
	return r.keep(n)
}

// proof reads the script of an input. Of one that is too long it keeps the end, where a key may stand.
func (r *reader) proof() []byte {
	n := r.count()
	if n <= r.long {
		return r.keep(n)
	}
	r.skip(n - endSize)
	return r.keep(endSize)
}

// endSize is what is kept of the end of a long script.
const endSize = 2 * keySize

func (r *reader) scratch() []byte {
	if r.part == nil {
		r.part = make([]byte, 4096)
	}
	return r.part
}

// skip reads bytes that nobody needs.
func (r *reader) skip(n uint64) {
	part := r.scratch()
	for size := uint64(0); n > 0 && !r.bad; n -= size {
		size = min(n, uint64(len(part)))
		r.fill(part[:size])
	}
}

// ended reports whether all was read, and there is no more.
func (r *reader) ended() bool {
	_, err := r.from.Peek(1)
	return !r.bad && errors.Is(err, io.EOF)
}
