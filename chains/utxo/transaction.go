package utxo

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
)

// transaction is a transaction as a block or the mempool has it.
type transaction struct {
	hash     hash
	coinbase bool
	ins      []input
	outs     []output
}

// input spends an output.
type input struct {
	from hash
	vout uint32

	script []byte // of its signature, where there is one
	key    []byte // the compressed public key shown by it, nil where it shows none
}

// output pays to a script.
type output struct {
	vout   uint32
	units  int64
	script []byte
}

// hash is a double SHA-256 in the order of bytes of the wire.
type hash [32]byte

// String writes the hash as nodes do: the last byte first.
func (h hash) String() string {
	slices.Reverse(h[:])
	return hex.EncodeToString(h[:])
}

// hashOf reads a hash in the spelling of nodes.
func hashOf(text string) (h hash, ok bool) {
	if len(text) != 2*len(h) {
		return hash{}, false
	}
	if _, err := hex.Decode(h[:], []byte(text)); err != nil {
		return hash{}, false
	}
	slices.Reverse(h[:])
	return h, true
}

// double is the hash of blocks and transactions.
func double(parts ...[]byte) hash {
	first := sha256.New()
	for _, p := range parts {
		_, _ = first.Write(p)
	}
	var sum hash
	first.Sum(sum[:0])
	return sha256.Sum256(sum[:])
}

// errCut says that raw bytes end too early, or do not end where they should.
var errCut = errors.New("the bytes are no transactions")

// reader reads the wire's form. After its first error it returns zeros.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(n uint64) []byte {
	if r.bad || n > uint64(len(r.rest)) {
		r.bad = true
		return nil
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) number(size uint64) (n uint64) {
	b := r.take(size)
	if r.bad {
		return 0
	}
	var whole [8]byte
	copy(whole[:], b)
	return binary.LittleEndian.Uint64(whole[:])
}

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

func (r *reader) text() []byte { return r.take(r.count()) }

// many reads how many things follow. Each takes at least size bytes, so a false number costs no memory.
func (r *reader) many(size int) int {
	n := r.count()
	if n > uint64(len(r.rest)/size) {
		r.bad = true
		return 0
	}
	return int(n)
}

// The least size of an input and of an output.
const (
	leastIn  = 41
	leastOut = 9
)

// transaction reads one transaction. Its bytes are not copied.
func (r *reader) transaction() (t transaction) {
	whole := r.rest
	version := r.take(4)
	segwit := len(r.rest) > 1 && r.rest[0] == 0 && r.rest[1] == 1 // no transaction has zero inputs
	if segwit {
		r.take(2)
	}
	body := r.rest
	t.ins = make([]input, r.many(leastIn))
	for i := range t.ins {
		in := &t.ins[i]
		copy(in.from[:], r.take(32))
		in.vout = uint32(r.number(4))
		in.script = r.text()
		in.key = shownKey(in.script)
		r.take(4)
	}
	t.outs = make([]output, r.many(leastOut))
	for i := range t.outs {
		t.outs[i] = output{vout: uint32(i), units: int64(r.number(8)), script: r.text()}
		r.bad = r.bad || t.outs[i].units < 0
	}
	body = body[:len(body)-len(r.rest)]
	if segwit {
		for i := range t.ins {
			t.ins[i].witness(r)
		}
	}
	lock := r.take(4)
	if r.bad {
		return transaction{}
	}
	if segwit {
		t.hash = double(version, body, lock)
	} else {
		t.hash = double(whole[:len(whole)-len(r.rest)])
	}
	t.coinbase = len(t.ins) == 1 && t.ins[0].from == hash{}
	return t
}

// witness reads the witness of an input: a spend of P2WPKH has a signature and a key.
func (in *input) witness(r *reader) {
	n := r.many(1)
	for i := range n {
		if item := r.text(); n == 2 && i == 1 && isKey(item) {
			in.key = item
		}
	}
}

const keySize = 33

func isKey(b []byte) bool { return len(b) == keySize && (b[0] == 2 || b[0] == 3) }

// shownKey returns the key at the end of the script of a spend of P2PKH. A copy may push it, and the signature, in another way than
// wallets do.
func shownKey(script []byte) []byte {
	at := len(script) - keySize
	if at < 2 || !isKey(script[at:]) {
		return nil
	}
	return script[at:]
}

// parse reads one transaction and nothing else.
func parse(raw []byte) (transaction, error) {
	r := reader{rest: raw}
	t := r.transaction()
	if r.bad || len(r.rest) > 0 || len(t.ins) == 0 || len(t.outs) == 0 {
		return transaction{}, errCut
	}
	return t, nil
}
