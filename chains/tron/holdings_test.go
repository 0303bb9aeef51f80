package tron_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/dev/tronnode"
)

// held is what addresses hold at a height.
func (l *launched) held(t testing.TB, token string, height int64, of ...string) []decimal.Decimal {
	t.Helper()
	held, err := l.Holdings(t.Context(), token, of, height)
	check(t, err)
	return held
}

// TestHoldingsAtEachHeight: a node tells the balances of its solid block. Those of other blocks are found by what happened in between,
// whoever moved it: the hot wallet with its fees, others by staking, and addresses asked about twice.
//
// Covers operator §Settings: A node knows the balances
func TestHoldingsAtEachHeight(t *testing.T) {
	t.Parallel()
	l := launch(t)
	start := l.head(t).Height
	rich, to, hot := tronnode.Rich.Text(), stranger("new"), l.Hot()
	_, err := l.node.Freeze(tronnode.Rich, 7_000_000)
	check(t, err)
	l.node.Mine(1)
	_, first := l.sent(t, order("USDT", "5", to), 1)
	_, second := l.sent(t, order("TRX", "9", to), 2)
	was := l.held(t, "TRX", start, rich, hot)
	at := func(height int64, token string, richLess, hotLess, toHas string) {
		t.Helper()
		want := []decimal.Decimal{decimal.RequireFromString(hotLess).Neg(), decimal.RequireFromString(toHas), decimal.RequireFromString(toHas)}
		if token == "TRX" {
			want[0] = was[1].Add(want[0])
			if got := l.held(t, token, height, rich)[0]; !was[0].Equal(got) {
				t.Errorf("at %d Rich has %s less, though a stake stays its own", height, was[0].Sub(got))
			}
			got, err := l.Spendable(t.Context(), rich, height)
			check(t, err)
			if was[0].Sub(got).String() != richLess {
				t.Errorf("at %d Rich can spend %s less, want %s", height, was[0].Sub(got), richLess)
			}
		} else {
			want[0] = decimal.NewFromInt(100_000).Add(want[0])
		}
		for i, got := range l.held(t, token, height, hot, to, to) {
			if !got.Equal(want[i]) {
				t.Errorf("at %d address %d has %s %s, want %s", height, i, got, token, want[i])
			}
		}
	}
	for range 3 { // the solid block is below all of them, among them, and above them
		fees := first.Fee.Add(second.Fee)
		at(start, "TRX", "0", "0", "0")
		at(start+1, "TRX", "7", "0", "0")
		at(start+2, "TRX", "7", first.Fee.String(), "0")
		at(start+3, "TRX", "7", fees.Add(decimal.NewFromInt(9)).String(), "9")
		at(start+1, "USDT", "0", "0", "0")
		at(start+2, "USDT", "0", "5", "5")
		l.node.Mine(19)
		l.Forget()
	}
	if _, err := l.Holdings(t.Context(), "TRX", []string{hot}, l.head(t).Final+401); !errors.Is(err, chains.ErrDown) || !says(err, "too far") {
		t.Errorf("far ahead: %v", err)
	}
	if _, err := l.Holdings(t.Context(), "TRX", []string{hot}, -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("before the first block: %v", err)
	}
	if _, err := l.Holdings(t.Context(), "NOSUCH", []string{hot}, start); err == nil || errors.Is(err, chains.ErrDown) {
		t.Errorf("no token: %v", err)
	}
	if _, err := l.Holdings(t.Context(), "TRX", []string{"nobody"}, start); !errors.Is(err, chains.ErrFormat) {
		t.Errorf("no address: %v", err)
	}
}

// TestCoinThatContractsMove: TRX sent by a contract, or given back to its owner, is no transfer and yet in the balance.
func TestCoinThatContractsMove(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	to := stranger("new")
	l.pay(t, "USDT", to, decimal.NewFromInt(5))
	height := l.node.Mine(1)
	account := func(a string) string { return "41" + accountHex(t, a) }
	inner := func(rejected bool, value int64, tokenID string) any {
		v := map[string]any{"callValue": value}
		if tokenID != "" {
			v["tokenId"] = tokenID
		}
		return map[string]any{"caller_address": account(tronnode.USDT), "transferTo_address": account(to), "rejected": rejected, "callValueInfo": []any{v}}
	}
	p.tell("wallet/gettransactioninfobyblocknum", func(answer any) any {
		answer = members([]any{inner(false, 3_000_000, ""), inner(true, 500_000, ""), inner(false, 700_000, "1000001")}, 0, "internal_transactions")(answer)
		return members(json.Number("4000000"), 0, "withdraw_expire_amount")(answer)
	})
	l.Forget()
	before := l.held(t, "TRX", height-1, to, tronnode.Rich.Text())
	after := l.held(t, "TRX", height, to, tronnode.Rich.Text())
	if got := after[0].Sub(before[0]).String(); got != "3" {
		t.Errorf("3 TRX came from a contract, and %s more are there", got)
	}
	if got := after[1].Sub(before[1]); got.IsPositive() || !got.GreaterThan(decimal.NewFromInt(-20)) {
		t.Errorf("what comes back of a stake was held before, and %s TRX more are there", got)
	}
	var can [2]decimal.Decimal
	for i := range can {
		var err error
		can[i], err = l.Spendable(t.Context(), tronnode.Rich.Text(), height-1+int64(i))
		check(t, err)
	}
	if got := can[1].Sub(can[0]); !got.LessThan(decimal.NewFromInt(4)) || !got.GreaterThan(decimal.NewFromInt(-20)) {
		t.Errorf("4 TRX of a stake came back, less the fee of the call: %s", got)
	}
	blocks, err := l.Blocks(t.Context(), height, 1)
	check(t, err)
	if len(blocks[0].Transfers) != 1 || blocks[0].Transfers[0].Token != "USDT" {
		t.Errorf("%+v", blocks[0].Transfers)
	}
}

func accountHex(t testing.TB, address string) string {
	t.Helper()
	a := accountOf(t, address)
	return a.Hex()[2:]
}
