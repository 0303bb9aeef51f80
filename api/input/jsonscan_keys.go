package input

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// keySet holds the keys of the open objects: an open-addressing table of their places in the body, hashed with a seed no
// client knows. Keys are given back in reverse order, leaving the table as it was before.
type keySet struct {
	seed  maphash.Seed
	slots []keySlot
	taken []uint32 // the slots in use, in the order taken
	other []byte   // scratch: the key in the slot, as keys are compared
}

// keySlot is where a key's first byte stands, the number of its object and a part of its hash; 0 is a free slot, since
// no key stands at the start of a body.
type keySlot uint64

const (
	placeBits  = 20 // positions in a body of MaxBody
	objectBits = 20 // its objects, of two bytes at least
	tagBits    = 64 - placeBits - objectBits
)

func newKeySlot(hash uint64, object uint32, at int) keySlot {
	return keySlot(at) | keySlot(object)<<placeBits | keySlot(hash>>(64-tagBits))<<(placeBits+objectBits) //nolint:gosec // at is below MaxBody
}

func (k keySlot) at() int { return int(k & (1<<placeBits - 1)) }

func (k keySlot) object() uint32 { return uint32(k >> placeBits & (1<<objectBits - 1)) }

// alike reports whether two slots differ in their positions at most: in all likelihood they have the same key.
func (k keySlot) alike(other keySlot) bool { return (k^other)>>placeBits == 0 }

// The sizes of the table. Moving keys costs more than room: the last has enough for the names of any body of MaxBody.
const (
	fewKeys  = 256
	manyKeys = 4096
	mostKeys = 1 << 18
)

func newKeySet() keySet {
	return keySet{seed: maphash.MakeSeed(), slots: make([]keySlot, fewKeys)}
}

func (k *keySet) large() bool { return len(k.slots) > manyKeys || cap(k.other) > manyKeys }

// forget gives back all keys but the first.
func (k *keySet) forget(but int) {
	for i := len(k.taken) - 1; i >= but; i-- {
		k.slots[k.taken[i]] = 0
	}
	k.taken = k.taken[:but]
}

// add takes the scanner's key at hand, found at an offset in an object; false when the object has it already.
func (k *keySet) add(s *scanner, object uint32, at int) bool {
	if len(k.taken) >= len(k.slots)/4*3 {
		k.grow(s)
	}
	hash := k.hash(s.folded, object)
	key := newKeySlot(hash, object, at)
	mask := uint32(len(k.slots) - 1)                     //nolint:gosec // at most 1<<18
	for i := uint32(hash) & mask; ; i = (i + 1) & mask { //nolint:gosec // the lower half
		slot := k.slots[i]
		if slot == 0 {
			k.slots[i] = key
			k.taken = append(k.taken, i)
			return true
		}
		if slot.alike(key) && bytes.Equal(k.refold(s, slot), s.folded) {
			return false
		}
	}
}

func (k *keySet) hash(folded []byte, object uint32) uint64 {
	// Open objects within each other may share their keys: the number spreads them over the table.
	return maphash.Bytes(k.seed, folded) + uint64(object)*0x9E3779B97F4A7C15
}

// grow moves the keys to a larger table, in the order taken.
func (k *keySet) grow(s *scanner) {
	old, size := k.slots, mostKeys
	if len(old) < manyKeys {
		size = manyKeys
	}
	k.slots = make([]keySlot, max(size, len(old)*2))
	k.taken = slices.Grow(k.taken, len(k.slots)/4*3-len(k.taken))
	mask := uint32(len(k.slots) - 1) //nolint:gosec // at most 1<<18
	for n, place := range k.taken {
		slot := old[place]
		i := uint32(k.hash(k.refold(s, slot), slot.object())) & mask //nolint:gosec // the lower half
		for k.slots[i] != 0 {
			i = (i + 1) & mask
		}
		k.slots[i], k.taken[n] = slot, i
	}
}

func (k *keySet) refold(s *scanner, slot keySlot) []byte {
	k.other = fold(k.other[:0], s.body[slot.at():])
	return k.other
}

// fold appends a key found valid, up to its closing quote, without escapes and with all cases of a letter made one, as
// encoding/json compares names.
func fold(out, text []byte) []byte {
	for i := 0; ; {
		switch c := text[i]; {
		case c == '"':
			return out
		case c == '\\':
			r, size := escape(text[i:])
			out = utf8.AppendRune(out, foldRune(r))
			i += size
		case c >= 'a' && c <= 'z':
			out = append(out, c-'a'+'A')
			i++
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, size := utf8.DecodeRune(text[i:])
			out = utf8.AppendRune(out, foldRune(r))
			i += size
		}
	}
}

// foldRune returns the smallest of the letters differing only in case.
func foldRune(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// escape reads one escape of a JSON string, a surrogate pair as one; size 0 means wrong or incomplete.
func escape(text []byte) (r rune, size int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch text[1] {
	case '"', '\\', '/':
		return rune(text[1]), 2
	case 'b', 'f', 'n', 'r', 't':
		return controls[text[1]], 2
	case 'u':
		return unicodeEscape(text)
	default:
		return 0, 0
	}
}

var controls = [...]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func unicodeEscape(text []byte) (r rune, size int) {
	first, ok := hex4(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(first) {
		return first, 6
	}
	second, ok := hex4(text[6:])
	r = utf16.DecodeRune(first, second)
	if !ok || r == utf8.RuneError {
		return 0, 0
	}
	return r, 12
}

// hex4 reads \u and its four hexadecimal digits.
func hex4(text []byte) (r rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, c := range text[2:6] {
		if !isHex(c) {
			return 0, false
		}
		r = r<<4 | rune(fromHex(c))
	}
	return r, true
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

// fromHex is the value of a hexadecimal digit.
func fromHex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
