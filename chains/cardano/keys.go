package cardano

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/chains/addresses"
)

// AccountPath is where the account is in the seed (CIP-1852); its extended public key is Config.XPub.
const AccountPath = "m/1852'/1815'/0'"

// The branches under the account.
const (
	depositBranch = 0
	hotBranch     = 1
)

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// addressAt is the address branch/index under an extended public key.
func addressAt(xpub string, branch, index uint32) (string, error) {
	public, err := addresses.FromSoftXPub(xpub, branch, index)
	if err != nil {
		return "", err
	}
	return addresses.CardanoAddress(public), nil
}

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds private keys.
type Sender struct {
	*Connector
	account *addresses.SoftKey
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the keys of its account: 1/0 for the hot wallet, 0/index for deposit addresses. The seed is not kept. If the
// account is not the one of the xpub, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	account, err := addresses.SoftAccount(seed, AccountPath)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", Network, err)
	}
	if account.XPub() != c.cfg.XPub {
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	return &Sender{Connector: c, account: account}, nil
}

// sign returns the signatures of an id by the keys of coins, one for each key, in the order of the coins.
func (s *Sender) sign(id hash, coins []chains.Coin) (by []signature, err error) {
	for _, c := range coins {
		branch, index := uint32(hotBranch), uint32(0)
		if c.At != nil {
			branch, index = depositBranch, c.At.Index
		}
		key, err := s.account.Child(branch, index)
		if err != nil {
			return nil, fmt.Errorf("key %d/%d: %w", branch, index, err)
		}
		public := key.Public()
		if c.At != nil && addresses.CardanoAddress(public) != c.At.Address {
			key.Zero()
			return nil, fmt.Errorf("coin %s lies at another address than deposit address %d", c.ID, index)
		}
		if !hasKey(by, public) {
			sig := key.Sign(id[:])
			if !ed25519.Verify(public, id[:], sig) {
				key.Zero()
				return nil, fmt.Errorf("the signature of key %d/%d does not hold", branch, index)
			}
			by = append(by, signature{Public: public, Signature: sig})
		}
		key.Zero()
	}
	return by, nil
}

func hasKey(by []signature, public []byte) bool {
	for _, one := range by {
		if bytes.Equal(one.Public, public) {
			return true
		}
	}
	return false
}
