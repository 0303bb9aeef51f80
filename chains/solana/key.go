// Package solana reads, builds and signs transactions of Solana, byte by byte as the libraries of Solana do.
package solana

import (
	"crypto/sha256"
	"errors"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"
)

// key is the name of an account: the public key of its owner, or an address off the curve that belongs to a program.
type key [32]byte

// signature signs a transaction. The first one is its id.
type signature [64]byte

// readKey reads an account's name in base58.
func readKey(text string) (k key, ok bool) {
	if len(text) < 32 || len(text) > 44 {
		return k, false
	}
	raw, err := base58.Decode(text)
	if err != nil || len(raw) != len(k) {
		return k, false
	}
	return key(raw), true
}

// mustKey is the name of an account that everyone knows.
func mustKey(text string) key {
	k, ok := readKey(text)
	if !ok {
		panic("solana: " + text)
	}
	return k
}

// String is the name in base58.
func (k key) String() string { return base58.Encode(k[:]) }

// String is the id of a transaction in base58.
func (s signature) String() string { return base58.Encode(s[:]) }

// readSignature reads the id of a transaction.
func readSignature(text string) (s signature, ok bool) {
	if len(text) < 64 || len(text) > 88 {
		return s, false
	}
	raw, err := base58.Decode(text)
	if err != nil || len(raw) != len(s) {
		return s, false
	}
	return signature(raw), true
}

// isHash reports whether a text is 32 bytes in base58, as hashes of blocks are.
func isHash(text string) bool {
	_, ok := readKey(text)
	return ok
}

// onCurve reports whether a name is a point of the curve: only then somebody may have its key.
func (k key) onCurve() bool {
	_, err := new(edwards25519.Point).SetBytes(k[:])
	return err == nil
}

var errNoAddress = errors.New("no address of a program fits the seeds")

// derived is the address of a program for some seeds: the first one off the curve, counting a last byte down.
func derived(program key, seeds ...[]byte) (key, error) {
	for bump := 255; bump >= 0; bump-- {
		h := sha256.New()
		for _, seed := range seeds {
			h.Write(seed)
		}
		h.Write([]byte{byte(bump)})
		h.Write(program[:])
		h.Write([]byte("ProgramDerivedAddress"))
		if k := key(h.Sum(nil)); !k.onCurve() {
			return k, nil
		}
	}
	return key{}, errNoAddress
}

// associated is the account in which an owner holds a token.
func associated(owner, mint, program key) (key, error) {
	return derived(associatedProgram, owner[:], program[:], mint[:])
}
