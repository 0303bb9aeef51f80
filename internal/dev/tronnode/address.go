package tronnode

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
)

// version starts the bytes of each address of Tron: 21 of them, of which the virtual machine sees the last 20.
const version = 0x41

// Text returns an address as wallets show it.
func Text(a common.Address) string { return base58.CheckEncode(a[:], version) }

// bytesOf returns an address as transactions have it.
func bytesOf(a common.Address) []byte { return append([]byte{version}, a[:]...) }

// hexOf returns an address as nodes print it.
func hexOf(a common.Address) string { return hex.EncodeToString(bytesOf(a)) }

// addressOf reads the bytes of an address.
func addressOf(raw []byte) (common.Address, bool) {
	if len(raw) != 21 || raw[0] != version {
		return common.Address{}, false
	}
	return common.BytesToAddress(raw[1:]), true
}

// Address reads an address in either spelling: as wallets show it, or in hex as nodes print it.
func Address(text string) (common.Address, error) {
	if raw, err := hex.DecodeString(text); err == nil {
		if a, ok := addressOf(raw); ok {
			return a, nil
		}
	}
	raw, v, err := base58.CheckDecode(text)
	if err != nil || v != version || len(raw) != 20 {
		return common.Address{}, errors.New("not an address of Tron: " + text)
	}
	return common.BytesToAddress(raw), nil
}

// Key is a key of the fake's own: everyone knows it.
type Key struct {
	private *secp256k1.PrivateKey
	address common.Address
}

// KeyOf returns the key with a name.
func KeyOf(name string) Key {
	seed := sha256.Sum256([]byte("a key of the fake node of Tron: " + name))
	return KeyFromBytes(seed[:])
}

// KeyFromBytes returns the key with these 32 bytes.
func KeyFromBytes(bytes []byte) Key {
	private := secp256k1.PrivKeyFromBytes(bytes)
	hash := crypto.Keccak256(private.PubKey().SerializeUncompressed()[1:])
	return Key{private, common.BytesToAddress(hash[12:])}
}

// Address returns the address of a key.
func (k Key) Address() common.Address { return k.address }

// Text returns the address of a key as wallets show it.
func (k Key) Text() string { return Text(k.Address()) }
