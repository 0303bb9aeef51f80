package addresses

import (
	"bytes"

	"filippo.io/edwards25519"
	"github.com/ethereum/go-ethereum/crypto"
)

// Network bytes of the main network.
const (
	moneroStandard   = 18
	moneroIntegrated = 19
	moneroSubaddress = 42
)

// Bytes before the checksum: the network byte, two public keys, and a payment id when integrated.
const (
	moneroSize           = 1 + 32 + 32
	moneroIntegratedSize = moneroSize + 8
)

// readMonero accepts standard, integrated and subaddresses; both keys must be points of the curve.
// An integrated address matches as the standard address of the same keys.
func readMonero(text string) (reading, error) {
	raw, ok := decodeMoneroBase58(text)
	if !ok || len(raw) != moneroSize+4 && len(raw) != moneroIntegratedSize+4 {
		return reading{}, malformed("not an address in base58 blocks")
	}
	payload := raw[:len(raw)-4]
	if !bytes.Equal(crypto.Keccak256(payload)[:4], raw[len(raw)-4:]) {
		return reading{}, malformed("checksum")
	}
	integrated := len(payload) == moneroIntegratedSize
	switch kind := payload[0]; {
	case kind == moneroIntegrated && integrated:
	case (kind == moneroStandard || kind == moneroSubaddress) && !integrated:
	default:
		return reading{}, malformed("another network's version")
	}
	if !canonicalPoint(payload[1:33]) || !canonicalPoint(payload[33:65]) {
		return reading{}, malformed("key not on the curve")
	}
	r := reading{canonical: text}
	if integrated {
		r.match = writeMonero(moneroStandard, payload[1:moneroSize])
	}
	return r, nil
}

// canonicalPoint reports a point in its one valid spelling, as the node's own check asks for.
func canonicalPoint(raw []byte) bool {
	point, err := new(edwards25519.Point).SetBytes(raw)
	return err == nil && bytes.Equal(point.Bytes(), raw)
}

// encodeMonero makes the address of a wallet. Its spend key is the hash of the seed, and its view key
// follows from the spend key, as wallets do.
func encodeMonero(seed [32]byte) string {
	spend := moneroScalar(seed[:])
	view := moneroScalar(spend.Bytes())
	keys := new(edwards25519.Point).ScalarBaseMult(spend).Bytes()
	keys = append(keys, new(edwards25519.Point).ScalarBaseMult(view).Bytes()...)
	return writeMonero(moneroStandard, keys)
}

// moneroScalar hashes to a scalar: keccak reduced by the order of the group.
func moneroScalar(data []byte) *edwards25519.Scalar {
	var wide [64]byte
	copy(wide[:], crypto.Keccak256(data))
	s, err := edwards25519.NewScalar().SetUniformBytes(wide[:])
	if err != nil {
		panic("addresses: 64 bytes make a scalar")
	}
	return s
}

func writeMonero(kind byte, keys []byte) string {
	raw := append([]byte{kind}, keys...)
	return encodeMoneroBase58(append(raw, crypto.Keccak256(raw)[:4]...))
}

// MoneroKeys returns the public spend key and the public view key of an address.
func MoneroKeys(address string) (spend, view [32]byte, err error) {
	if _, err := readMonero(address); err != nil {
		return spend, view, err
	}
	raw, _ := decodeMoneroBase58(address)
	copy(spend[:], raw[1:33])
	copy(view[:], raw[33:65])
	return spend, view, nil
}

// MoneroAddress returns the address of a public spend key and a public view key: a wallet's own, or a subaddress.
func MoneroAddress(spend, view [32]byte, sub bool) string {
	kind := byte(moneroStandard)
	if sub {
		kind = moneroSubaddress
	}
	return writeMonero(kind, append(spend[:], view[:]...))
}
