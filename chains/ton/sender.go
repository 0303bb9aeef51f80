package ton

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"

	"causeway/chains"
	"causeway/chains/remotesigner"
)

// ErrKey says that the network's public key was made from another seed.
var ErrKey = errors.New("the seed does not belong to the public key")

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds a private key, or asks the signer for it.
type Sender struct {
	*Connector
	keys keys
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
	return &Sender{c, seedKey{secret}}, nil
}

// NewRemoteSender gives a connector the signer with the key of its wallets. The signer is not asked yet.
func NewRemoteSender(c *Connector, signer *remotesigner.Signer) *Sender {
	return &Sender{c, remoteKey{signer, c.key}}
}
