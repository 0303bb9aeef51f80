package ton

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
)

// KeyPath is where the one key of all wallets is in the seed, by SLIP-10: each step is hardened. Its public key is Config.PublicKey.
const KeyPath = "m/44'/607'/0'"

// path is KeyPath in numbers.
var path = []uint32{44, 607, 0}

const hardened = 1 << 31

// keyOf derives the key of KeyPath from a seed.
func keyOf(seed []byte) ed25519.PrivateKey {
	node := hmacOf([]byte("ed25519 seed"), seed)
	for _, step := range path {
		data := append([]byte{0}, node[:32]...)
		data = binary.BigEndian.AppendUint32(data, step|hardened)
		next := hmacOf(node[32:], data)
		clear(node)
		clear(data)
		node = next
	}
	defer clear(node)
	return ed25519.NewKeyFromSeed(node[:32])
}

func hmacOf(key, data []byte) []byte {
	h := hmac.New(sha512.New, key)
	h.Write(data)
	return h.Sum(nil)
}

// publicKey returns the public key of KeyPath in hex.
func publicKey(seed []byte) string {
	key := keyOf(seed)
	defer clear(key)
	return hex.EncodeToString(key[32:])
}
