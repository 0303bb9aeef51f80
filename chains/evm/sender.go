package evm

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
	"causeway/chains/addresses"
)

// AccountPath is where the account of every EVM network is in the seed; its extended public key is Config.XPub.
const AccountPath = "m/44'/60'/0'"

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// Sender signs and sends payouts from the hot wallet of a connector. It alone holds a private key.
type Sender struct {
	*Connector
	key    *ecdsa.PrivateKey
	signer types.Signer
}

var _ chains.Sender = (*Sender)(nil)

// NewSender gives a connector the key of its hot wallet, m/44'/60'/0'/1/0 of the seed. The seed is not kept. If its address is
// not the hot wallet of the xpub, the error is ErrKey.
func NewSender(c *Connector, seed []byte) (*Sender, error) {
	secret, err := addresses.PrivateFromSeed(seed, fmt.Sprintf("%s/%d/0", AccountPath, hotBranch))
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", c.cfg.Network, err)
	}
	defer clear(secret)
	key, err := crypto.ToECDSA(secret)
	if err != nil {
		return nil, fmt.Errorf("network %s: hot wallet: %w", c.cfg.Network, addresses.ErrSeed)
	}
	if crypto.PubkeyToAddress(key.PublicKey) != c.hot {
		return nil, fmt.Errorf("network %s: %w", c.cfg.Network, ErrKey)
	}
	return &Sender{Connector: c, key: key, signer: types.LatestSignerForChainID(c.chainID())}, nil
}

func (c *Connector) chainID() *big.Int { return new(big.Int).SetUint64(c.cfg.ChainID) }
