package utxo

import (
	"bytes"
	"context"
	"fmt"

	"causeway/chains"
	"causeway/chains/addresses"
)

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds private keys, or asks the signer for them.
type Sender struct {
	*Connector
	keys keys
	made func(context.Context, []input) (map[place]output, error) // the coins that inputs spend
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the keys of its account: 1/0 for the hot wallet, 0/index for deposit addresses. The seed is not kept. If the
// key of the hot wallet is not the one of the xpub, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	account, err := addresses.KeysOf(seed, c.coin.account)
	if err != nil {
		return nil, fmt.Errorf("network %s: %w", c.cfg.Network, err)
	}
	if !bytes.Equal(account.Hot().PubKey().SerializeCompressed(), c.hotKey) {
		return nil, fmt.Errorf("network %s: %w", c.cfg.Network, ErrKey)
	}
	return &Sender{Connector: c, keys: &seedKeys{account}, made: c.coinsSpent}, nil
}
