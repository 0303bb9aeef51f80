package solana_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/dev/solananode"
)

// TestEverySpendIsAmongWhatWasSent: the proof that a transaction is dead rests on it. Payouts, sweeps and those that move nothing or fail are
// named in their blocks, by their wallets, also by a process that has just started, and also if nobody asks for the deposit addresses any
// more.
func TestEverySpendIsAmongWhatWasSent(t *testing.T) {
	t.Parallel()
	l := launch(t)
	for _, index := range []uint32{1, 2, 3} {
		l.pay(t, "USDC", l.derive(t, index), decimal.NewFromInt(5))
		l.pay(t, "SOL", l.derive(t, index), decimal.NewFromInt(1))
	}
	l.mine(t, 1)
	from := l.tip(t)
	_, err := l.Blocks(t.Context(), from, 1)
	check(t, err)
	want := map[string]string{} // the wallet of each
	want[l.paid(t, order("SOL", stranger, "1"), 1).Txid] = l.Hot()
	want[l.paid(t, order("USDC", stranger, "1"), 2).Txid] = l.Hot()
	want[l.swept(t, 1, "USDC", "5", 3).Txid] = l.derive(t, 1)
	want[l.swept(t, 2, "USDC", "4", 4).Txid] = l.derive(t, 2)
	want[l.swept(t, 3, "SOL", "1", 5).Txid] = l.derive(t, 3)
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{})
	check(t, err)
	nothing, err := draft.Sign(chains.Slot{Number: 6})
	check(t, err)
	want[nothing.Txid] = l.Hot()
	_, _ = l.sender.Broadcast(t.Context(), nothing.Raw)
	l.mine(t, 1)
	fails := l.signed(t, order("USDC", stranger, "2"), 7)
	want[fails.Txid] = l.Hot()
	_, err = l.node.Freeze(solananode.USDC, stranger)
	check(t, err)
	_, err = l.node.Send(fails.Raw)
	check(t, err)
	l.mine(t, 1)
	l.wantSent(t, "the same process", from, want)
	l.open(t)
	l.AskFor(func(context.Context) ([]string, error) { return nil, nil })
	l.wantSent(t, "another process", from, want)
	l.wantState(t, fails.Txid, chains.TxReverted)
	for txid := range want {
		if now, err := l.Status(t.Context(), []string{txid}); err != nil || !now[txid].Final {
			t.Errorf("%+v, %v: want it final", now[txid], err)
		}
	}
}

func (l *launched) wantSent(t *testing.T, who string, from int64, want map[string]string) {
	t.Helper()
	blocks, err := l.Blocks(t.Context(), from+1, 10)
	check(t, err)
	found := map[string]bool{}
	for _, b := range blocks {
		for i, s := range b.Sent {
			found[s.Txid] = found[s.Txid] || s.From == want[s.Txid]
			if want[s.Txid] == l.Hot() && s.From != l.Hot() || s.From == l.Hot() && i > 0 && b.Sent[i-1].Txid == s.Txid {
				t.Errorf("%s: %s is named for %s, and the hot wallet pays", who, s.Txid, s.From)
			}
		}
	}
	for txid, wallet := range want {
		if !found[txid] {
			t.Errorf("%s: %s of %s is not among what was sent", who, txid, wallet)
		}
	}
}
