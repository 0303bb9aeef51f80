package monero

import (
	"encoding/binary"
	"encoding/hex"

	"filippo.io/edwards25519"
	"github.com/ethereum/go-ethereum/crypto"
)

// generatorH is the second generator of commitments to amounts (rctTypes.h).
var generatorH = func() *edwards25519.Point {
	raw, err := hex.DecodeString("8b655970153799af2aeadc9ff1add0ea6c7251d54154cfa92c173a0dd39c1f94")
	if err != nil {
		panic(err)
	}
	p, err := new(edwards25519.Point).SetBytes(raw)
	if err != nil {
		panic(err)
	}
	return p
}()

// arrival is an output of ours.
type arrival struct {
	place int // of the output in its transaction
	minor uint32
	key   hash
	units uint64
}

// arrivals returns the outputs of a transaction that are ours: found by the view key, with an amount that its commitment holds to. Among is
// the subaddress of a public spend key. An output is found by a key of the transaction, or by its own.
func (v *view) arrivals(t *transaction, among func(spend hash) (uint32, bool)) (out []arrival) {
	if !t.hidden || t.unlock != 0 {
		return nil
	}
	found := map[int]bool{}
	seen := map[hash]bool{}
	look := func(place int, shared []byte) {
		o := &t.outs[place]
		if shared == nil || found[place] || seen[o.key] {
			return
		}
		if a, ours := v.arrival(o, place, shared, among); ours {
			found[place], seen[o.key] = true, true
			out = append(out, a)
		}
	}
	for _, key := range t.keys {
		shared := v.shared(key)
		for place := range t.outs {
			look(place, shared)
		}
	}
	for place := range t.outs {
		if place < len(t.extra) {
			look(place, v.shared(t.extra[place]))
		}
	}
	return out
}

// shared is the secret of the sender and us, by a public key of the transaction; nil where that is no key.
func (v *view) shared(key hash) []byte {
	p, err := new(edwards25519.Point).SetBytes(key[:])
	if err != nil {
		return nil
	}
	p.ScalarMult(v.secret, p)
	return p.MultByCofactor(p).Bytes()
}

// arrival reads one output with a secret.
func (v *view) arrival(o *output, place int, shared []byte, among func(hash) (uint32, bool)) (arrival, bool) {
	at := binary.AppendUvarint(nil, uint64(place))
	if o.tag >= 0 && int(crypto.Keccak256([]byte("view_tag"), shared, at)[0]) != o.tag {
		return arrival{}, false
	}
	own := scalarOf(shared, at)
	key, err := new(edwards25519.Point).SetBytes(o.key[:])
	if err != nil {
		return arrival{}, false
	}
	minor, ours := among(bytesOf(key.Subtract(key, new(edwards25519.Point).ScalarBaseMult(own))))
	if !ours {
		return arrival{}, false
	}
	units := binary.LittleEndian.Uint64(o.amount[:]) ^ binary.LittleEndian.Uint64(crypto.Keccak256([]byte("amount"), own.Bytes()))
	return arrival{place: place, minor: minor, key: o.key, units: units}, units > 0 && commits(o.commitment, own, units)
}

// commits reports whether a commitment is to an amount. Without this a payer could tell of any amount.
func commits(to hash, own *edwards25519.Scalar, units uint64) bool {
	blind := scalarOf([]byte("commitment_mask"), own.Bytes())
	var raw [32]byte
	binary.LittleEndian.PutUint64(raw[:], units)
	amount, err := edwards25519.NewScalar().SetCanonicalBytes(raw[:])
	if err != nil {
		return false
	}
	return bytesOf(new(edwards25519.Point).VarTimeDoubleScalarBaseMult(amount, generatorH, blind)) == to
}
