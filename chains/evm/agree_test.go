package evm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/chains/nodes"
	"causeway/internal/dev/testkit"
)

// flat credits at once and is final five blocks later, whatever the node's tags.
var flat = evm.Rule{Credit: evm.Confirmed(1), Final: evm.Confirmed(5)}

// trio is a chain read by some nodes. Each is the same one, seen through a proxy that changes its answers.
func trio(t *testing.T, rule evm.Rule, nodes int) (*launched, []*meddling) {
	t.Helper()
	return several(t, nodes, func(c *evm.Config) { c.Rule, c.CreditByAmount = rule, nil })
}

// several is trio with other settings.
func several(t *testing.T, nodes int, change func(c *evm.Config)) (*launched, []*meddling) {
	t.Helper()
	meddlers := make([]*meddling, nodes)
	l := launch(t, launchOptions{change: func(c *evm.Config) {
		url := c.RPC[0]
		c.RPC = nil
		change(c)
		for i := range meddlers {
			meddlers[i] = &meddling{}
			c.RPC = append(c.RPC, meddlers[i].proxy(t)(url))
		}
	}})
	l.node.Mine(t, 20)
	return l, meddlers
}

// headers has a node answer other headers: change returns false for a block that it has not.
func headers(t *testing.T, change func(height int64, header map[string]any) bool) meddler {
	return func(q asked, node answer) *answer {
		if q.Method != "eth_getBlockByNumber" {
			return nil
		}
		var header map[string]any
		check(t, json.Unmarshal(node.Result, &header))
		if header == nil {
			return nil
		}
		height, err := hexutil.DecodeUint64(fmt.Sprint(header["number"]))
		check(t, err)
		if !change(int64(height), header) {
			return says("null")
		}
		changed, err := json.Marshal(header)
		check(t, err)
		return says(string(changed))
	}
}

// forked is a node on a fork that begins with a block.
func forked(t *testing.T, first int64, name string) meddler {
	return headers(t, func(height int64, header map[string]any) bool {
		if height >= first {
			header["hash"] = "0x" + strings.Repeat(name, 32)[:48] + fmt.Sprintf("%016x", height)
		}
		return true
	})
}

// upTo is a node that has no block above one, of some age. It shows this block as its best.
func upTo(t *testing.T, l *launched, best int64, age time.Duration) meddler {
	t.Helper()
	var last map[string]any
	l.node.Call(t, &last, "eth_getBlockByNumber", hexutil.Uint64(best), false)
	last["timestamp"] = hexutil.Uint64(time.Now().Add(-age).Unix())
	shown, err := json.Marshal(last)
	check(t, err)
	has := headers(t, func(height int64, _ map[string]any) bool { return height <= best })
	return func(q asked, node answer) *answer {
		if q.Method == "eth_getBlockByNumber" && !strings.HasPrefix(string(q.Params[0]), `"0x`) {
			return says(string(shown))
		}
		return has(q, node)
	}
}

func away(asked, answer) *answer { return refuses(-32000, "node is not synced") }

// wants mines a block, and compares the head with the heights below the best one.
func (l *launched) wants(t *testing.T, when string, credit, final int64) chains.Head {
	t.Helper()
	l.node.Mine(t, 1)
	h, err := l.Head(t.Context(), l.node.Height(t))
	check(t, err)
	if h.Credit != credit || h.Final != final {
		t.Errorf("%s: credit %d and final %d of %+v, want %d and %d", when, h.Credit, h.Final, h, credit, final)
	}
	return h
}

// TestTwoNodesAgree: blocks are credited and final up to where a second node has them. One that is merely some blocks late lowers the
// height by these. One that is away, or behind, lowers nothing, and the rule says so.
//
// Covers operator §Settings: Before anything is credited or final
func TestTwoNodesAgree(t *testing.T) {
	t.Parallel()
	l, nodes := trio(t, flat, 2)
	best := l.node.Height(t)
	h := l.wants(t, "both are in order", best+1, best-3)
	if h.Agreed == nil || *h.Agreed != best+1 || h.Dispute != "" || h.Rule != "credit: 1 confirmations, final: 5 confirmations" {
		t.Errorf("%+v, want both to agree", h)
	}
	nodes[1].set(upTo(t, l, best-1, 0))
	if h = l.wants(t, "the second one is three blocks late", best-1, best-2); h.Dispute != "" || *h.Agreed != best-1 {
		t.Errorf("%+v, want no dispute", h)
	}
	nodes[1].set(upTo(t, l, best-6, time.Hour))
	if h = l.wants(t, "the second one is behind", best+3, best-1); h.Agreed != nil || !strings.HasSuffix(h.Rule, "; no second node answers") {
		t.Errorf("%+v, want one node alone", h)
	}
	nodes[1].set(func(asked, answer) *answer { return nil })
	testkit.Eventually(t, time.Minute, func() bool {
		l.node.Mine(t, 1)
		h, err := l.Head(t.Context(), -1)
		return err == nil && h.Agreed != nil && *h.Agreed == h.Height
	}, "the second node to be asked again")
	nodes[1].set(away)
	best = l.node.Height(t)
	if h = l.wants(t, "the second one is away", best+1, best-3); h.Agreed != nil {
		t.Errorf("%+v, want one node alone", h)
	}
}

// TestNodesContradictEachOther: nothing above the last common block is credited or final, even while the second node is away, until
// both agree. The operator is told the block.
//
// Covers operator §Settings: If two nodes contradict each other
func TestNodesContradictEachOther(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]bool{"the second": true, "the first": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, nodes := trio(t, flat, 2)
			best := l.node.Height(t)
			l.wants(t, "both are in order", best+1, best-3)
			lost := nodes[0]
			if second {
				lost = nodes[1]
			}
			lost.set(forked(t, best-2, "de"))
			common := best + 2 - 7 // the first of 1, 3, 7 … below the best block that is below the fork
			h := l.wants(t, "one is on a fork", common, common)
			want := fmt.Sprintf("nodes disagree: block %d is 0x", best+2)
			if !strings.HasPrefix(h.Dispute, want) || !strings.Contains(h.Dispute, "for node 1, and 0x") || !strings.Contains(h.Dispute, "for node 2; nothing above block") {
				t.Errorf("%q, want both nodes with their blocks", h.Dispute)
			}
			nodes[1].set(away)
			if h = l.wants(t, "the second one is away", common, common); h.Dispute == "" {
				t.Error("the dispute is over as soon as one node is away")
			}
			for _, m := range nodes {
				m.set(func(asked, answer) *answer { return nil })
			}
			testkit.Eventually(t, time.Minute, func() bool {
				l.node.Mine(t, 1)
				h, err := l.Head(t.Context(), -1)
				return err == nil && h.Dispute == "" && h.Credit == h.Height
			}, "both nodes to agree again")
		})
	}
}

// TestANodeBehindOnAReplacedBlock: the newest block of a node that stands still may have been replaced since. This contradicts nobody;
// another final block does.
//
// Covers operator §Settings: If two nodes contradict each other
func TestANodeBehindOnAReplacedBlock(t *testing.T) {
	t.Parallel()
	for deep, disputed := range map[int64]bool{3: false, 4: true} {
		l, nodes := trio(t, flat, 2)
		best := l.node.Height(t)
		stands, fork := upTo(t, l, best-6, time.Hour), forked(t, best-6-deep, "cd")
		nodes[1].set(func(q asked, node answer) *answer {
			if changed := stands(q, node); changed != nil {
				node = *changed
			}
			return fork(q, node)
		})
		l.node.Mine(t, 1)
		h, err := l.Head(t.Context(), best)
		check(t, err)
		if (h.Dispute != "") != disputed || (h.Credit == best+1) == disputed {
			t.Errorf("%d blocks of it were replaced: %+v", deep+1, h)
		}
	}
}

// TestAnotherListEndsADispute: the operator takes one of two contrary nodes out of the list of a running connector.
//
// Covers operator §Settings: Another list in `rpc` holds
func TestAnotherListEndsADispute(t *testing.T) {
	t.Parallel()
	l, nodes := trio(t, flat, 2)
	best := l.node.Height(t)
	nodes[0].set(forked(t, best-2, "de"))
	if h := l.wants(t, "the first one is on a fork", best-6, best-6); h.Dispute == "" {
		t.Errorf("%+v, want a dispute", h)
	}
	l.Network().Replace(l.config.RPC[1:])
	if h := l.wants(t, "the first one is gone", best+2, best-2); h.Dispute != "" || h.Agreed != nil {
		t.Errorf("%+v, want the only node's word", h)
	}
}

// TestTheOddOneOutIsLeft: of three nodes, two that agree go on, whichever is the third.
//
// Covers operator §Settings: If two nodes contradict each other
func TestTheOddOneOutIsLeft(t *testing.T) {
	t.Parallel()
	for odd := range 2 {
		t.Run(fmt.Sprintf("node %d", odd+1), func(t *testing.T) {
			t.Parallel()
			l, nodes := trio(t, flat, 3)
			best := l.node.Height(t)
			nodes[odd].set(forked(t, best-9, "ab"))
			testkit.Eventually(t, time.Minute, func() bool {
				l.node.Mine(t, 1)
				h, err := l.Head(t.Context(), -1)
				states := l.Network().Nodes()
				return err == nil && h.Credit == h.Height && h.Dispute == "" && !states[odd].Used && states[odd].Failures > 0
			}, "the two others to go on")
			for range 3 {
				best = l.node.Height(t)
				l.wants(t, "two go on", best+1, best-3)
			}
		})
	}
}

// TestSmallAmountsNeedAgreementToo: blocks by which small amounts are credited early are compared, also above those of the rule.
//
// Covers operator §Settings: Before anything is credited or final
func TestSmallAmountsNeedAgreementToo(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Optimism", change: func(c *evm.Config) {
		url := c.RPC[0]
		c.RPC = nodes.Addresses{url, (&gate{}).proxy(t, url)}
		c.Rule = evm.Rule{Credit: evm.Confirmed(20), Final: evm.Confirmed(30)}
	}})
	l.node.Mine(t, 40)
	h, err := l.Head(t.Context(), l.node.Height(t))
	check(t, err)
	if h.Agreed == nil || *h.Agreed != h.Height-14 || h.Credit != h.Height-19 {
		t.Errorf("%+v, want agreement on the block with 15 confirmations", h)
	}
}
