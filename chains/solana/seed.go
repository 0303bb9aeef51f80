package solana

import (
	"fmt"

	"causeway/chains/addresses"
)

// AccountPath is where the account is in the seed; its extended public key is Config.XPub (docs/decisions/0048-addresses-of-solana.md).
const AccountPath = "m/44'/501'/0'"

// The branches under the account.
const (
	depositBranch = 0
	hotBranch     = 1
)

// publicAt is the account branch/index under an extended public key.
func publicAt(xpub string, branch, index uint32) (key, error) {
	raw, err := addresses.FromSoftXPub(xpub, branch, index)
	if err != nil {
		return key{}, err
	}
	return key(raw), nil
}

// signing is a key that signs.
type signing interface {
	Public() []byte
	Sign(message []byte) []byte
}

// sign signs a message by its signers, which are all among the keys given.
func sign(m message, by ...signing) (*transaction, error) {
	t := &transaction{message: m, signed: m.encode(), signatures: make([]signature, m.signers)}
	for i := range t.signatures {
		for _, k := range by {
			if key(k.Public()) == m.keys[i] {
				copy(t.signatures[i][:], k.Sign(t.signed))
			}
		}
	}
	if err := t.verify(); err != nil {
		return nil, fmt.Errorf("sign: %w", err)
	}
	return t, nil
}
