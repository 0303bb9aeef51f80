package utxo

import (
	"errors"
	"fmt"
	"sync"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"

	"causeway/chains"
	"causeway/chains/addresses"
)

// keys signs for the addresses of the account. It is safe for use by many goroutines.
type keys interface {
	// sign returns the signature of a digest, in DER, by the key of a deposit address, or of the hot wallet. Key is the public one.
	sign(at *chains.Wallet, digest [32]byte) (der, key []byte, err error)
}

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// depositBranch/index under the account are the deposit addresses, and hotBranch/0 is the hot wallet.
const (
	depositBranch = 0
	hotBranch     = 1
)

// seedKeys are the keys of the seed. It holds the key of the hot wallet, and derives those of deposit addresses when they sign.
type seedKeys struct {
	hot      *btcec.PrivateKey
	deriving sync.Mutex // an extended key remembers its public key at the first derivation
	deposits *hdkeychain.ExtendedKey
}

// keysOf derives the keys of an account from the seed, which is not kept.
func keysOf(seed []byte, account string) (*seedKeys, error) {
	secret, err := addresses.PrivateFromSeed(seed, fmt.Sprintf("%s/%d/0", account, hotBranch))
	if err != nil {
		return nil, fmt.Errorf("hot wallet: %w", err)
	}
	defer clear(secret)
	hot, _ := btcec.PrivKeyFromBytes(secret)
	deposits, err := addresses.PrivateAccount(seed, fmt.Sprintf("%s/%d", account, depositBranch))
	if err != nil {
		return nil, fmt.Errorf("deposit addresses: %w", err)
	}
	return &seedKeys{hot: hot, deposits: deposits}, nil
}

func (k *seedKeys) sign(at *chains.Wallet, digest [32]byte) (der, key []byte, err error) {
	private, err := k.key(at)
	if err != nil {
		return nil, nil, err
	}
	return ecdsa.Sign(private, digest[:]).Serialize(), private.PubKey().SerializeCompressed(), nil
}

// key returns the private key of a deposit address, or of the hot wallet.
func (k *seedKeys) key(at *chains.Wallet) (*btcec.PrivateKey, error) {
	if at == nil {
		return k.hot, nil
	}
	k.deriving.Lock()
	defer k.deriving.Unlock()
	child, err := k.deposits.Derive(at.Index)
	if err != nil {
		return nil, fmt.Errorf("deposit address %d: %w", at.Index, addresses.ErrPath)
	}
	key, err := child.ECPrivKey()
	if err != nil {
		return nil, fmt.Errorf("deposit address %d: %w", at.Index, addresses.ErrPath)
	}
	return key, nil
}

// publicKey returns the public key of branch/index under the account.
func publicKey(xpub string, branch, index uint32) (*btcec.PublicKey, error) {
	node, err := hdkeychain.NewKeyFromString(xpub)
	if err != nil {
		return nil, addresses.ErrXPub
	}
	for _, step := range []uint32{branch, index} {
		if node, err = node.Derive(step); err != nil {
			return nil, addresses.ErrPath
		}
	}
	public, err := node.ECPubKey()
	if err != nil {
		return nil, addresses.ErrXPub
	}
	return public, nil
}
