package bitcoind

import (
	"testing"

	"github.com/btcsuite/btcd/wire/v2"
)

// Offer offers the node a payment of a stranger's coin, whatever the node may say of it, and returns the id of the transaction. The
// outputs may depend on the coin. Where the node refuses, the coin is free again.
func (n *Node) Offer(t testing.TB, outputs func(of wire.OutPoint) []Output) (txid string, err error) {
	t.Helper()
	for len(n.purse.coins) > 0 {
		c := n.purse.coins[0]
		n.purse.coins = n.purse.coins[1:]
		if !n.unspent(t, c) {
			continue
		}
		to, known := outputs(c.at), len(n.purse.coins)
		err = n.Try(&txid, "sendrawtransaction", Raw(t, n.build(t, []coin{c}, to, n.fee(1, 2*len(to)))))
		if err != nil {
			n.purse.coins = append([]coin{c}, n.purse.coins[:known]...)
		}
		return txid, err
	}
	t.Fatalf("the strangers of %s have no coin", n.Network)
	return "", nil
}
