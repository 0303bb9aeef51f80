package ripple

import (
	"context"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
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

// keys signs for the wallets of the account.
type keys interface {
	// sign returns the signature of a digest by the key of a wallet, in DER with a low s. A key of another address is ErrKey.
	sign(w wallet, digest [32]byte) ([]byte, error)
}

// seedKeys are the keys of the seed.
type seedKeys struct{ account *addresses.Keys }

func (k *seedKeys) sign(w wallet, digest [32]byte) ([]byte, error) {
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

// path is where the key of a wallet is in the seed.
func (w wallet) path() string { return fmt.Sprintf("%s/%d/%d", AccountPath, w.branch, w.index) }

// remoteKeys are the keys of the account behind the operator's signer. Each is asked for by its path.
type remoteKeys struct{ signer *remotesigner.Signer }

func (k remoteKeys) sign(w wallet, digest [32]byte) ([]byte, error) {
	public, err := btcec.ParsePubKey(w.key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", w, err)
	}
	parts, err := k.signer.Secp256k1(w.path(), digest, public.ToECDSA())
	if err != nil {
		return nil, err
	}
	var r, low btcec.ModNScalar
	r.SetByteSlice(parts[:32])
	low.SetByteSlice(parts[32:64])
	return ecdsa.NewSignature(&r, &low).Serialize(), nil
}
