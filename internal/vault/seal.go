package vault

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Seal encrypts plain with AES-256-GCM under the newest key and a random nonce, bound to aad (see Where).
// The result starts with a version byte and the key's id.
func (v *Vault) Seal(plain []byte, aad string) []byte {
	newest := &v.keys[0]
	head := make([]byte, HeadSize, HeadSize+newest.aead.Overhead()+len(plain))
	head[0] = version
	binary.BigEndian.PutUint32(head[1:], newest.id)
	return newest.aead.Seal(head, nil, plain, bind(head, aad)) //nolint:gosec // the AEAD draws a random nonce itself, and takes none (NewGCMWithRandomNonce)
}

// Open decrypts a value sealed for the same aad. It returns ErrUnknownKey for a key unknown to this vault, and ErrSealed for
// everything else.
func (v *Vault) Open(sealed []byte, aad string) ([]byte, error) {
	if len(sealed) < HeadSize || sealed[0] != version {
		return nil, ErrSealed
	}
	head, id := sealed[:HeadSize], binary.BigEndian.Uint32(sealed[1:])
	for i := range v.keys {
		if v.keys[i].id != id {
			continue
		}
		plain, err := v.keys[i].aead.Open(nil, nil, sealed[HeadSize:], bind(head, aad))
		if err != nil {
			return nil, ErrSealed
		}
		return plain, nil
	}
	return nil, ErrUnknownKey
}

// Stale reports whether a sealed value should be sealed again, because a newer key is there.
func (v *Vault) Stale(sealed []byte) bool {
	return len(sealed) < HeadSize || binary.BigEndian.Uint32(sealed[1:]) != v.keys[0].id
}

// Missing returns the ids of the keys needed by sealed values and unknown to this vault, each once. Heads are the first
// HeadSize bytes of the values; a value not sealed by a vault needs no key.
func (v *Vault) Missing(heads ...[]byte) []string {
	return missing(func(id uint32) bool {
		return slices.ContainsFunc(v.keys, func(r ring) bool { return r.id == id })
	}, heads)
}

// missing names the ids in heads without a held key, each once.
func missing(held func(id uint32) bool, heads [][]byte) (ids []string) {
	for _, head := range heads {
		if len(head) < HeadSize || head[0] != version {
			continue
		}
		id := binary.BigEndian.Uint32(head[1:])
		if name := fmt.Sprintf("%08x", id); !held(id) && !slices.Contains(ids, name) {
			ids = append(ids, name)
		}
	}
	return ids
}

func bind(head []byte, aad string) []byte {
	return append(append(make([]byte, 0, HeadSize+len(aad)), head[:HeadSize]...), aad...)
}
