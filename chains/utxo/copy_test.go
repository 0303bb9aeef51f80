package utxo_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"causeway/chains"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// TestCopies: a miner gives a transaction of ours another id. It is found by its coins and outputs, with the bytes to send it again.
//
// Covers operator §Settings: A copy spends the same coins
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Dogecoin", "BitcoinCash"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			l := on(t, bitcoind.At(t, network, coinfake.Start(t, network).URL))
			signed, slot := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "2"), l.order(t, "3")}}, chains.Slot{})
			other := l.elsewhere(t, slot)
			if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
				t.Fatalf("outcome %d: %s", outcome, reason)
			}
			var txid string
			l.node.Call(t, &txid, "fake_copy", signed.Txid)
			l.node.Mine(t, 1)
			blocks, err := l.Blocks(t.Context(), l.node.Height(t), 1)
			check(t, err)
			if want := (chains.Spending{Coin: slot.Coins[0].ID, Txid: txid}); txid == signed.Txid || !slices.Contains(blocks[0].Spent, want) {
				t.Errorf("%+v are spent, and not %+v", blocks[0].Spent, want)
			}
			of, raw, err := l.Network().Copy(t.Context(), txid, [][]byte{[]byte("no transaction"), other.Raw, signed.Raw})
			if err != nil || of != 2 || bytes.Equal(raw, signed.Raw) {
				t.Errorf("a copy of %d: %v", of, err)
			}
			if of, _, err := l.Network().Copy(t.Context(), txid, [][]byte{other.Raw}); err != nil || of != -1 {
				t.Errorf("what pays others is copied, as %d: %v", of, err)
			}
			if state := l.status(t, txid); state.State != chains.TxMined || !state.Fee.Equal(signed.Fee) {
				t.Errorf("%+v", state)
			}
			l.node.Reorg(t, 1, txid)
			if outcome, reason := l.sender.Broadcast(t.Context(), raw); network == "Dogecoin" && outcome != chains.Accepted {
				t.Errorf("the bytes of the copy: %d: %s", outcome, reason) // on BitcoinCash they offer too little by now
			}
			if _, _, err := l.Network().Copy(t.Context(), signed.Txid, [][]byte{signed.Raw}); !errors.Is(err, chains.ErrDown) {
				t.Errorf("of a transaction that the node does not know: %v", err)
			}
		})
	}
}

// elsewhere signs another payment of a slot's coins. It is as high.
func (l *launched) elsewhere(t *testing.T, slot chains.Slot) chains.Signed {
	t.Helper()
	d, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "3"), l.order(t, "2")}})
	check(t, err)
	signed, err := d.Sign(slot)
	check(t, err)
	return signed
}

// TestIDsThatCoverSignatures: nobody else can change an id on the networks with segregated witnesses.
func TestIDsThatCoverSignatures(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"Bitcoin", "Litecoin"} {
		l := launch(t, network)
		if l.Network().Copy != nil {
			t.Errorf("%s looks for copies", network)
		}
	}
}
