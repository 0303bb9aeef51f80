package ton

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"

	"causeway/chains"
)

// ErrKey says that the network's public key was made from another seed.
var ErrKey = errors.New("the seed does not belong to the public key")

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds a private key.
type Sender struct {
	*Connector
	secret ed25519.PrivateKey
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the key of its wallets, KeyPath of the seed. The seed is not kept. If the key is not the one of the settings, the
// error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	secret := keyOf(seed)
	if !bytes.Equal(secret.Public().(ed25519.PublicKey), c.key) {
		clear(secret)
		return nil, fmt.Errorf("network %s: %w", Network, ErrKey)
	}
	return &Sender{c, secret}, nil
}
