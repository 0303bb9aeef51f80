package utxo_test

import (
	"errors"
	"testing"
	"time"

	"causeway/chains"
	"causeway/chains/utxo"
)

// TestAStartFarBack: a network may begin long before the head. The coins of the hot wallet at that block are known exactly, also those
// spent since: the blocks above are read downwards, as far as one question has time, and the next one goes on. They stay known while the
// chain grows, since who follows from there asks for the heights above.
//
// Covers operator §Settings: Bitcoin, Litecoin and BitcoinGold may say a `start` far back
func TestAStartFarBack(t *testing.T) {
	t.Parallel()
	l := launch(t, "Bitcoin")
	kept := l.pay(t, l.Hot(), amount("5"))
	l.node.Mine(t, 1)
	start := l.node.Height(t)
	signed, _ := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "990")}}, chains.Slot{})
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Fatalf("outcome %d: %s", outcome, reason)
	}
	l.node.Mine(t, 1)
	after := l.node.Height(t)
	l.node.Mine(t, 1200)

	late := l.anew(t, start)
	late.ReadDownFor(time.Nanosecond)
	_, err := late.Unspent(t.Context(), start)
	if !errors.Is(err, chains.ErrDown) || !says(err, "not known yet: the blocks above are read down to") {
		t.Fatalf("%v", err)
	}
	began := late.Floor()
	if _, err := late.Unspent(t.Context(), start); !errors.Is(err, chains.ErrDown) || late.Floor() != began-1 {
		t.Fatalf("block %d, then %d: %v", began, late.Floor(), err)
	}
	late.ReadDownFor(0)
	coins, err := late.Unspent(t.Context(), start)
	check(t, err)
	if len(coins) != 2 || coins[0].Amount.Add(coins[1].Amount).String() != "1005" {
		t.Errorf("%+v", coins)
	}
	l.node.Mine(t, 1100)
	if coins, err = late.Unspent(t.Context(), late.Network().StartAt); err != nil || len(coins) != 2 || late.Floor() > start {
		t.Errorf("%d coins, block %d, %v", len(coins), late.Floor(), err)
	}
	late.wantHeld(t, after, amount("15").Sub(signed.Fee).String(), l.Hot())
	if state := late.status(t, kept); state.State != chains.TxMined {
		t.Errorf("%+v", state)
	}
}

// anew is another process on the same node, which follows from a block on.
func (l *launched) anew(t *testing.T, start int64) *launched {
	t.Helper()
	out := &launched{node: l.node, config: l.config}
	out.config.Start = start
	var err error
	out.Connector, err = utxo.Open(t.Context(), out.config, nil)
	check(t, err)
	t.Cleanup(out.Close)
	return out
}
