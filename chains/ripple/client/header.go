package client

import (
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// Hash is a hash of the XRP Ledger: the first half of a SHA-512.
type Hash [32]byte

// String writes it as nodes do.
func (h Hash) String() string { return strings.ToUpper(hex.EncodeToString(h[:])) }

// The prefixes of hashes.
const (
	PrefixTransaction = "TXN\x00" // of a transaction: its id
	PrefixSigning     = "STX\x00" // of what is signed
	PrefixLeaf        = "SND\x00" // of a transaction with its metadata in the tree of a ledger
	PrefixInner       = "MIN\x00" // of a node of the tree
	PrefixLedger      = "LWR\x00" // of the header of a ledger
)

// Half returns the hash of a prefix and of parts in a row.
func Half(prefix string, parts ...[]byte) (out Hash) {
	h := sha512.New()
	_, _ = h.Write([]byte(prefix))
	for _, p := range parts {
		_, _ = h.Write(p)
	}
	copy(out[:], h.Sum(nil))
	return out
}

// Header is the header of a ledger, as far as it is needed, with its hash.
type Header struct {
	Index              int64
	Hash, Parent, Root Hash // Root is that of its transactions
	Closed             time.Time
}

// headerSize is the size of the bytes of a header.
const headerSize = 118

// epoch is the beginning of the ledger's clock, in seconds of Unix.
const epoch = 946_684_800

// ReadHeader reads a header out of its bytes in hex, and computes its hash.
func ReadHeader(text string) (h Header, ok bool) {
	data, err := hex.DecodeString(text)
	if err != nil || len(data) != headerSize {
		return h, false
	}
	return Header{Index: int64(binary.BigEndian.Uint32(data)), Hash: Half(PrefixLedger, data), Parent: Hash(data[12:44]), Root: Hash(data[44:76]),
		Closed: time.Unix(int64(binary.BigEndian.Uint32(data[112:]))+epoch, 0).UTC()}, true
}
