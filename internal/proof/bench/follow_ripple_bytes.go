package main

import (
	"encoding/binary"
	"strconv"
)

// Types of transactions and of entries of the ledger of XRP.
const (
	ripplePays       = 0
	rippleOffers     = 7
	rippleAccount    = 0x61
	rippleDirectory  = 0x64
	rippleOfferEntry = 0x6F
)

// rippleEnd ends an object.
const rippleEnd = 0xE1

func ripple16(out []byte, field byte, v uint16) []byte {
	return binary.BigEndian.AppendUint16(append(out, field), v)
}

func ripple32(out []byte, v uint32, field ...byte) []byte {
	return binary.BigEndian.AppendUint32(append(out, field...), v)
}

// rippleDrops writes an amount of XRP.
func rippleDrops(out []byte, v int64, field ...byte) []byte {
	return binary.BigEndian.AppendUint64(append(out, field...), uint64(v)|1<<62) //nolint:gosec // above zero
}

// rippleIssued writes an amount of an issued currency.
func rippleIssued(out []byte, field byte) []byte {
	out = binary.BigEndian.AppendUint64(append(out, field), 1<<63|1<<62|uint64(83)<<54|5_432_100_000_000_000)
	return append(append(append(out, make([]byte, 12)...), "USD\x00\x00\x00\x00\x00"...), random(20)...)
}

func rippleBlob(out []byte, field byte, value []byte) []byte {
	return append(append(append(out, field), rippleLength(len(value))...), value...)
}

// rippleLength writes the length before a value.
func rippleLength(n int) []byte {
	if n <= 192 {
		return []byte{byte(n)} //nolint:gosec // 192 at most
	}
	n -= 193
	return []byte{byte(193 + n>>8), byte(n)} //nolint:gosec // below 12,288
}

// ripplePayment writes a payment of XRP between two accounts, and its metadata.
func ripplePayment(to [20]byte, tag string, drops int64, index int) (blob, meta []byte) {
	from := random(20)
	blob = ripple32(ripple32(ripple16(nil, 0x12, ripplePays), 0x80000000, 0x22), 76_543_210, 0x24)
	if tag != "" {
		number, _ := strconv.ParseUint(tag, 10, 32) // made here
		blob = ripple32(blob, uint32(number), 0x2E)
	}
	blob = rippleDrops(rippleDrops(ripple32(blob, rippleFirst+1_000_000, 0x20, 0x1B), drops, 0x61), 12, 0x68)
	blob = rippleBlob(rippleSigned(blob, from), 0x83, to[:])
	meta = rippleDrops(rippleBegin(index), drops, 0x60, 0x12)
	meta = rippleModified(append(meta, 0xF8), [20]byte(from), -drops-12)
	return blob, rippleDone(rippleModified(meta, to, drops))
}

// rippleOffer writes an offer in place of another one, and its metadata.
func rippleOffer(index int) (blob, meta []byte) {
	from := random(20)
	blob = ripple32(ripple32(ripple16(nil, 0x12, rippleOffers), 0x80000000, 0x22), 65_432_100, 0x24)
	blob = ripple32(ripple32(blob, 65_432_000, 0x20, 0x19), rippleFirst+1_000_000, 0x20, 0x1B)
	blob = rippleSigned(rippleDrops(rippleDrops(rippleIssued(blob, 0x64), 7_000_000, 0x65), 12, 0x68), from)
	meta = rippleModified(append(rippleBegin(index), 0xF8), [20]byte(from), -12)
	meta = rippleEntry(meta, 0xE3, 0xE8, rippleOfferEntry, rippleOfferFields(from))
	meta = rippleEntry(meta, 0xE4, 0xE7, rippleOfferEntry, rippleOfferFields(from))
	meta = rippleEntry(meta, 0xE3, 0xE8, rippleDirectory, rippleBook())
	meta = rippleEntry(meta, 0xE4, 0xE7, rippleDirectory, rippleBook())
	owned := append(append(ripple32(nil, 0, 0x22), 0x58), random(32)...)
	return blob, rippleDone(rippleEntry(meta, 0xE5, 0xE7, rippleDirectory, rippleBlob(owned, 0x82, from)))
}

// rippleSigned writes a key, a signature and the sender.
func rippleSigned(out, from []byte) []byte {
	return rippleBlob(rippleBlob(rippleBlob(out, 0x73, random(33)), 0x74, random(71)), 0x81, from)
}

// rippleBegin begins metadata.
func rippleBegin(index int) []byte { return ripple32(nil, uint32(index), 0x20, 0x1C) } //nolint:gosec // of a few

// rippleDone ends metadata with success.
func rippleDone(meta []byte) []byte { return append(meta, 0xF1, 0x03, 0x10, 0) }

// rippleModified writes how the balance of an account has changed.
func rippleModified(meta []byte, account [20]byte, drops int64) []byte {
	const held = 90_000_000_000
	meta = ripple32(ripple16(append(meta, 0xE5), 0x11, rippleAccount), rippleFirst-1, 0x25)
	meta = append(append(append(append(meta, 0x55), random(32)...), 0x56), random(32)...)
	meta = append(rippleDrops(append(meta, 0xE6), held, 0x62), rippleEnd)
	meta = ripple32(ripple32(ripple32(append(meta, 0xE7), 0, 0x22), 76_543_211, 0x24), 3, 0x2D)
	return append(rippleBlob(rippleDrops(meta, held+drops, 0x62), 0x81, account[:]), rippleEnd, rippleEnd)
}

// rippleEntry writes an entry come, gone or changed.
func rippleEntry(meta []byte, way, part byte, kind uint16, fields []byte) []byte {
	meta = append(append(ripple16(append(meta, way), 0x11, kind), 0x56), random(32)...)
	return append(append(append(meta, part), fields...), rippleEnd, rippleEnd)
}

func rippleOfferFields(from []byte) []byte {
	out := append(append(ripple32(nil, 65_432_100, 0x24), 0x50, 0x10), random(32)...)
	return rippleBlob(rippleDrops(rippleIssued(out, 0x64), 7_000_000, 0x65), 0x81, from)
}

// rippleBook is a directory of offers at one price.
func rippleBook() []byte {
	out := append(append(append(ripple32(nil, 0, 0x22), 0x36), random(8)...), 0x58)
	out = append(out, random(32)...)
	for nth := range byte(4) {
		out = append(append(out, nth+1, 0x11), random(20)...)
	}
	return out
}
