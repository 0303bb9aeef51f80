package addresses

import (
	"strings"

	"golang.org/x/crypto/blake2b"
)

// Prefixes of the main network.
const (
	cardanoHRP      = "addr"
	cardanoStakeHRP = "stake"
)

// cardanoHash is the length of the hash of a key or script (blake2b-224).
const cardanoHash = 28

// readCardano accepts Shelley payment addresses (CIP-19 types 0 to 7) and Byron addresses, all of
// the main network. A stake address is well-formed but cannot be paid.
func readCardano(text string) (reading, error) {
	if hasHRP(text, cardanoHRP) || hasHRP(text, cardanoStakeHRP) {
		return readShelley(text)
	}
	return readByron(text)
}

func readShelley(text string) (reading, error) {
	hrp, data, err := decodeBech32(text)
	if err != nil {
		return reading{}, err
	}
	raw, err := regroup(data)
	if err != nil {
		return reading{}, err
	}
	if len(raw) < 1+cardanoHash || raw[0]&0x0f != 1 {
		return reading{}, malformed("another network or too short")
	}
	kind, rest := raw[0]>>4, raw[1+cardanoHash:]
	r := reading{canonical: strings.ToLower(text)}
	switch {
	case hrp == cardanoStakeHRP && kind >= 14 && len(rest) == 0:
		r.refusal = "a stake address"
	case hrp == cardanoHRP && kind < 4 && len(rest) == cardanoHash: // base
	case hrp == cardanoHRP && (kind == 4 || kind == 5) && chainPointer(rest):
	case hrp == cardanoHRP && (kind == 6 || kind == 7) && len(rest) == 0: // enterprise
	default:
		return reading{}, malformed("not a payment address")
	}
	return r, nil
}

// chainPointer reports three numbers in base 128 and nothing else: slot, transaction, certificate.
func chainPointer(raw []byte) bool {
	for _, limit := range []uint64{1 << 32, 1 << 16, 1 << 16} {
		var value uint64
		more := true
		for i := 0; more; i++ {
			if i == len(raw) || i == 0 && raw[i] == 0x80 || value >= limit {
				return false
			}
			value = value<<7 | uint64(raw[i]&0x7f)
			if more = raw[i]&0x80 != 0; !more {
				raw = raw[i+1:]
			}
		}
		if value >= limit {
			return false
		}
	}
	return len(raw) == 0
}

// encodeCardano makes a base address of two key hashes.
func encodeCardano(seed [32]byte) string {
	raw := append(make([]byte, 0, 1+2*cardanoHash), 0x01)
	raw = append(raw, blake224(seed[:], 0)...)
	raw = append(raw, blake224(seed[:], 1)...)
	return writeBech32(cardanoHRP, fiveBits(raw))
}

func blake224(seed []byte, role byte) []byte {
	h, err := blake2b.New(cardanoHash, nil)
	if err != nil {
		panic("addresses: blake2b has 28-byte sums")
	}
	h.Write(seed)
	h.Write([]byte{role})
	return h.Sum(nil)
}
