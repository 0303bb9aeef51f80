package evm_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
)

// TestSpareIsOfABlock: transactions in the mempool are not deducted, however the node sees them, and From is the first not
// deducted; Next counts the mempool in.
func TestSpareIsOfABlock(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	want := func(from, next uint64, tokens string) {
		t.Helper()
		draft, err := l.sender.Prepare(t.Context(), single(order("USDT", "1000")))
		check(t, err)
		spare := draft.Spare()
		if spare.From == nil || *spare.From != from || !spare.Token.Equal(decimal.RequireFromString(tokens)) || !spare.Coin.IsPositive() {
			t.Errorf("%+v, want %s from nonce %d on", spare, tokens, from)
		}
		if spare.Next == nil || *spare.Next != next {
			t.Errorf("%+v, want %d as the next nonce", spare, next)
		}
	}
	want(0, 0, "9000")
	l.outcome(t, l.signed(t, order("USDT", "6000")).Raw, chains.Accepted, "")
	want(0, 1, "9000")
	l.node.Mine(t, 1)
	want(1, 1, "3000")
	draft, err := l.sender.Prepare(t.Context(), single(order("ETH", "1")))
	check(t, err)
	if spare := draft.Spare(); !spare.Token.Equal(spare.Coin) || !spare.Coin.LessThan(decimal.NewFromInt(1999)) {
		t.Errorf("%+v: a payment in coins and its fee are of the same coins", spare)
	}
}

// TestOneBlockOfManyNodes: one of several nodes behind an address does not have the block told by another.
func TestOneBlockOfManyNodes(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_blockNumber" {
			return says(`"0xffff"`)
		}
		return nil
	})
	if _, err := l.sender.Prepare(t.Context(), single(order("USDT", "1"))); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want ErrDown", err)
	}
}
