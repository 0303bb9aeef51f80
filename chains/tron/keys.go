package tron

import (
	"crypto/ecdsa"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/v2/hdkeychain"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
	"causeway/chains/remotesigner"
)

// keys signs for the hot wallet.
type keys interface {
	// sign returns the signature of a digest: r, s and the recovery id.
	sign(digest [32]byte) ([]byte, error)
}

// ErrKey says that the network's xpub was made from another seed.
var ErrKey = errors.New("the seed does not belong to the xpub")

// hotBranch/0 under the account is the hot wallet; deposit addresses are on branch 0.
const hotBranch = 1

// hotPath is where the key of the hot wallet is in the seed.
var hotPath = fmt.Sprintf("%s/%d/0", AccountPath, hotBranch)

// seedKey is the key of the seed.
type seedKey struct{ private *ecdsa.PrivateKey }

func (k seedKey) sign(digest [32]byte) ([]byte, error) { return crypto.Sign(digest[:], k.private) }

// remoteKey is the key of the hot wallet behind the operator's signer.
type remoteKey struct {
	public *ecdsa.PublicKey
	signer *remotesigner.Signer
}

func (k remoteKey) sign(digest [32]byte) ([]byte, error) {
	return k.signer.Secp256k1(hotPath, digest, k.public)
}

// hotKey returns the public key of 1/0 under the xpub.
func hotKey(xpub string) (*ecdsa.PublicKey, error) {
	node, err := hdkeychain.NewKeyFromString(xpub)
	if err != nil {
		return nil, addresses.ErrXPub
	}
	for _, step := range []uint32{hotBranch, 0} {
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
	public, err := hotKey(xpub)
	if err != nil {
		return common.Address{}, err
	}
	return crypto.PubkeyToAddress(*public), nil
}
