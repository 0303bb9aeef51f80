package evm

import (
	"errors"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains/addresses"
)

// TestSeedKeys: many wallets sign at the same time, each by its own key, and none signs for another address.
func TestSeedKeys(t *testing.T) {
	t.Parallel()
	seed := []byte("causeway tests: never fund this!")
	keys, err := keysOf(seed)
	if err != nil {
		t.Fatal(err)
	}
	digest := crypto.Keccak256Hash([]byte("a transaction"))
	var all sync.WaitGroup
	for index := range uint32(20) {
		all.Go(func() {
			secret, err := addresses.PrivateFromSeed(seed, wallet{branch: addresses.DepositBranch, index: index}.path())
			if err != nil {
				t.Error(err)
				return
			}
			key, _ := crypto.ToECDSA(secret)
			w := wallet{crypto.PubkeyToAddress(key.PublicKey), addresses.DepositBranch, index}
			signature, err := keys.sign(w, digest)
			if err != nil {
				t.Error(err)
				return
			}
			if by, err := crypto.SigToPub(digest[:], signature); err != nil || crypto.PubkeyToAddress(*by) != w.address {
				t.Errorf("address %d: signed by another key: %v", index, err)
			}
			w.index++
			if _, err := keys.sign(w, digest); !errors.Is(err, ErrKey) {
				t.Errorf("address %d by the key of %d: %v, want ErrKey", index, w.index, err)
			}
		})
	}
	all.Wait()
	if _, err := keys.sign(wallet{common.Address{1}, addresses.HotBranch, 0}, digest); !errors.Is(err, ErrKey) {
		t.Errorf("the hot wallet's key for another address: %v, want ErrKey", err)
	}
}
