package tron

import (
	"crypto/ecdsa"
	"errors"
	"fmt"
	"sync"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
)

// keys signs for the wallets of the account.
type keys interface {
	// sign returns the signature of a digest by the key of a wallet: r, s and the recovery id. A key of another address is ErrKey.
	sign(w wallet, digest [32]byte) ([]byte, error)
}

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// hotBranch/0 under the account is the hot wallet; deposit addresses are on branch 0.
const hotBranch = 1

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

func (k *seedKeys) sign(w wallet, digest [32]byte) (signature []byte, err error) {
	key := k.hot
	if w.branch != hotBranch {
		k.deriving.Lock()
		defer k.deriving.Unlock()
		if key, err = child(k.deposits, w.index); err != nil {
			return nil, err
		}
	}
	if crypto.PubkeyToAddress(key.PublicKey) != w.address {
		return nil, fmt.Errorf("%s: %w", w.path(), ErrKey)
	}
	return crypto.Sign(digest[:], key)
}

// remoteKeys are the keys of the account behind the operator's signer. Each is asked for by its path.
type remoteKeys struct {
	xpub   string
	signer *remotesigner.Signer
}

func (k remoteKeys) sign(w wallet, digest [32]byte) ([]byte, error) {
	public, err := publicAt(k.xpub, w.branch, w.index)
	if err != nil {
		return nil, err
	}
	if crypto.PubkeyToAddress(*public) != w.address {
		return nil, fmt.Errorf("%s: %w", w.path(), ErrKey)
	}
	return k.signer.Secp256k1(w.path(), digest, public)
}

// publicAt returns the public key of branch/index under the xpub.
func publicAt(xpub string, branch, index uint32) (*ecdsa.PublicKey, error) {
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
	return public.ToECDSA(), nil
}

// hotAccount returns the account of 1/0 under the xpub.
func hotAccount(xpub string) (common.Address, error) {
	public, err := publicAt(xpub, hotBranch, 0)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*public), nil
}
