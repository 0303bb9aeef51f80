package tron

import (
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
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

// seedKeys are the keys of the seed. The hot wallet's is kept in the form that signs.
type seedKeys struct {
	hot     *ecdsa.PrivateKey
	account *addresses.Keys
}

// keysOf derives the keys of the account from the seed, which is not kept.
func keysOf(seed []byte) (*seedKeys, error) {
	account, err := addresses.KeysOf(seed, AccountPath)
	if err != nil {
		return nil, err
	}
	hot, err := signing(account.Hot())
	return &seedKeys{hot, account}, err
}

// signing returns a key in the form that signs.
func signing(key *btcec.PrivateKey) (*ecdsa.PrivateKey, error) {
	secret := key.Serialize()
	defer clear(secret)
	return crypto.ToECDSA(secret)
}

// key returns the private key of a wallet.
func (k *seedKeys) key(w wallet) (*ecdsa.PrivateKey, error) {
	if w.branch == addresses.HotBranch {
		return k.hot, nil
	}
	key, err := k.account.Deposit(w.index)
	if err != nil {
		return nil, err
	}
	defer key.Zero()
	return signing(key)
}

func (k *seedKeys) sign(w wallet, digest [32]byte) ([]byte, error) {
	key, err := k.key(w)
	if err != nil {
		return nil, err
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
	public, err := addresses.PublicAt(k.xpub, w.branch, w.index)
	if err != nil {
		return nil, err
	}
	if crypto.PubkeyToAddress(*public.ToECDSA()) != w.address {
		return nil, fmt.Errorf("%s: %w", w.path(), ErrKey)
	}
	return k.signer.Secp256k1(w.path(), digest, public.ToECDSA())
}

// hotAccount returns the account of 1/0 under the xpub.
func hotAccount(xpub string) (common.Address, error) {
	public, err := addresses.PublicAt(xpub, addresses.HotBranch, 0)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*public.ToECDSA()), nil
}
