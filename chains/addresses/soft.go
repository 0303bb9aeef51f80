package addresses

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"filippo.io/edwards25519"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
)

// SoftKey is a private key of ed25519 whose children's public keys follow from its own public data (BIP32-Ed25519, as CIP-3 and CIP-1852 of
// Cardano have it). SLIP-10 cannot do this. Its signatures are those of any other key of ed25519. Zero wipes it.
type SoftKey struct {
	scalar [32]byte // little-endian, not reduced: children add to it
	prefix [32]byte // of the hash that makes a signature's nonce
	chain  [32]byte
}

// The root of a seed takes as many rounds as wallets of Cardano take.
const (
	rootRounds = 4096
	rootSize   = 96
)

// SoftAccount derives the private key at a path of hardened steps, such as m/44'/501'/0'. Errors are ErrSeed and ErrPath.
func SoftAccount(seed []byte, path string) (*SoftKey, error) {
	if len(seed) < hdkeychain.MinSeedBytes || len(seed) > hdkeychain.MaxSeedBytes {
		return nil, ErrSeed
	}
	steps, err := parsePath(path)
	if err != nil {
		return nil, err
	}
	root, err := pbkdf2.Key(sha512.New, "", seed, rootRounds, rootSize)
	if err != nil {
		return nil, ErrSeed
	}
	defer clear(root)
	root[0] &= 0xf8
	root[31] = root[31]&0x1f | 0x40
	k := &SoftKey{[32]byte(root), [32]byte(root[32:]), [32]byte(root[64:])}
	for _, step := range steps {
		next := k.child(step)
		k.Zero()
		k = next
	}
	return k, nil
}

// Zero wipes the key.
func (k *SoftKey) Zero() { *k = SoftKey{} }

// Child derives the private key branch/index under an account. Errors are ErrPath.
func (k *SoftKey) Child(branch, index uint32) (*SoftKey, error) {
	if branch >= hdkeychain.HardenedKeyStart || index >= hdkeychain.HardenedKeyStart {
		return nil, ErrPath
	}
	middle := k.child(branch)
	defer middle.Zero()
	return middle.child(index), nil
}

func (k *SoftKey) child(step uint32) *SoftKey {
	material := slices.Concat(k.scalar[:], k.prefix[:])
	defer clear(material)
	tags := [2]byte{0, 1}
	if step < hdkeychain.HardenedKeyStart {
		material, tags = k.Public(), [2]byte{2, 3}
	}
	z := softHash(k.chain[:], tags[0], material, step)
	defer clear(z)
	next := &SoftKey{chain: [32]byte(softHash(k.chain[:], tags[1], material, step)[32:])}
	addLittle(&next.scalar, k.scalar[:], times8(z[:28]))
	addLittle(&next.prefix, k.prefix[:], z[32:])
	return next
}

// Public returns the 32 bytes of the public key.
func (k *SoftKey) Public() []byte {
	return new(edwards25519.Point).ScalarBaseMult(reduced(k.scalar[:])).Bytes()
}

// XPub returns the extended public key in hex, for processes without secrets that make addresses.
func (k *SoftKey) XPub() string { return hex.EncodeToString(append(k.Public(), k.chain[:]...)) }

// Sign returns the 64 bytes of the signature of a message.
func (k *SoftKey) Sign(message []byte) []byte {
	public := k.Public()
	nonce := hashed(k.prefix[:], message)
	r := new(edwards25519.Point).ScalarBaseMult(nonce).Bytes()
	s := edwards25519.NewScalar().MultiplyAdd(hashed(r, public, message), reduced(k.scalar[:]), nonce)
	return append(r, s.Bytes()...)
}

// FromSoftXPub derives the public key branch/index under an account's extended public key. Errors are ErrXPub and ErrPath.
func FromSoftXPub(xpub string, branch, index uint32) ([]byte, error) {
	raw, err := hex.DecodeString(xpub)
	if err != nil || len(raw) != 64 {
		return nil, ErrXPub
	}
	point, err := new(edwards25519.Point).SetBytes(raw[:32])
	if err != nil {
		return nil, ErrXPub
	}
	public, chain := point.Bytes(), raw[32:]
	for _, step := range []uint32{branch, index} {
		if step >= hdkeychain.HardenedKeyStart {
			return nil, ErrPath
		}
		z := softHash(chain, 2, public, step)
		chain = softHash(chain, 3, public, step)[32:]
		var added [32]byte
		addLittle(&added, make([]byte, 32), times8(z[:28]))
		point = new(edwards25519.Point).Add(point, new(edwards25519.Point).ScalarBaseMult(reduced(added[:])))
		public = point.Bytes()
	}
	return public, nil
}

func softHash(chain []byte, tag byte, material []byte, step uint32) []byte {
	h := hmac.New(sha512.New, chain)
	h.Write([]byte{tag})
	h.Write(material)
	h.Write(binary.LittleEndian.AppendUint32(nil, step))
	return h.Sum(nil)
}

// hashed is the hash of parts as a scalar.
func hashed(parts ...[]byte) *edwards25519.Scalar {
	h := sha512.New()
	for _, part := range parts {
		h.Write(part)
	}
	s, _ := edwards25519.NewScalar().SetUniformBytes(h.Sum(nil)) // of 64 bytes always
	return s
}

// reduced is a little-endian number as a scalar.
func reduced(little []byte) *edwards25519.Scalar {
	var wide [64]byte
	copy(wide[:], little)
	s, _ := edwards25519.NewScalar().SetUniformBytes(wide[:])
	return s
}

// times8 is eight times a little-endian number of 28 bytes, in 32.
func times8(little []byte) []byte {
	out := make([]byte, 32)
	carry := uint16(0)
	for i := range out {
		if i < len(little) {
			carry |= uint16(little[i]) << 3
		}
		out[i] = byte(carry)
		carry >>= 8
	}
	return out
}

// addLittle adds two little-endian numbers of 32 bytes, without what is carried beyond.
func addLittle(to *[32]byte, a, b []byte) {
	carry := uint16(0)
	for i := range to {
		carry += uint16(a[i]) + uint16(b[i])
		to[i] = byte(carry)
		carry >>= 8
	}
}
