package addresses

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

const base58Digits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// moneroBlock is the number of characters for a block, by its bytes. Monero writes base58 in blocks
// of 8 bytes, each padded to its full width.
var moneroBlock = [9]int{0, 2, 3, 5, 6, 7, 9, 10, 11}

func encodeMoneroBase58(raw []byte) string {
	text := make([]byte, 0, len(raw)*11/8+11)
	for block := range slices.Chunk(raw, 8) {
		var wide [8]byte
		copy(wide[8-len(block):], block)
		value := binary.BigEndian.Uint64(wide[:])
		var digits [11]byte
		width := moneroBlock[len(block)]
		for i := width - 1; i >= 0; i-- {
			digits[i] = base58Digits[value%58]
			value /= 58
		}
		text = append(text, digits[:width]...)
	}
	return string(text)
}

func decodeMoneroBase58(text string) ([]byte, bool) {
	raw := make([]byte, 0, len(text))
	for len(text) > 0 {
		width := min(11, len(text))
		size := slices.Index(moneroBlock[:], width)
		value, ok := moneroValue(text[:width])
		if size < 0 || !ok || size < 8 && value>>(8*size) != 0 {
			return nil, false
		}
		var wide [8]byte
		binary.BigEndian.PutUint64(wide[:], value)
		raw = append(raw, wide[8-size:]...)
		text = text[width:]
	}
	return raw, true
}

// moneroValue reads one block; it fails on a foreign character and above 64 bits.
func moneroValue(block string) (value uint64, ok bool) {
	for i := range len(block) {
		digit := strings.IndexByte(base58Digits, block[i])
		high, low := bits.Mul64(value, 58)
		sum, carry := bits.Add64(low, uint64(max(digit, 0)), 0)
		if digit < 0 || high != 0 || carry != 0 {
			return 0, false
		}
		value = sum
	}
	return value, true
}
