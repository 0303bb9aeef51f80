package ripple

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"causeway/chains"
	"causeway/chains/addresses"
)

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// wallet is an address of the account, and its place below AccountPath.
type wallet struct {
	account
	key           []byte // public
	branch, index uint32
}

// String names a wallet for errors.
func (w wallet) String() string {
	if w.branch == hotBranch {
		return fmt.Sprintf("the hot wallet %s", w.account)
	}
	return fmt.Sprintf("deposit address %d, %s", w.index, w.account)
}

// wallet returns the wallet of a spend: the hot wallet, or the deposit address of an index. A deposit address of another index is an error.
func (c *Connector) wallet(ctx context.Context, from *chains.Wallet) (wallet, error) {
	if from == nil {
		return wallet{c.hot, c.hotKey, hotBranch, 0}, nil
	}
	derived, err := c.Derive(ctx, from.Index)
	if err != nil {
		return wallet{}, err
	}
	if derived != from.Address {
		return wallet{}, fmt.Errorf("deposit address %d is %s, not %s", from.Index, derived, from.Address)
	}
	key, err := publicKey(c.cfg.XPub, depositBranch, from.Index)
	if err != nil {
		return wallet{}, err
	}
	return wallet{accountOf(key), key, depositBranch, from.Index}, nil
}

// keys are the keys of the seed: that of the hot wallet, and those of deposit addresses, which are derived when they sign.
type keys struct {
	hot      *secp256k1.PrivateKey
	deriving sync.Mutex // an extended key remembers its public key at the first derivation
	deposits *hdkeychain.ExtendedKey
}

// keysOf derives the keys of the account from the seed, which is not kept.
func keysOf(seed []byte) (*keys, error) {
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
	k := new(keys)
	if k.hot, err = child(payouts, 0); err != nil {
		return nil, err
	}
	if k.deposits, err = account.Derive(depositBranch); err != nil {
		return nil, addresses.ErrPath
	}
	return k, nil
}

// child derives a private key. Its intermediate form is wiped.
func child(parent *hdkeychain.ExtendedKey, index uint32) (*secp256k1.PrivateKey, error) {
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
	return secp256k1.PrivKeyFromBytes(secret), nil
}

// sign returns the signature of a digest by the key of a wallet, in DER with a low s. A key of another address is ErrKey.
func (k *keys) sign(w wallet, digest [32]byte) ([]byte, error) {
	key := k.hot
	if w.branch != hotBranch {
		k.deriving.Lock()
		derived, err := child(k.deposits, w.index)
		k.deriving.Unlock()
		if err != nil {
			return nil, err
		}
		defer derived.Zero()
		key = derived
	}
	if string(key.PubKey().SerializeCompressed()) != string(w.key) {
		return nil, fmt.Errorf("%s: %w", w, ErrKey)
	}
	return ecdsa.Sign(key, digest[:]).Serialize(), nil
}
