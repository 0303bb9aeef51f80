package solana

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"

	"causeway/chains/addresses"
)

// hardened marks a step of a path whose key does not follow from public data. The curve has no other steps (SLIP-10).
const hardened = uint32(1) << 31

// The paths of keys: deposit addresses are m/44'/501'/index'/0', as wallets number their accounts, and the hot wallet is m/44'/501'/0'/1'.
const (
	purpose  = 44
	coinType = 501
)

// depositKey derives the key of a deposit address. Errors are addresses.ErrSeed and addresses.ErrPath.
func depositKey(seed []byte, index uint32) (ed25519.PrivateKey, error) {
	return keyAt(seed, purpose, coinType, index, 0)
}

// hotKey derives the key of the hot wallet.
func hotKey(seed []byte) (ed25519.PrivateKey, error) { return keyAt(seed, purpose, coinType, 0, 1) }

// keyAt derives the key at a path of hardened steps, by SLIP-10.
func keyAt(seed []byte, steps ...uint32) (ed25519.PrivateKey, error) {
	if len(seed) < 16 || len(seed) > 64 {
		return nil, addresses.ErrSeed
	}
	node := digest([]byte("ed25519 seed"), seed)
	defer func() { clear(node) }()
	for _, step := range steps {
		if step >= hardened {
			return nil, addresses.ErrPath
		}
		data := append([]byte{0}, node[:32]...)
		data = binary.BigEndian.AppendUint32(data, step|hardened)
		next := digest(node[32:], data)
		clear(data)
		clear(node)
		node = next
	}
	return ed25519.NewKeyFromSeed(node[:32]), nil
}

func digest(with, data []byte) []byte {
	h := hmac.New(sha512.New, with)
	h.Write(data)
	return h.Sum(nil)
}

// publicOf is the account of a key.
func publicOf(k ed25519.PrivateKey) key { return key(k.Public().(ed25519.PublicKey)) }

// sign signs a message by its signers, which are all among the keys given.
func sign(m message, by ...ed25519.PrivateKey) (*transaction, error) {
	t := &transaction{message: m, signed: m.encode(), signatures: make([]signature, m.signers)}
	for i := range t.signatures {
		for _, k := range by {
			if publicOf(k) == m.keys[i] {
				copy(t.signatures[i][:], ed25519.Sign(k, t.signed))
			}
		}
	}
	return t, t.verify()
}
