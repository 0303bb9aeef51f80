package ton_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/ton"
	"causeway/internal/dev/tonnode"
)

// reopened is the connector of another process.
func reopened(t testing.TB, l *launched) *ton.Connector {
	t.Helper()
	c, err := ton.Open(t.Context(), l.config, nil)
	check(t, err)
	t.Cleanup(c.Close)
	return c
}

// explained checks that the blocks after a height tell why the accounts hold what they hold: in each block, to the last nanoton.
func (l *launched) explained(t testing.TB, from int64) {
	t.Helper()
	blocks, err := l.Blocks(t.Context(), from+1, 100)
	check(t, err)
	l.explains(t, blocks)
}

// explains is explained by blocks that were read.
func (l *launched) explains(t testing.TB, blocks []chains.Block) {
	t.Helper()
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	ours := map[string]bool{l.Hot(): true, deposit: true}
	held := func(token string, height int64) decimal.Decimal {
		return l.holds(t, token, l.Hot(), height).Add(l.holds(t, token, deposit, height))
	}
	for _, b := range blocks {
		want := map[string]decimal.Decimal{"TON": held("TON", b.Height-1), "USDT": held("USDT", b.Height-1)}
		for _, move := range b.Transfers {
			if ours[move.To] {
				want[move.Token] = want[move.Token].Add(move.Amount)
			}
			if _, signed := l.all[move.Txid]; ours[move.From] && !signed {
				t.Errorf("block %d: somebody else has spent: %+v", b.Height, move)
			}
		}
		for _, c := range b.Costs {
			if ours[c.Address] {
				want["TON"] = want["TON"].Sub(c.Amount)
			}
		}
		l.payouts(t, b.Height, want)
		for token, sum := range want {
			if got := held(token, b.Height); !got.Equal(sum) {
				t.Errorf("block %d: %s %s are held, and %s explained: %+v %+v", b.Height, got, token, sum, b.Transfers, b.Costs)
			}
		}
	}
}

// payouts takes off what the payouts of a block have moved and cost.
func (l *launched) payouts(t testing.TB, height int64, want map[string]decimal.Decimal) {
	t.Helper()
	for txid, o := range l.all {
		now := l.status(t, txid)
		if now.Height != height || now.State != chains.TxMined && now.State != chains.TxReverted {
			continue
		}
		if want["TON"] = want["TON"].Sub(now.Fee); now.State == chains.TxMined {
			want[o.Token] = want[o.Token].Sub(o.Amount)
		}
	}
}

// TestEveryBlockIsExplained: payments, notices, what bounces, and what the chain takes for gas and storage.
func TestEveryBlockIsExplained(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]bool{"at once": false, "by hops": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := launch(t)
			check(t, l.node.Slow(slow))
			start := l.height(t)
			deposit, err := l.Derive(t.Context(), 0)
			check(t, err)
			payee := l.stranger(t, "payee")
			for number := range uint64(3) {
				l.pay(t, chaintest.Payment{Token: "TON", To: deposit, Memo: "12345678", Amount: decimal.RequireFromString("1.000000001")})
				l.pay(t, chaintest.Payment{Token: "USDT", To: deposit, Memo: "87654321", Amount: decimal.NewFromInt(3)})
				check(t, l.node.Mine(2))
				l.sent(t, 2*number, order("TON", "0.25", payee, "1"))
				l.sent(t, 2*number+1, order("USDT", "2", payee, "2"))
				check(t, l.node.Pass(3_000_000)) // a month of storage
				check(t, l.node.Mine(4))
			}
			for flags := range 4 { // nobody is there: it goes back, with the flags that it came with
				_, err = l.node.Send(tonnode.Message{To: deposit, Units: 1_000_000_000, Bounce: true, Flags: flags})
				check(t, err)
			}
			check(t, l.node.Mine(5))
			l.explained(t, start)
		})
	}
}

// TestAPayoutToOurselves: what goes from the hot wallet to the shared one has the payout's id, where it arrives.
func TestAPayoutToOurselves(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	coins, _ := l.sent(t, 0, order("TON", "3", deposit, "11111111"))
	units, _ := l.sent(t, 1, order("USDT", "4", deposit, "22222222"))
	check(t, l.node.Mine(6))
	for _, c := range []*ton.Connector{l.Connector, reopened(t, l)} {
		blocks, err := c.Blocks(t.Context(), start+1, 100)
		check(t, err)
		found := map[string]chains.Transfer{}
		for _, b := range blocks {
			for _, move := range b.Transfers {
				if !move.Beside {
					found[move.Memo] = move
				}
			}
		}
		for memo, want := range map[string]chains.Transfer{
			"11111111": {Txid: coins.Txid, Token: "TON", From: l.Hot(), To: deposit, Memo: "11111111", Amount: decimal.NewFromInt(3)},
			"22222222": {Txid: units.Txid, Token: "USDT", From: l.Hot(), To: deposit, Memo: "22222222", Amount: decimal.NewFromInt(4)},
		} {
			got := found[memo]
			if !got.Amount.Equal(want.Amount) || got.Txid != want.Txid || got.From != want.From || got.To != want.To || got.Token != want.Token {
				t.Errorf("%+v, want %+v", got, want)
			}
		}
		if len(found) != 2 {
			t.Errorf("%d payments: %+v", len(found), found)
		}
	}
	l.explained(t, start)
}

// TestAPayoutToOurselvesThatArrivesLate: it has the payout's id though its sender had many transactions since, for a process that has not read them.
func TestAPayoutToOurselvesThatArrivesLate(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	check(t, l.node.Jam(true))
	coins, _ := l.sent(t, 0, order("TON", "3", deposit, "11111111"))
	units, _ := l.sent(t, 1, order("USDT", "4", deposit, "22222222"))
	check(t, l.node.Jam(false))
	for range 60 {
		_, err := l.node.Send(tonnode.Message{To: l.Hot(), Units: 10_000_000})
		check(t, err)
	}
	start := l.height(t)
	check(t, l.node.Mine(2))
	blocks, err := reopened(t, l).Blocks(t.Context(), start+1, 100)
	check(t, err)
	found := map[string]string{}
	for _, b := range blocks {
		for _, move := range b.Transfers {
			if move.To == deposit && !move.Beside {
				found[move.Memo] = move.Txid
			}
		}
	}
	if found["11111111"] != coins.Txid || found["22222222"] != units.Txid || len(found) != 2 {
		t.Errorf("%v, want %s and %s", found, coins.Txid, units.Txid)
	}
}

// TestAnAccountThatGoes: an account without code is gone once storage has taken its last coins, and so is the memory of its transactions. That stops
// nothing, and what comes later is told.
func TestAnAccountThatGoes(t *testing.T) {
	t.Parallel()
	for name, atOnce := range map[string]bool{"in one step": true, "block by block": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := launch(t)
			deposit, err := l.Derive(t.Context(), 0)
			check(t, err)
			start := l.height(t)
			var blocks []chains.Block
			mined := func(m ...tonnode.Message) {
				t.Helper()
				for _, m := range m {
					m.To = deposit
					_, err := l.node.Send(m)
					check(t, err)
				}
				check(t, l.node.Mine(2))
				if !atOnce {
					more, err := l.Blocks(t.Context(), start+1+int64(len(blocks)), 100)
					check(t, err)
					blocks = append(blocks, more...)
				}
			}
			mined(tonnode.Message{Units: 1, Comment: "12345678"})
			check(t, l.node.Pass(100_000))
			mined(tonnode.Message{Units: 1_000_000_000, Bounce: true}) // the coin of before is the rent
			mined(tonnode.Message{Units: 2_000_000_000, Comment: "87654321"})
			mined(tonnode.Message{Units: 3_000_000_000, Comment: "87654321"})
			if atOnce {
				blocks, err = l.Blocks(t.Context(), start+1, 100)
				check(t, err)
			}
			sum, rest := decimal.Zero, decimal.Zero
			for _, b := range blocks {
				for _, move := range b.Transfers {
					if rest = rest.Add(move.Amount); move.Memo == "87654321" {
						sum = sum.Add(move.Amount)
					}
				}
				for _, c := range b.Costs {
					rest = rest.Sub(c.Amount)
				}
			}
			if !sum.Equal(decimal.NewFromInt(5)) {
				t.Errorf("%s TON came", sum)
			}
			if held := l.holds(t, "TON", deposit, l.height(t)); !held.Equal(rest) {
				t.Errorf("%s TON are held, and %s are told", held, rest)
			}
			if !atOnce { // within one step the coins that came and went are not seen
				l.explains(t, blocks)
			}
		})
	}
}

// TestAnAccountWithMoneyStays: a node that says that an account with more than rent is gone lies, and so does one that forgets a wallet with code.
func TestAnAccountWithMoneyStays(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	l.pay(t, chaintest.Payment{Token: "TON", To: deposit, Memo: "12345678", Amount: decimal.NewFromInt(1)})
	check(t, l.node.Mine(1))
	start := l.height(t)
	_, err = l.Blocks(t.Context(), start, 100)
	check(t, err)
	check(t, l.node.Mine(1))
	nobody, err := l.node.Stranger("nobody")
	check(t, err)
	var empty map[string]any
	check(t, l.node.Order(&empty, "getAddressInformation", map[string]any{"address": nobody, "seqno": start + 1}))
	answer, err := json.Marshal(empty)
	check(t, err)
	check(t, l.node.Trouble(tonnode.Trouble{Answer: map[string]json.RawMessage{"getAddressInformation": answer}}))
	if _, err := l.Blocks(t.Context(), start+1, 100); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want ErrDown", err)
	}
	check(t, l.node.Trouble(tonnode.Trouble{Answer: map[string]json.RawMessage{}}))
	if _, err := l.Blocks(t.Context(), start+1, 100); err != nil {
		t.Error(err)
	}
}
