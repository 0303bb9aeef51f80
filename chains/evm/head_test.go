package evm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"causeway/chains"
	"causeway/chains/evm"
)

// TestRules: tags where the node serves them, numbers where it does not, and never a weaker rule than before.
func TestRules(t *testing.T) {
	t.Parallel()
	t.Run("tags", func(t *testing.T) {
		t.Parallel()
		l := launch(t, launchOptions{network: "Base"})
		l.node.Mine(t, 10)
		h, err := l.Head(t.Context(), -1)
		check(t, err)
		if h.Credit != h.Height-1 || h.Final != h.Height-2 {
			t.Errorf("%+v, want safe and finalized one and two behind", h)
		}
		if h.Rule != "credit: safe, final: finalized" {
			t.Error(h.Rule)
		}
	})
	t.Run("numbers", func(t *testing.T) {
		t.Parallel()
		l := launch(t, launchOptions{change: func(c *evm.Config) { c.Rule = evm.Rule{Credit: evm.Confirmed(1), Final: evm.Confirmed(5)} }})
		l.node.Mine(t, 10)
		h, err := l.Head(t.Context(), -1)
		check(t, err)
		if h.Credit != h.Height || h.Final != h.Height-4 {
			t.Errorf("%+v, want 1 and 5 confirmations", h)
		}
	})
	t.Run("tags that the node does not serve", func(t *testing.T) {
		t.Parallel()
		m := &meddling{}
		m.set(func(q asked, _ answer) *answer {
			if q.Method == "eth_getBlockByNumber" && strings.Contains(string(q.Params[0]), "finalized") {
				return refuses(-32000, "finalized block not found")
			}
			return nil
		})
		l := launch(t, launchOptions{proxy: m.proxy(t)})
		l.node.Mine(t, 100)
		h, err := l.Head(t.Context(), -1)
		check(t, err)
		if h.Final != h.Height-63 || !strings.Contains(h.Rule, "64 confirmations") {
			t.Errorf("%+v, want 64 confirmations", h)
		}
		m.set(func(asked, answer) *answer { return nil })
		if h, err = l.Head(t.Context(), -1); err != nil || h.Final != h.Height-2 {
			t.Errorf("%+v, %v: the node serves finalized now", h, err)
		}
		m.set(func(q asked, _ answer) *answer {
			if q.Method == "eth_getBlockByNumber" && strings.Contains(string(q.Params[0]), "finalized") {
				return says("null")
			}
			return nil
		})
		if h, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%+v, %v: a rule must not weaken by itself", h, err)
		}
	})
}

// TestANodeThatForgetsFinalBlocksIsDown: a node counts as down if it no longer has blocks both called final and followed.
func TestANodeThatForgetsFinalBlocksIsDown(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	l.node.Mine(t, 10)
	_, err := l.Head(t.Context(), l.node.Height(t))
	check(t, err)
	l.node.Call(t, nil, "anvil_rollback", 6)
	if h, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%+v, %v: want ErrDown", h, err)
	}
}

// TestAMisroutedHeadIsForgotten: an answer from far above, as from another network's node behind the same address, takes the
// network down for no longer than it comes.
func TestAMisroutedHeadIsForgotten(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	l.node.Mine(t, 10)
	followed := l.node.Height(t)
	_, err := l.Head(t.Context(), followed)
	check(t, err)
	m.set(func(q asked, node answer) *answer {
		if q.Method != "eth_getBlockByNumber" || strings.HasPrefix(string(q.Params[0]), `"0x`) {
			return nil
		}
		var header map[string]any
		check(t, json.Unmarshal(node.Result, &header))
		header["number"] = "0x10000000000"
		far, err := json.Marshal(header)
		check(t, err)
		return says(string(far))
	})
	if h, err := l.Head(t.Context(), followed); err != nil || h.Height != 1<<40 {
		t.Fatalf("%+v, %v: the answer is from far above", h, err)
	}
	m.set(func(asked, answer) *answer { return nil })
	if h, err := l.Head(t.Context(), followed); err != nil || h.Height != followed {
		t.Errorf("%+v, %v: the node answers again", h, err)
	}
}
