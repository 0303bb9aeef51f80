package tron_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
)

// among are some nodes, a liar at a place among them. The others are some blocks behind.
func among(t *testing.T, count, at, behind int) (*launched, *liar) {
	t.Helper()
	node := tronnode.Start(t, tronnode.Options{})
	p := &liar{to: node.URL}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return on(t, node, func(c *tron.Config) {
		c.RPC = nil
		for i := range count {
			url := server.URL
			if i != at {
				url = node.Behind(t, behind)
			}
			c.RPC = append(c.RPC, tron.Node{URL: url})
		}
	}), p
}

// spent has somebody else move 5 USDT of Rich, by an allowance: the transaction itself does not say to whom they go. It returns the block.
func (l *launched) spent(t *testing.T, to string) int64 {
	t.Helper()
	spender := tronnode.KeyOf("spender")
	l.pay(t, "TRX", spender.Text(), decimal.NewFromInt(1000))
	_, err := l.node.Call(tronnode.Rich, tronnode.USDT, "approve", accountOf(t, spender.Text()), decimal.NewFromInt(5_000_000).BigInt())
	check(t, err)
	l.node.Mine(1)
	_, err = l.node.Call(spender, tronnode.USDT, "transferFrom", accountOf(t, tronnode.Rich.Text()), accountOf(t, to), decimal.NewFromInt(5_000_000).BigInt())
	check(t, err)
	return l.node.Mine(1)
}

// came adds up what a block brings an address of USDT.
func came(blocks []chains.Block, to string) decimal.Decimal {
	sum := decimal.Zero
	for _, b := range blocks {
		for _, t := range b.Transfers {
			if t.To == to && t.Token == "USDT" {
				sum = sum.Add(t.Amount)
			}
		}
	}
	return sum
}

// lies are false words about the logs of a block with one contract's transaction.
var lies = map[string]func(answer any) any{
	"a larger amount": members("000000000000000000000000000000000000000000000000000000003b9aca00", 0, "log", 0, "data"),
	"a hidden log":    members(nil, 0, "log"),
}

// TestLogsOfOneNodeAreNotBelieved: no header commits to logs. A node that changes or hides one is left, if two others tell the same: first
// or second in order, of a transfer that its transaction says itself, or does not.
//
// Covers operator §Settings: The logs of a block that its transactions
func TestLogsOfOneNodeAreNotBelieved(t *testing.T) {
	t.Parallel()
	for name, lie := range lies {
		for at := range 2 {
			for _, direct := range []bool{true, false} {
				t.Run(fmt.Sprint(name, at, direct), func(t *testing.T) {
					t.Parallel()
					l, p := among(t, 3, at, 0)
					to, err := l.Derive(t.Context(), 0)
					check(t, err)
					height := int64(0)
					if direct {
						l.pay(t, "USDT", to, decimal.NewFromInt(5))
						height = l.node.Mine(1)
					} else {
						height = l.spent(t, to)
					}
					p.tell("wallet/gettransactioninfobyblocknum", lie)
					l.Forget()
					blocks, err := l.Blocks(t.Context(), height, 1)
					check(t, err)
					if got := came(blocks, to); got.String() != "5" {
						t.Errorf("%s came, want 5", got)
					}
					if now := l.Network().Nodes(); !now[at].Left && !(at == 1 && direct) {
						t.Errorf("%+v, want the liar left", now)
					}
				})
			}
		}
	}
}

// TestOneNodeAgainstOne: a call that moves nothing has a log of our money in the words of one of two nodes, whichever it is. The block is
// not told, also while the other node is away, until both say the same.
func TestOneNodeAgainstOne(t *testing.T) {
	t.Parallel()
	for at := range 2 {
		l, p := among(t, 2, at, 0)
		to, err := l.Derive(t.Context(), 0)
		check(t, err)
		_, err = l.node.Call(tronnode.Rich, tronnode.USDT, "approve", accountOf(t, to), decimal.NewFromInt(1).BigInt())
		check(t, err)
		height := l.node.Mine(1)
		word := func(a string) string { return "000000000000000000000000" + accountHex(t, a) }
		p.tell("wallet/gettransactioninfobyblocknum", members([]any{map[string]any{"address": accountHex(t, tronnode.USDT),
			"topics": []any{"ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef", word(tronnode.Rich.Text()), word(to)},
			"data":   "000000000000000000000000000000000000000000000000000000003b9aca00"}}, 0, "log"))
		l.Forget()
		disputed := func(words string) {
			t.Helper()
			if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) || !says(err, words) {
				t.Errorf("liar at %d: %v, %v, want %q", at, blocks, err, words)
			}
		}
		disputed("two nodes tell other logs")
		p.tell("wallet/gettransactioninfobyblocknum", always([]any{}))
		if at == 1 { // it tells nothing any more
			disputed("no other node confirms")
		}
		p.tell("", nil)
		blocks, err := l.Blocks(t.Context(), height, 1)
		check(t, err)
		if got := came(blocks, to); !got.IsZero() {
			t.Errorf("%s USDT came by the word of one node", got)
		}
	}
}

// TestASecondNodeIsWaitedFor: a block that it does not have yet is told once it has. Where nothing has to be confirmed, nobody waits.
func TestASecondNodeIsWaitedFor(t *testing.T) {
	t.Parallel()
	l, _ := among(t, 2, 0, 1)
	to, err := l.Derive(t.Context(), 0)
	check(t, err)
	l.pay(t, "USDT", to, decimal.NewFromInt(5))
	direct := l.node.Mine(1)
	if blocks, err := l.Blocks(t.Context(), direct, 1); err != nil || came(blocks, to).String() != "5" {
		t.Errorf("%v, %v: a transfer that its transaction says itself", blocks, err)
	}
	height := l.spent(t, to)
	blocks, err := l.Blocks(t.Context(), direct+1, 10)
	check(t, err)
	if len(blocks) != int(height-direct-1) {
		t.Errorf("%d blocks, want those below the one that is not confirmed", len(blocks))
	}
	l.node.Mine(1)
	blocks, err = l.Blocks(t.Context(), height, 1)
	check(t, err)
	if got := came(blocks, to); got.String() != "5" {
		t.Errorf("%s came, want 5", got)
	}
}

// TestANodeWithoutLogsStopsNothing: a second node that keeps none, or is away, is as none.
func TestANodeWithoutLogsStopsNothing(t *testing.T) {
	t.Parallel()
	l, p := among(t, 2, 0, 0)
	to, err := l.Derive(t.Context(), 0)
	check(t, err)
	height := l.spent(t, to)
	p.tell("wallet/gettransactioninfobyblocknum", always([]any{}))
	l.Forget()
	blocks, err := l.Blocks(t.Context(), height, 1) // the first node is left, and cannot confirm the second
	check(t, err)
	if got := came(blocks, to); got.String() != "5" {
		t.Errorf("%s came, want 5", got)
	}
	p.tell("wallet/gettransactioninfobyblocknum", always("no list"))
	l.Forget()
	if blocks, err = l.Blocks(t.Context(), height, 1); err != nil || len(blocks) != 1 {
		t.Errorf("%v, %v", blocks, err)
	}
}
