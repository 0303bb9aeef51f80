package rippled

import (
	"bytes"
	"crypto/sha256"
	"errors"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"github.com/mr-tron/base58"
)

// alphabet is that of base 58 on the XRP Ledger.
var alphabet = base58.NewAlphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")

// Account is an account, which wallets show as r….
type Account [20]byte

// String returns the account as wallets show it.
func (a Account) String() string {
	raw := append([]byte{0}, a[:]...)
	sum := sha256.Sum256(raw)
	sum = sha256.Sum256(sum[:])
	return base58.EncodeAlphabet(append(raw, sum[:4]...), alphabet)
}

// AccountOf reads an account as wallets show it.
func AccountOf(text string) (a Account, err error) {
	raw, err := base58.DecodeAlphabet(text, alphabet)
	if err != nil || len(raw) != 25 || raw[0] != 0 {
		return a, errors.New("not an account of the XRP Ledger: " + text)
	}
	copy(a[:], raw[1:])
	if a.String() != text {
		return a, errors.New("not an account of the XRP Ledger: " + text)
	}
	return a, nil
}

// accountOfKey is the account of a public key of 33 bytes.
func accountOfKey(public []byte) (a Account) {
	copy(a[:], address.Hash160(public))
	return a
}

// Key is a key of the fake's own: everyone knows it.
type Key struct{ private *secp256k1.PrivateKey }

// KeyOf returns the key with a name.
func KeyOf(name string) Key {
	seed := sha256.Sum256([]byte("a key of the fake rippled: " + name))
	return KeyFromBytes(seed[:])
}

// KeyFromBytes returns the key with these 32 bytes.
func KeyFromBytes(bytes []byte) Key { return Key{secp256k1.PrivKeyFromBytes(bytes)} }

// Account returns the account of a key.
func (k Key) Account() Account { return accountOfKey(k.public()) }

// Text returns the account of a key as wallets show it.
func (k Key) Text() string { return k.Account().String() }

func (k Key) public() []byte { return k.private.PubKey().SerializeCompressed() }

// sign returns a signature in DER, with a low s.
func (k Key) sign(digest [32]byte) []byte { return ecdsa.Sign(k.private, digest[:]).Serialize() }

// verifies reports whether a signature is the one form of a signature by a key. Keys of other curves are not known to the fake.
func verifies(public, signature []byte, digest [32]byte) bool {
	key, err := secp256k1.ParsePubKey(public)
	if err != nil || len(public) != secp256k1.PubKeyBytesLenCompressed {
		return false
	}
	parsed, err := ecdsa.ParseDERSignature(signature)
	if err != nil || !bytes.Equal(parsed.Serialize(), signature) { // written again, it has the low s
		return false
	}
	return parsed.Verify(digest[:], key)
}
