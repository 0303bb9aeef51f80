package monero

import (
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"filippo.io/edwards25519"

	"causeway/chains/addresses"
)

// made is a transaction as a wallet has made it, and its secret keys: one of the transaction, and one more for each output where there are
// subaddresses among several receivers.
type made struct {
	raw     []byte
	secrets []*edwards25519.Scalar
}

// readSecrets reads the secret keys of a transaction as a wallet tells them: in hex, one after the other.
func readSecrets(text string) (out []*edwards25519.Scalar, err error) {
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) == 0 || len(raw)%32 != 0 {
		return nil, errors.New("the wallet does not tell the secret keys of what it has made")
	}
	for key := range slices.Chunk(raw, 32) {
		secret, err := edwards25519.NewScalar().SetCanonicalBytes(key)
		if err != nil {
			return nil, errors.New("the wallet tells a secret key that is none")
		}
		out = append(out, secret)
	}
	return out, nil
}

// receiver is an address as its own wallet looks for outputs.
type receiver struct {
	spend hash
	view  *edwards25519.Point
	base  *edwards25519.Point // of the public keys of transactions: the spend key for a subaddress
}

func readReceiver(address string) (*receiver, error) {
	spend, view, err := addresses.MoneroKeys(address)
	if err != nil {
		return nil, err
	}
	r := &receiver{spend: spend, base: edwards25519.NewGeneratorPoint()}
	if r.view, err = new(edwards25519.Point).SetBytes(view[:]); err != nil {
		return nil, err
	}
	if addresses.MoneroAddress(spend, view, true) == address {
		r.base, err = new(edwards25519.Point).SetBytes(spend[:])
	}
	return r, err
}

// shared is the secret of the sender and the receiver, if the transaction has its public key for the receiver; nil otherwise.
func (r *receiver) shared(secret *edwards25519.Scalar, public hash) []byte {
	if bytesOf(new(edwards25519.Point).ScalarMult(secret, r.base)) != public {
		return nil
	}
	p := new(edwards25519.Point).ScalarMult(secret, r.view)
	return p.MultByCofactor(p).Bytes()
}

// gets returns the amount of an output if the receiver's wallet finds it, and 0 otherwise.
func (r *receiver) gets(v *view, t *transaction, place int, secrets []*edwards25519.Scalar) uint64 {
	var all [][]byte
	if len(t.keys) == 1 {
		all = append(all, r.shared(secrets[0], t.keys[0]))
	}
	if place < len(t.extra) && place+1 < len(secrets) {
		all = append(all, r.shared(secrets[place+1], t.extra[place]))
	}
	for _, shared := range all {
		if shared == nil {
			continue
		}
		if a, its := v.arrival(&t.outs[place], place, shared, func(spend hash) (uint32, bool) { return 0, spend == r.spend }); its {
			return a.units
		}
	}
	return 0
}

// pays proves that each destination gets its amount, from an output of its own that its wallet finds. The rest comes back in so many others.
func (m made) pays(v *view, t *transaction, outs []destination, rests int) error {
	taken := map[int]bool{}
	for _, to := range outs {
		r, err := readReceiver(to.Address)
		if err != nil {
			return err
		}
		found := false
		for place := 0; place < len(t.outs) && !found; place++ {
			if found = !taken[place] && r.gets(v, t, place, m.secrets) == to.Units; found {
				taken[place] = true
			}
		}
		if !found {
			return fmt.Errorf("it does not pay %s to %s", amountOf(to.Units), to.Address)
		}
	}
	if most := max(2, len(outs)+rests); len(t.outs) != most {
		return fmt.Errorf("it has %d outputs, not %d", len(t.outs), most)
	}
	return nil
}
