package ripple

import (
	"context"
	"errors"
	"fmt"

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
	if w.branch == addresses.HotBranch {
		return fmt.Sprintf("the hot wallet %s", w.account)
	}
	return fmt.Sprintf("deposit address %d, %s", w.index, w.account)
}

// wallet returns the wallet of a spend: the hot wallet, or the deposit address of an index. A deposit address of another index is an error.
func (c *Connector) wallet(ctx context.Context, from *chains.Wallet) (wallet, error) {
	if from == nil {
		return wallet{c.hot, c.hotKey, addresses.HotBranch, 0}, nil
	}
	derived, err := c.Derive(ctx, from.Index)
	if err != nil {
		return wallet{}, err
	}
	if derived != from.Address {
		return wallet{}, fmt.Errorf("deposit address %d is %s, not %s", from.Index, derived, from.Address)
	}
	key, err := publicKey(c.cfg.XPub, addresses.DepositBranch, from.Index)
	if err != nil {
		return wallet{}, err
	}
	return wallet{accountOf(key), key, addresses.DepositBranch, from.Index}, nil
}

// keys are the keys of the seed.
type keys struct{ account *addresses.Keys }

// sign returns the signature of a digest by the key of a wallet, in DER with a low s. A key of another address is ErrKey.
func (k *keys) sign(w wallet, digest [32]byte) ([]byte, error) {
	key := k.account.Hot()
	if w.branch != addresses.HotBranch {
		derived, err := k.account.Deposit(w.index)
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
