package monero

import (
	"encoding/hex"
	"testing"
)

// TestCoinsAtAddressesNotKnownYet: a wallet that was made in an earlier run has found an output at an address above those known here. It is
// a coin under its own name, since its spend would have none otherwise.
func TestCoinsAtAddressesNotKnownYet(t *testing.T) {
	t.Parallel()
	tx := recorded(t)
	c := &Connector{view: viewOf(t, recordedView)}
	c.node = recordedNode(t).pool(t)
	c.extend(2) // the second output is at the third address
	e := entry{Units: 5e12, Key: hex.EncodeToString(tx.outs[1].key[:]), Txid: recordedID}
	e.At.Minor = 2
	coins, err := c.coinsOf(t.Context(), []entry{e})
	if err != nil || len(coins) != 1 || coins[0].id != recordedID+":1" {
		t.Fatalf("%+v, %v", coins, err)
	}
	e.At.Minor = mostKnown
	if _, err := c.coinsOf(t.Context(), []entry{e}); err == nil {
		t.Error("a wallet may name any address, and all before it are made known")
	}
}
