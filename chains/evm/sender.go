package evm

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
)

// AccountPath is where the account of every EVM network is in the seed; its extended public key is Config.XPub.
const AccountPath = "m/44'/60'/0'"

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// Sender signs and sends spends of a connector's hot wallet and deposit addresses. It alone holds private keys.
type Sender struct {
	*Connector
	keys   keys
	signer types.Signer
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the keys of its account, m/44'/60'/0' of the seed: 1/0 for the hot wallet, 0/index for deposit
// addresses. The seed is not kept. If the hot wallet's address is not the one of the xpub, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	keys, err := keysOf(seed)
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", c.cfg.Network, err)
	}
	if crypto.PubkeyToAddress(keys.hot.PublicKey) != c.hot {
		return nil, fmt.Errorf("network %s: %w", c.cfg.Network, ErrKey)
	}
	return &Sender{Connector: c, keys: keys, signer: types.LatestSignerForChainID(c.chainID())}, nil
}

func (c *Connector) chainID() *big.Int { return new(big.Int).SetUint64(c.cfg.ChainID) }
