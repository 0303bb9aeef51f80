package vault

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"sync"
)

// Sealer makes and checks seals: HMAC-SHA256 over fields of a row, by a key kept outside the database. A seal proves that a
// holder of the key wrote the fields. It hides nothing. Safe for concurrent use.
type Sealer struct {
	keys []sealKey // newest first
}

type sealKey struct {
	id     uint32
	stamps *sync.Pool // of *stamp; to make one costs more than a seal
}

// stamp computes MACs by one key, one after the other.
type stamp struct {
	mac  hash.Hash
	text []byte // of the last seal; its room is used again
}

// sealSize is the length of a seal: a version byte, the id of its key, and the MAC.
const sealSize = HeadSize + sha256.Size

// NewSealer makes a sealer for one purpose from keys of KeySize bytes: the current one for new seals, then those of older
// seals. A seal for one purpose fits no other.
func NewSealer(purpose string, current []byte, older ...[]byte) *Sealer {
	s := new(Sealer)
	for _, key := range append([][]byte{current}, older...) {
		own := derive(key, purpose+" seal", sha256.Size)
		s.keys = append(s.keys, sealKey{
			id:     binary.BigEndian.Uint32(derive(key, purpose+" seal id", keyIDSize)),
			stamps: &sync.Pool{New: func() any { return &stamp{mac: hmac.New(sha256.New, own)} }},
		})
	}
	return s
}

// Make returns the seal of fields under the newest key. It begins as a sealed value does, with a version byte and the key's id.
func (s *Sealer) Make(fields ...string) []byte {
	newest := &s.keys[0]
	seal := make([]byte, HeadSize, sealSize)
	seal[0] = version
	binary.BigEndian.PutUint32(seal[1:], newest.id)
	return newest.append(seal, fields)
}

// Check returns nil if seal was made of these fields. It returns ErrUnknownKey for a key unknown to this sealer, and ErrBroken
// for everything else.
func (s *Sealer) Check(seal []byte, fields ...string) error {
	if len(seal) != sealSize || seal[0] != version {
		return ErrBroken
	}
	id := binary.BigEndian.Uint32(seal[1:])
	for i := range s.keys {
		if s.keys[i].id != id {
			continue
		}
		if want := s.keys[i].append(seal[:HeadSize:HeadSize], fields); !hmac.Equal(want, seal) {
			return ErrBroken
		}
		return nil
	}
	return ErrUnknownKey
}

// Missing names the keys needed by seals and unknown to this sealer, as Vault.Missing does.
func (s *Sealer) Missing(heads ...[]byte) []string {
	return missing(func(id uint32) bool {
		for i := range s.keys {
			if s.keys[i].id == id {
				return true
			}
		}
		return false
	}, heads)
}

// append appends the MAC of a head and fields to the head. Each field stands behind its length, so no two lists of fields have
// one text.
func (k *sealKey) append(head []byte, fields []string) []byte {
	s := k.stamps.Get().(*stamp)
	defer k.stamps.Put(s)
	text := append(s.text[:0], head...)
	text = binary.BigEndian.AppendUint32(text, uint32(len(fields))) //nolint:gosec // a handful
	for _, f := range fields {
		text = binary.BigEndian.AppendUint32(text, uint32(len(f))) //nolint:gosec // texts of a row
		text = append(text, f...)
	}
	s.text = text
	s.mac.Reset()
	s.mac.Write(text)
	return s.mac.Sum(head)
}
