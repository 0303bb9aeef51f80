package utxo_test

import (
	"errors"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// TestCoinsAreReadBeforeTheyAreSpent: the node says what a coin is, and without its answer nothing is signed.
//
// Covers operator §Settings: Before a signature the signer asks the node
func TestCoinsAreReadBeforeTheyAreSpent(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Dogecoin", "BitcoinCash"} {
		l := on(t, bitcoind.At(t, network, coinfake.Start(t, network).URL))
		d, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "2")}})
		check(t, err)
		free, err := l.Unspent(t.Context(), l.node.Height(t))
		check(t, err)
		for name, c := range map[string]struct {
			change func(*chains.Coin)
			says   string
			down   bool
		}{
			"less": {func(c *chains.Coin) { c.Amount = amount("700") }, "is 1000, and the books say 700", false},
			"gone": {func(c *chains.Coin) { c.ID = strings.Repeat("ab", 32) + ":0" }, "the node does not know coin", true},
		} {
			coin := free[0]
			c.change(&coin)
			if signed, err := d.Sign(chains.Slot{Coins: []chains.Coin{coin}}); !says(err, c.says) || errors.Is(err, chains.ErrDown) != c.down {
				t.Errorf("%s: %s: %+v, %v", network, name, signed, err)
			}
		}
		if _, err := d.Sign(chains.Slot{Coins: free[:1]}); err != nil {
			t.Error(err)
		}
	}
}
