package ton

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"sync"

	"causeway/chains"
	"causeway/chains/remotesigner"
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

// kept are the last bytes of a draft, with their slot: a signer elsewhere may sign the same with other bytes.
type kept struct {
	sync.Mutex
	slot   uint64
	signed *chains.Signed
}

// or returns the bytes that are kept for a slot, or has them signed.
func (k *kept) or(slot chains.Slot, sign func(chains.Slot) (chains.Signed, error)) (chains.Signed, error) {
	k.Lock()
	defer k.Unlock()
	if k.signed != nil && k.slot == slot.Number {
		return *k.signed, nil
	}
	signed, err := sign(slot)
	if err != nil {
		return chains.Signed{}, err
	}
	k.slot, k.signed = slot.Number, &signed
	return signed, nil
}

// keys are the one key of all wallets.
type keys interface {
	// sign returns the signature of the hash of a cell.
	sign(hash [32]byte) ([]byte, error)
}

// seedKey is the key of the seed.
type seedKey struct{ secret ed25519.PrivateKey }

func (k seedKey) sign(hash [32]byte) ([]byte, error) { return ed25519.Sign(k.secret, hash[:]), nil }

// remoteKey is the key behind the operator's signer.
type remoteKey struct {
	signer *remotesigner.Signer
	public ed25519.PublicKey
}

func (k remoteKey) sign(hash [32]byte) ([]byte, error) {
	return k.signer.Ed25519(KeyPath, hash, k.public)
}
