package monero

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"filippo.io/edwards25519"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
)

// AccountPath is where the secret spend key is in the seed: the private key of secp256k1 there, reduced by the order of the curve's group.
const AccountPath = "m/44'/128'/0'/0/0"

// Errors of keys. None repeats key material.
var (
	// ErrView says that a text is not an address and the secret view key that belongs to it.
	ErrView = errors.New("not ADDRESS:KEY, a main address of Monero and its secret view key in hex")
	// ErrKey says that the network's address was made from another seed.
	ErrKey = errors.New("the seed does not belong to the address")
)

// view sees what arrives at all addresses of the account, and can spend none of it.
type view struct {
	secret *edwards25519.Scalar
	spend  *edwards25519.Point // the public spend key
	main   string              // the main address, that of the hot wallet
}

// readView reads ADDRESS:KEY. The error is ErrView.
func readView(text string) (*view, error) {
	address, key, _ := strings.Cut(text, ":")
	spend, public, err := addresses.MoneroKeys(address)
	raw, hexed := hex.DecodeString(key)
	if err != nil || hexed != nil || addresses.MoneroAddress(spend, public, false) != address {
		return nil, ErrView
	}
	v := &view{main: address}
	if v.secret, err = edwards25519.NewScalar().SetCanonicalBytes(raw); err != nil {
		return nil, ErrView
	}
	if v.spend, err = new(edwards25519.Point).SetBytes(spend[:]); err != nil || bytesOf(new(edwards25519.Point).ScalarBaseMult(v.secret)) != public {
		return nil, ErrView
	}
	return v, nil
}

// keysOf derives the secret spend key of the seed, and what it sees.
func keysOf(seed []byte) (spend *edwards25519.Scalar, v *view, err error) {
	raw, err := addresses.PrivateFromSeed(seed, AccountPath)
	if err != nil {
		return nil, nil, err
	}
	defer clear(raw)
	spend = reduced(raw)
	v = &view{secret: scalarOf(spend.Bytes()), spend: new(edwards25519.Point).ScalarBaseMult(spend)}
	v.main = addresses.MoneroAddress(bytesOf(v.spend), bytesOf(new(edwards25519.Point).ScalarBaseMult(v.secret)), false)
	return spend, v, nil
}

// text is ADDRESS:KEY.
func (v *view) text() string { return fmt.Sprintf("%s:%x", v.main, v.secret.Bytes()) }

// offset is what a subaddress adds to the spend key.
func (v *view) offset(minor uint32) *edwards25519.Scalar {
	return scalarOf([]byte("SubAddr\x00"), v.secret.Bytes(), make([]byte, 4), binary.LittleEndian.AppendUint32(nil, minor))
}

// address returns the text of subaddress 0/minor. Minor 0 is the main address.
func (v *view) address(minor uint32) string {
	if minor == 0 {
		return v.main
	}
	raw, spend := v.spendKey(minor)
	return addresses.MoneroAddress(raw, bytesOf(spend.ScalarMult(v.secret, spend)), true)
}

// scalarOf hashes to a scalar: keccak, reduced by the order of the group.
func scalarOf(parts ...[]byte) *edwards25519.Scalar { return reduced(crypto.Keccak256(parts...)) }

// reduced reads 32 bytes as a number modulo the order of the group.
func reduced(raw []byte) *edwards25519.Scalar {
	var wide [64]byte
	defer clear(wide[:])
	copy(wide[:], raw)
	s, err := edwards25519.NewScalar().SetUniformBytes(wide[:])
	if err != nil {
		panic("monero: 64 bytes make a scalar")
	}
	return s
}

func bytesOf(p *edwards25519.Point) (out [32]byte) {
	copy(out[:], p.Bytes())
	return out
}
