package evm_test

import (
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/internal/dev/anvil"
)

// TestATokenPaymentCountsByItsLog: a token with a fee on transfers, or answering false, shows the amount arrived; a fee of
// nothing does not.
//
// Covers addendum §7: On an EVM network, a payment of a token completes
func TestATokenPaymentCountsByItsLog(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	usdt := l.tokens["USDT"]
	collector := common.HexToAddress("0x1111111111111111111111111111111111111111")
	want := func(what, arrived, spent string) {
		t.Helper()
		signed := l.pay(t, order("USDT", "10"))
		l.node.Mine(t, 2)
		now := l.state(t, signed.Txid)
		if now.State != chains.TxMined || !now.Final || now.Amiss == nil || now.Amiss.Arrived.String() != arrived || now.Amiss.Spent.String() != spent {
			t.Errorf("%s: %+v, %+v", what, now, now.Amiss)
		}
	}
	right := l.pay(t, order("USDT", "10"))
	coin := l.pay(t, order("ETH", "1"))
	l.node.Mine(t, 2)
	for _, txid := range []string{right.Txid, coin.Txid} {
		if now := l.state(t, txid); now.State != chains.TxMined || !now.Final || now.Amiss != nil {
			t.Errorf("a right payment: %+v", now)
		}
	}
	usdt.Call(t, anvil.Rich, "setFee", whole(100, 0), collector)
	l.node.Mine(t, 1)
	want("a fee of one percent", "9.9", "10")

	signed := l.signed(t, order("USDT", "10"))
	usdt.Call(t, anvil.Rich, "setRefusing", true)
	l.node.Mine(t, 1)
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Mine(t, 3)
	if now := l.state(t, signed.Txid); now.State != chains.TxMined || now.Amiss == nil || !now.Amiss.Arrived.IsZero() || !now.Amiss.Spent.IsZero() {
		t.Errorf("a token that answers false: %+v, %+v", now, now.Amiss)
	}

	m.set(func(q asked, node answer) *answer { // a node without the logs proves nothing
		if q.Method == "eth_getTransactionReceipt" {
			return says(strings.Replace(string(node.Result), `"logs":`, `"others":`, 1))
		}
		return nil
	})
	if now := l.state(t, right.Txid); now.State != chains.TxMined || now.Final || now.Amiss != nil {
		t.Errorf("a receipt without logs: %+v", now)
	}
}
