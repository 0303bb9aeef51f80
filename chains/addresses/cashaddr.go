package addresses

import "slices"

const (
	cashCharset  = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	cashChecksum = 8 // groups of five bits
)

// cashSizes are the hash lengths in bytes, by the low three bits of the version byte.
var cashSizes = [8]int{20, 24, 28, 32, 40, 48, 56, 64}

var cashGenerator = [5]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470}

// cashPolymod is the 40-bit BCH code of cashaddr over the prefix and these groups; it is zero when
// their last eight are the right checksum.
func cashPolymod(groups []byte) uint64 {
	c := uint64(1)
	for i := range len(cashPrefix) {
		c = cashStep(c, cashPrefix[i]&31)
	}
	c = cashStep(c, 0)
	for _, g := range groups {
		c = cashStep(c, g)
	}
	return c ^ 1
}

func cashStep(c uint64, group byte) uint64 {
	top := c >> 35
	c = (c&0x07ffffffff)<<5 ^ uint64(group)
	for i, g := range cashGenerator {
		if top>>i&1 == 1 {
			c ^= g
		}
	}
	return c
}

// encodeCash writes a cashaddr of the main network; the hash has one of cashSizes.
func encodeCash(kind byte, hash []byte) string {
	version := kind<<3 | byte(slices.Index(cashSizes[:], len(hash)))
	groups := fiveBits(append([]byte{version}, hash...))
	sum := cashPolymod(append(slices.Clone(groups), make([]byte, cashChecksum)...))
	for i := range cashChecksum {
		groups = append(groups, byte(sum>>(5*(cashChecksum-1-i)))&31)
	}
	text := append(make([]byte, 0, 128), cashPrefix+":"...)
	for _, g := range groups {
		text = append(text, cashCharset[g])
	}
	return string(text)
}
