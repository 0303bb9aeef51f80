package evm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/internal/dev/anvil"
)

// spells has a node tell something else wherever it tells some words: a consistent lie about a block with a true hash.
func spells(words, others string) meddler {
	return func(_ asked, node answer) *answer {
		if !strings.Contains(string(node.Result), words) {
			return nil
		}
		return says(strings.ReplaceAll(string(node.Result), words, others))
	}
}

// data is a number as logs have it.
func data(units int64) string { return fmt.Sprintf("%064x", units) }

// brings sends an address 5 USDT and 2 of the coin in one block, and returns its height.
func (l *launched) brings(t *testing.T, to common.Address) int64 {
	t.Helper()
	l.tokens["USDT"].Transfer(t, anvil.Rich, to, whole(5, 6))
	l.node.Send(t, anvil.Rich, to, whole(2, 18), nil)
	l.node.Mine(t, 1)
	return l.node.Height(t)
}

// told reads a block as the follower does, and has confirmed what came to an address: the sum of each token.
func (l *launched) told(t *testing.T, height int64, to common.Address) (came map[string]string, confirmed bool, err error) {
	t.Helper()
	blocks, err := l.Blocks(t.Context(), height, 1)
	if err != nil || len(blocks) != 1 {
		return nil, false, errors.Join(err, errors.New("no block"))
	}
	var ours []chains.Transfer
	sums, came := map[string]decimal.Decimal{}, map[string]string{}
	for _, one := range blocks[0].Transfers {
		if one.To == l.Match(to.Hex()) {
			ours, sums[one.Token] = append(ours, one), sums[one.Token].Add(one.Amount)
			came[one.Token] = sums[one.Token].String()
		}
	}
	confirmed, err = l.Confirm(t.Context(), chains.Mark{Height: height, Hash: blocks[0].Hash}, ours)
	return came, confirmed, err
}

// lies are what a node may say of a payment of 5 USDT and 2 ETH.
var lies = map[string]meddler{
	"more of a token": spells(data(5_000_000), data(1_000_000_000)),
	"more coin":       spells(`"0x1bc16d674ec80000"`, `"0x8ac7230489e80000"`),
}

// TestTransfersOfOneNodeAreNotBelieved: a node that changes what came is left, if two others tell the same.
//
// Covers operator §Settings: What came to an address of ours
func TestTransfersOfOneNodeAreNotBelieved(t *testing.T) {
	t.Parallel()
	for name, lie := range lies {
		for at := range 2 {
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				t.Parallel()
				l, nodes := trio(t, flat, 3)
				to := l.deposit(t, 0)
				height := l.brings(t, to)
				nodes[at].set(lie)
				came, confirmed, err := l.told(t, height, to)
				if at == 0 {
					if confirmed || !errors.Is(err, chains.ErrDown) {
						t.Errorf("the liar's %v: %v, %v", came, confirmed, err)
					}
					came, confirmed, err = l.told(t, height, to)
				}
				check(t, err)
				if !confirmed || came["USDT"] != "5" || came["ETH"] != "2" {
					t.Errorf("%v came, confirmed: %v", came, confirmed)
				}
				if now := l.Network().Nodes(); !now[at].Left {
					t.Errorf("%+v, want the liar left", now)
				}
			})
		}
	}
}

// TestOneNodeAgainstOne: nothing is confirmed while one of two nodes lies, also while the honest one is away, until both tell the same.
//
// Covers operator §Settings: What came to an address of ours
func TestOneNodeAgainstOne(t *testing.T) {
	t.Parallel()
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, nodes := trio(t, flat, 2)
			to := l.deposit(t, 0)
			height := l.brings(t, to)
			nodes[0].set(lie)
			disputed := func(words string) {
				t.Helper()
				if came, confirmed, err := l.told(t, height, to); confirmed || !errors.Is(err, chains.ErrDown) || !strings.Contains(err.Error(), words) {
					t.Errorf("%v: %v, %v, want %q", came, confirmed, err, words)
				}
			}
			disputed("node 2: the network's node is not reachable: it tells transaction 0x")
			nodes[1].set(away)
			disputed("no second node confirms them")
			nodes[0].set(func(asked, answer) *answer { return nil })
			l.Network().Replace(l.config.RPC[:1])
			came, confirmed, err := l.told(t, height, to)
			if check(t, err); !confirmed || came["USDT"] != "5" || came["ETH"] != "2" {
				t.Errorf("%v came, confirmed: %v", came, confirmed)
			}
		})
	}
}

// TestASecondNodeIsWaitedFor: one that does not show a block yet has it awaited. One that is away, or behind, is as none. One that has the
// block, and others above it, and no receipts of it, contradicts.
//
// Covers operator §Settings: What came to an address of ours
func TestASecondNodeIsWaitedFor(t *testing.T) {
	t.Parallel()
	l, nodes := trio(t, flat, 2)
	to := l.deposit(t, 0)
	height := l.brings(t, to)
	withoutReceipts := func(q asked, _ answer) *answer {
		if q.Method == "eth_getTransactionReceipt" {
			return says("null")
		}
		return nil
	}
	late := upTo(t, l, height-1, 0)
	for _, c := range []struct {
		name      string
		second    meddler
		confirmed bool
	}{
		{"late by a block", func(q asked, node answer) *answer {
			if changed := withoutReceipts(q, node); changed != nil {
				return changed
			}
			return late(q, node)
		}, false},
		{"without the receipts yet", withoutReceipts, false},
		{"in order", func(asked, answer) *answer { return nil }, true},
		{"away", away, true},
	} {
		nodes[1].set(c.second)
		if _, confirmed, err := l.told(t, height, to); confirmed != c.confirmed || err != nil {
			t.Errorf("a second node %s: %v, %v", c.name, confirmed, err)
		}
	}
}

// TestABlockWithoutItsReceiptsForLong: see TestASecondNodeIsWaitedFor.
func TestABlockWithoutItsReceiptsForLong(t *testing.T) {
	t.Parallel()
	l, nodes := trio(t, flat, 2)
	to := l.deposit(t, 0)
	height := l.brings(t, to)
	l.node.Mine(t, 5)
	nodes[1].set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getTransactionReceipt" {
			return says("null")
		}
		return nil
	})
	if _, confirmed, err := l.told(t, height, to); confirmed || !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, %v, want a contradiction", confirmed, err)
	}
}

// TestContractsCoinIsConfirmedByTraces: the second node's trace has to show the coin that a contract has sent.
func TestContractsCoinIsConfirmedByTraces(t *testing.T) {
	t.Parallel()
	l, nodes := several(t, 2, func(c *evm.Config) { c.Traces = true })
	to := l.mineTraces(t, twice)
	height := l.node.Height(t)
	came, confirmed, err := l.told(t, height, to)
	if check(t, err); !confirmed || came["ETH"] == "" {
		t.Fatalf("%v, %v", came, confirmed)
	}
	nodes[1].set(func(q asked, node answer) *answer {
		var trace map[string]any
		if q.Method != "debug_traceTransaction" || json.Unmarshal(node.Result, &trace) != nil {
			return nil
		}
		delete(trace, "calls")
		out, _ := json.Marshal(trace)
		return says(string(out))
	})
	if _, confirmed, err := l.told(t, height, to); confirmed || !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, %v, want a contradiction", confirmed, err)
	}
	nodes[1].set(func(q asked, _ answer) *answer {
		if strings.HasPrefix(q.Method, "debug_") {
			return refuses(-32601, "the method debug_traceTransaction does not exist/is not available")
		}
		return nil
	})
	if _, confirmed, err := l.told(t, height, to); confirmed || err == nil {
		t.Errorf("%v, %v, want the contradiction to hold while the second node has no traces", confirmed, err)
	}
}
