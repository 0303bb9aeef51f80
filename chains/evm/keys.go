package evm

import (
	"crypto/ecdsa"
	"fmt"
	"sync"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
)

// keys signs for the wallets of the account.
type keys interface {
	// sign returns the signature of a digest by the key of a wallet: r, s and the recovery id. A key of another address is ErrKey.
	sign(w wallet, digest common.Hash) ([]byte, error)
}

// seedKeys are the keys of the seed. It holds the key of the hot wallet, and derives those of deposit addresses when they sign.
type seedKeys struct {
	hot      *ecdsa.PrivateKey
	deriving sync.Mutex // an extended key remembers its public key at the first derivation
	deposits *hdkeychain.ExtendedKey
}

// keysOf derives the keys of the account from the seed, which is not kept.
func keysOf(seed []byte) (*seedKeys, error) {
	account, err := addresses.PrivateAccount(seed, AccountPath)
	if err != nil {
		return nil, err
	}
	defer account.Zero()
	payouts, err := account.Derive(hotBranch)
	if err != nil {
		return nil, addresses.ErrPath
	}
	defer payouts.Zero()
	hot, err := child(payouts, 0)
	if err != nil {
		return nil, err
	}
	deposits, err := account.Derive(depositBranch)
	if err != nil {
		return nil, addresses.ErrPath
	}
	return &seedKeys{hot: hot, deposits: deposits}, nil
}

// child derives a private key. Its intermediate forms are wiped.
func child(parent *hdkeychain.ExtendedKey, index uint32) (*ecdsa.PrivateKey, error) {
	node, err := parent.Derive(index)
	if err != nil {
		return nil, addresses.ErrPath
	}
	defer node.Zero()
	key, err := node.ECPrivKey()
	if err != nil {
		return nil, addresses.ErrPath
	}
	defer key.Zero()
	secret := key.Serialize()
	defer clear(secret)
	return crypto.ToECDSA(secret)
}

// key returns the private key of a wallet.
func (k *seedKeys) key(w wallet) (*ecdsa.PrivateKey, error) {
	if w.branch == hotBranch {
		return k.hot, nil
	}
	k.deriving.Lock()
	defer k.deriving.Unlock()
	return child(k.deposits, w.index)
}

func (k *seedKeys) sign(w wallet, digest common.Hash) ([]byte, error) {
	key, err := k.key(w)
	if err != nil {
		return nil, err
	}
	if crypto.PubkeyToAddress(key.PublicKey) != w.address {
		return nil, fmt.Errorf("%s: %w", w.path(), ErrKey)
	}
	return crypto.Sign(digest[:], key)
}
