package evm_test

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"causeway/chains"
)

// TestOnlyItsOwnIsReplaced: another wallet's transaction would be mined beside any replacement signed for ours.
func TestOnlyItsOwnIsReplaced(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	o := order("USDT", "1")
	own := l.signed(t, o).Raw
	tx := new(types.Transaction)
	check(t, tx.UnmarshalBinary(own))
	key, err := crypto.GenerateKey()
	check(t, err)
	tx, err = types.SignTx(tx, types.LatestSignerForChainID(tx.ChainId()), key)
	check(t, err)
	others, err := tx.MarshalBinary()
	check(t, err)
	for name, over := range map[string][][]byte{"another's": {others}, "ours and another's": {own, others}} {
		_, bump := l.sender.Prepare(t.Context(), again(o, over))
		_, cancel := l.sender.Prepare(t.Context(), chains.Spend{Over: over})
		for _, err := range []error{bump, cancel} {
			if err == nil || !strings.Contains(err.Error(), "not of the hot wallet") {
				t.Errorf("%s was replaced: %v", name, err)
			}
		}
	}
}
