package utxo

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"

	"causeway/chains"
	"causeway/chains/addresses"
)

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds private keys.
type Sender struct {
	*Connector
	key      *btcec.PrivateKey       // of the hot wallet
	deposits *hdkeychain.ExtendedKey // of which those of the deposit addresses are derived

	made func(context.Context, []input) (map[place]output, error) // the coins that inputs spend
}

var _ chains.Sender = (*Sender)(nil)

// depositBranch/index under the account are the deposit addresses.
const depositBranch = 0

// NewSender gives a connector the key of its hot wallet, 1/0 of the account, and those of its deposit addresses. The seed is not kept. If the key is not the one of the xpub,
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
	deposits, err := addresses.PrivateAccount(seed, fmt.Sprintf("%s/%d", c.coin.account, depositBranch))
	if err != nil {
		return nil, fmt.Errorf("network %s: deposit addresses: %w", c.cfg.Network, err)
	}
	return &Sender{Connector: c, key: key, deposits: deposits, made: c.coinsSpent}, nil
}

// keyAt returns the key of a deposit address, or that of the hot wallet.
func (s *Sender) keyAt(at *chains.Wallet) (*btcec.PrivateKey, error) {
	if at == nil {
		return s.key, nil
	}
	child, err := s.deposits.Derive(at.Index)
	if err != nil {
		return nil, fmt.Errorf("deposit address %d: %w", at.Index, addresses.ErrPath)
	}
	key, err := child.ECPrivKey()
	if err != nil {
		return nil, fmt.Errorf("deposit address %d: %w", at.Index, addresses.ErrPath)
	}
	return key, nil
}
