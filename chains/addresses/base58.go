package addresses

import (
	"bytes"
	"crypto/sha256"

	"github.com/mr-tron/base58"
)

var bitcoinAlphabet = base58.BTCAlphabet

// decodeCheck returns the payload, of exactly size bytes, of a base58check text.
func decodeCheck(text string, alphabet *base58.Alphabet, size int) ([]byte, error) {
	raw, err := base58.DecodeAlphabet(text, alphabet)
	if err != nil {
		return nil, malformed("not base58")
	}
	if len(raw) != size+4 {
		return nil, malformed("length")
	}
	sum := doubleSHA256(raw[:size])
	if !bytes.Equal(sum[:4], raw[size:]) {
		return nil, malformed("checksum")
	}
	return raw[:size], nil
}

// encodeCheck writes prefix and payload as base58check.
func encodeCheck(alphabet *base58.Alphabet, prefix, payload []byte) string {
	raw := append(append(make([]byte, 0, 40), prefix...), payload...)
	sum := doubleSHA256(raw)
	return base58.EncodeAlphabet(append(raw, sum[:4]...), alphabet)
}

func doubleSHA256(data []byte) [32]byte {
	first := sha256.Sum256(data)
	return sha256.Sum256(first[:])
}
