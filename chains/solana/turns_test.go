package solana_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
)

// TestTwoProcessesTakeTurns: each tells some blocks, and knows only the balances that it has looked at itself, also after a pause so long that it
// begins anew. No transfer is missed, and each is told once.
func TestTwoProcessesTakeTurns(t *testing.T) {
	t.Parallel()
	l := launch(t)
	other, err := solana.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(other.Close)
	other.AskFor(l.deposits)
	to, sum, next := l.derive(t, 1), decimal.Zero, l.tip(t)+1
	turn := func(c *solana.Connector, blocks int) {
		t.Helper()
		for range blocks {
			l.pay(t, "USDC", to, decimal.NewFromInt(2))
			l.paid(t, order("SOL", stranger, "0.5"), uint64(next))
			l.mine(t, 1)
			told, err := c.Blocks(t.Context(), next, 10)
			check(t, err)
			if len(told) != 1 || told[0].Height != next {
				t.Fatalf("%+v, want block %d", told, next)
			}
			next++
			for _, x := range told[0].Transfers {
				if x.To == to {
					sum = sum.Add(x.Amount)
				}
			}
			ours := slices.DeleteFunc(told[0].Sent, func(s chains.Sending) bool { return s.From != l.Hot() })
			if len(ours) != 1 {
				t.Errorf("block %d: %d were sent", next-1, len(ours))
			}
		}
	}
	turn(l.Connector, 2)
	turn(other, 3)
	turn(l.Connector, 1)
	turn(other, 101) // longer than a process remembers
	turn(l.Connector, 2)
	if want := decimal.NewFromInt(2 * (2 + 3 + 1 + 101 + 2)); !sum.Equal(want) {
		t.Errorf("%s were told, and %s came", sum, want)
	}
}

// TestNoBlockTakesWhatCountsAsDead: around the end of a transaction's time, a block that still takes it is at most its last one. What no block took
// by then is taken by none, however late the blocks are followed.
func TestNoBlockTakesWhatCountsAsDead(t *testing.T) {
	t.Parallel()
	l := launch(t)
	confirmed := map[string]string{"commitment": "confirmed"}
	for slot, age := range []int64{140, 149, 150, 151, 152, 160, 161} {
		l.mine(t, 1)
		signed := l.signed(t, order("SOL", stranger, "0.5"), uint64(slot))
		reference := *signed.Until - 160
		if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
			t.Fatalf("outcome %d: %s", outcome, why)
		}
		check(t, l.node.Hold(true))
		var now int64
		check(t, l.node.Order(&now, "getBlockHeight", confirmed))
		check(t, l.node.Mine(int(reference+age-1-now)))
		check(t, l.node.Hold(false))
		check(t, l.node.Mine(1)) // the block of this age
		check(t, l.node.Order(&now, "getBlockHeight", confirmed))
		if now != reference+age {
			t.Fatalf("block %d is %d old", now, now-reference)
		}
		check(t, l.node.Mine(20*slots-int(now%slots)))
		states, err := l.Status(t.Context(), []string{signed.Txid})
		check(t, err)
		mined := states[signed.Txid].State == chains.TxMined
		if mined != (age <= 151) || mined && now > *signed.Until {
			t.Errorf("a block that is %d old has it: %v, and its last one is %d old", age, mined, *signed.Until-reference)
		}
		if outcome, _ := l.sender.Broadcast(t.Context(), signed.Raw); !mined && outcome != chains.Expired || mined && outcome != chains.Accepted {
			t.Errorf("%d old: outcome %d", age, outcome)
		}
		check(t, l.node.Drop())
	}
}

// TestAPayoutToADepositAddressOfOurs is told as what it is: a move of the hot wallet, with its transaction.
func TestAPayoutToADepositAddressOfOurs(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 3)
	from := l.tip(t)
	signed := l.paid(t, order("USDC", to, "7"), 1)
	l.mine(t, 1)
	blocks, err := l.Blocks(t.Context(), from+1, 1)
	check(t, err)
	if got := blocks[0].Transfers; len(got) != 1 || got[0].To != to || got[0].From != l.Hot() || got[0].Txid != signed.Txid || !got[0].Amount.Equal(decimal.NewFromInt(7)) || got[0].Beside {
		t.Errorf("%+v", got)
	}
}

// TestANodeBehindTheSameAddressIsNotBelieved: of two nodes behind one address, the one that lists blocks is a few slots late. It would take an
// earlier block for the last one of a block of ours, and so tell another hash.
func TestANodeBehindTheSameAddressIsNotBelieved(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 1)
	late := solananode.Start(t, solananode.Options{Lag: 1}) // of the same blocks
	var slot, behind int
	check(t, l.node.Order(&slot, "getSlot"))
	check(t, late.Order(&behind, "getSlot"))
	check(t, late.Mine(slot-behind-3))
	height := l.tip(t)
	l.open(t) // that has no block in mind
	gates[0].set(func(g *gate) { g.method, g.elsewhere = "getBlocks", late.URL })
	if h, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%+v, %v: want no head", h, err)
	}
	check(t, late.Mine(3))
	h := l.head(t, -1)
	gates[0].set(func(g *gate) { g.method = "" })
	l.open(t)
	if again := l.head(t, -1); h.Height != height || h.Marks[0] != again.Marks[0] {
		t.Errorf("%+v by both, %+v by one", h, again)
	}
}
