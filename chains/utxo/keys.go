package utxo

import (
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

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

// seedKeys are the keys of the seed.
type seedKeys struct{ account *addresses.Keys }

func (k *seedKeys) sign(at *chains.Wallet, digest [32]byte) (der, key []byte, err error) {
	private := k.account.Hot()
	if at != nil {
		if private, err = k.account.Deposit(at.Index); err != nil {
			return nil, nil, fmt.Errorf("deposit address %d: %w", at.Index, err)
		}
		defer private.Zero()
	}
	return ecdsa.Sign(private, digest[:]).Serialize(), private.PubKey().SerializeCompressed(), nil
}
