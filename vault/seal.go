package vault

import "encoding/binary"

// Seal encrypts plain with AES-256-GCM under the newest key and a random nonce, bound to aad (see Where).
// The result starts with a version byte and the key's id.
func (v *Vault) Seal(plain []byte, aad string) []byte {
	newest := &v.keys[0]
	head := make([]byte, headerSize, headerSize+newest.aead.Overhead()+len(plain))
	head[0] = version
	binary.BigEndian.PutUint32(head[1:], newest.id)
	return newest.aead.Seal(head, nil, plain, bind(head, aad)) //nolint:gosec // the AEAD draws a random nonce itself, and takes none (NewGCMWithRandomNonce)
}

// Open decrypts what Seal made for the same aad. It returns ErrUnknownKey for a key that this vault does not hold, and
// ErrSealed for everything else.
func (v *Vault) Open(sealed []byte, aad string) ([]byte, error) {
	if len(sealed) < headerSize || sealed[0] != version {
		return nil, ErrSealed
	}
	head, id := sealed[:headerSize], binary.BigEndian.Uint32(sealed[1:])
	for i := range v.keys {
		if v.keys[i].id != id {
			continue
		}
		plain, err := v.keys[i].aead.Open(nil, nil, sealed[headerSize:], bind(head, aad))
		if err != nil {
			return nil, ErrSealed
		}
		return plain, nil
	}
	return nil, ErrUnknownKey
}

// Stale reports whether a sealed value should be sealed again, because a newer key is there.
func (v *Vault) Stale(sealed []byte) bool {
	return len(sealed) < headerSize || binary.BigEndian.Uint32(sealed[1:]) != v.keys[0].id
}

func bind(head []byte, aad string) []byte {
	return append(append(make([]byte, 0, headerSize+len(aad)), head[:headerSize]...), aad...)
}
