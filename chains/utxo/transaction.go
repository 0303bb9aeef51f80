package utxo

import (
	"crypto/sha256"
	"encoding/hex"
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
	key  []byte // the compressed public key shown by it, nil where it shows none
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

// transaction reads one transaction.
func (r *reader) transaction() (t transaction) {
	if r.sum == nil {
		r.sum = sha256.New()
	}
	first, to := r.sum, r.to
	first.Reset()
	r.to = first
	r.number(4) // version
	r.to = nil
	mark, _ := r.from.Peek(2)
	segwit := len(mark) == 2 && mark[0] == 0 && mark[1] == 1 // no transaction has zero inputs
	if segwit {
		r.number(2)
	}
	r.to = first
	t.ins, t.outs = r.inputs(), r.outputs()
	if segwit {
		r.to = nil
		for i := range t.ins {
			t.ins[i].witness(r)
		}
		r.to = first
	}
	r.number(4) // lock time
	if r.to = to; r.bad {
		return transaction{}
	}
	var sum hash
	first.Sum(sum[:0])
	t.hash = sha256.Sum256(sum[:])
	t.coinbase = len(t.ins) == 1 && t.ins[0].from == hash{}
	return t
}

// early is the most room that is made for a number of things before they have come.
const early = 1000

func (r *reader) inputs() []input {
	n := r.count()
	ins := make([]input, 0, min(n, early))
	for ; n > 0 && !r.bad; n-- {
		in := input{from: r.hash(), vout: uint32(r.number(4)), key: shownKey(r.proof())}
		r.number(4) // sequence
		ins = append(ins, in)
	}
	return ins
}

func (r *reader) outputs() []output {
	n := r.count()
	outs := make([]output, 0, min(n, early))
	for i := uint32(0); n > 0 && !r.bad; n-- {
		o := output{vout: i, units: int64(r.number(8)), script: r.paid()}
		r.bad = r.bad || o.units < 0
		outs = append(outs, o)
		i++
	}
	return outs
}

// witness reads the witness of an input: a spend of P2WPKH has a signature and a key.
func (in *input) witness(r *reader) {
	n := r.count()
	for i := uint64(0); i < n && !r.bad; i++ {
		size := r.count()
		if n != 2 || i != 1 || size != keySize {
			r.skip(size)
		} else if item := r.keep(size); isKey(item) {
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
	r := readerOf(raw)
	t := r.transaction()
	if !r.ended() || len(t.ins) == 0 || len(t.outs) == 0 {
		return transaction{}, errCut
	}
	return t, nil
}
