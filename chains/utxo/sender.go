package utxo

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"

	"causeway/chains"
	"causeway/chains/addresses"
)

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// Sender signs and sends spends of a connector's hot wallet. It alone holds a private key.
type Sender struct {
	*Connector
	key *btcec.PrivateKey
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the key of its hot wallet, 1/0 of the account. The seed is not kept. If the key is not the one of the xpub,
// the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	secret, err := addresses.PrivateFromSeed(seed, fmt.Sprintf("%s/%d/0", c.coin.account, hotBranch))
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", c.cfg.Network, err)
	}
	defer clear(secret)
	key, public := btcec.PrivKeyFromBytes(secret)
	if !bytes.Equal(public.SerializeCompressed(), c.hotKey) {
		return nil, fmt.Errorf("network %s: %w", c.cfg.Network, ErrKey)
	}
	return &Sender{Connector: c, key: key}, nil
}
