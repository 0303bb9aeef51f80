// Package vault keeps secrets: it seals them for the database, makes API keys and signing secrets, and hashes keys for
// comparison. It knows no table and no wire.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// KeySize is the length of a secrets key in bytes (operator §Settings, SECRETS_KEY).
const KeySize = 32

const (
	version   = 1
	keyIDSize = 4
)

// HeadSize is how many bytes at the beginning of a sealed value name its key (see Missing).
const HeadSize = 1 + keyIDSize

// Errors of Open and Check.
var (
	ErrSealed     = errors.New("not a sealed secret, or altered")
	ErrUnknownKey = errors.New("sealed under a secrets key that is not loaded")
	ErrBroken     = errors.New("the seal is not of these fields") // of Sealer.Check
)

// Vault seals under its newest secrets key and opens under every key given to New. Safe for concurrent use.
type Vault struct {
	mark   string // of the API keys of its books
	keys   []ring // newest first
	hidden []byte // compared against when there is nothing to compare with
}

type ring struct {
	id     uint32
	aead   cipher.AEAD
	pepper []byte
}

// New makes a vault from secrets keys of KeySize bytes: the current one, then the keys of older values. It panics on another
// length: settings are checked where they are read.
func New(current []byte, older ...[]byte) *Vault {
	v := &Vault{mark: LiveMark, keys: []ring{newRing(current)}}
	for _, key := range older {
		v.keys = append(v.keys, newRing(key))
	}
	v.hidden = derive(current, "absent key", sha256.Size)
	return v
}

// ForSandbox returns the vault of books with simulated money: it makes and accepts API keys with SandboxMark, and no other
// vault accepts them.
func (v *Vault) ForSandbox() *Vault {
	out := *v
	out.mark = SandboxMark
	return &out
}

func newRing(key []byte) ring {
	if len(key) != KeySize {
		panic(fmt.Sprintf("vault: a secrets key has %d bytes, not %d", len(key), KeySize))
	}
	block, err := aes.NewCipher(derive(key, "seal", KeySize))
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return ring{
		id:     binary.BigEndian.Uint32(derive(key, "key id", keyIDSize)),
		aead:   aead,
		pepper: derive(key, "api key pepper", sha256.Size),
	}
}

func derive(key []byte, purpose string, size int) []byte {
	out, err := hkdf.Key(sha256.New, key, nil, "causeway "+purpose, size)
	if err != nil {
		panic(err)
	}
	return out
}
