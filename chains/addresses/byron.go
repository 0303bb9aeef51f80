package addresses

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/mr-tron/base58"
)

// CBOR major types of a Byron address.
const (
	cborUint  = 0
	cborBytes = 2
	cborArray = 4
	cborMap   = 5
	cborTag   = 6
)

// byronMagic is the attribute for the network; the main network leaves it out.
const byronMagic = 2

// readByron reads the addresses from before 2020: base58 of CBOR [tag 24 bytes, CRC-32], the bytes
// being CBOR [root hash, attributes, type].
func readByron(text string) (reading, error) {
	raw, err := base58.Decode(text)
	if err != nil {
		return reading{}, malformed("not base58")
	}
	in := cbor(raw)
	ok := in.expect(cborArray, 2) && in.expect(cborTag, 24)
	payload, okPayload := in.bytes()
	sum, okSum := in.head(cborUint)
	if !ok || !okPayload || !okSum || len(in) != 0 {
		return reading{}, malformed("not a Byron address")
	}
	if sum != uint64(crc32.ChecksumIEEE(payload)) {
		return reading{}, malformed("checksum")
	}
	if !byronPayload(payload) {
		return reading{}, malformed("not a payment address of the main network")
	}
	return reading{canonical: text}, nil
}

func byronPayload(in cbor) bool {
	if !in.expect(cborArray, 3) {
		return false
	}
	root, ok := in.bytes()
	attributes, okMap := in.head(cborMap)
	if !ok || !okMap || len(root) != cardanoHash {
		return false
	}
	for range min(attributes, 8) {
		name, ok := in.head(cborUint)
		if _, okValue := in.bytes(); !ok || !okValue || name == byronMagic {
			return false
		}
	}
	kind, ok := in.head(cborUint)
	return ok && kind <= 2 && len(in) == 0 // public key, script or redemption
}

// cbor is read from the front; numbers must have their shortest form.
type cbor []byte

func (c *cbor) expect(major byte, value uint64) bool {
	got, ok := c.head(major)
	return ok && got == value
}

// head reads the start of an item: its number is a value, a length or a count.
func (c *cbor) head(major byte) (value uint64, ok bool) {
	in := *c
	if len(in) == 0 || in[0]>>5 != major {
		return 0, false
	}
	short := in[0] & 31
	if short < 24 {
		*c = in[1:]
		return uint64(short), true
	}
	size := 1 << (short - 24)
	if size > 8 || len(in) < 1+size {
		return 0, false
	}
	var wide [8]byte
	copy(wide[8-size:], in[1:1+size])
	value = binary.BigEndian.Uint64(wide[:])
	*c = in[1+size:]
	return value, size == 1 && value >= 24 || size > 1 && value>>(4*size) != 0
}

func (c *cbor) bytes() ([]byte, bool) {
	n, ok := c.head(cborBytes)
	if !ok || n > uint64(len(*c)) {
		return nil, false
	}
	out := (*c)[:n]
	*c = (*c)[n:]
	return out, true
}
