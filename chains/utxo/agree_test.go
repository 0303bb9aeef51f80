package utxo_test

import (
	"strings"
	"testing"
	"time"

	"causeway/chains/utxo"
	"causeway/internal/dev/testkit"
)

// TestTwoRealNodesAgree: blocks are credited and final up to where the second node has them too. Where the nodes are on two chains nothing
// above the last common block is, until one of them has taken the longer chain. A second node that is away lowers nothing.
//
// Covers operator §Settings: Before anything is credited or final
// Covers operator §Settings: If two nodes contradict each other
func TestTwoRealNodesAgree(t *testing.T) {
	t.Parallel()
	l := twin(t, "Bitcoin", func(c *utxo.Config) { c.Rule = utxo.Rule{Credit: 1, Final: 3} })
	common := l.node.Height(t)
	l.agrees(t, "both are in order", common, common-2, common)
	l.node.Mine(t, 4)
	l.agrees(t, "the second one is late", common, common, common)
	l.other.Mine(t, 6)
	l.node.Mine(t, 1)
	below := common + 5 - 7 // the first of 1, 3, 7 … below the best block that is below the fork
	if dispute := l.agrees(t, "there are two chains", below, below, below); !strings.HasPrefix(dispute, "nodes disagree: block") || !strings.Contains(dispute, "for node 2") {
		t.Errorf("%q, want both nodes with their blocks", dispute)
	}
	l.gates[1].closes("get")
	l.node.Mine(t, 1)
	if dispute := l.agrees(t, "the second one is away", below, below, below); dispute == "" {
		t.Error("the dispute is over as soon as one node is away")
	}
	l.gates[1].opens()
	l.other.Mine(t, 2)
	l.node.Bring(t, l.other)
	testkit.Eventually(t, time.Minute, func() bool {
		l.node.Mine(t, 1)
		l.other.Bring(t, l.node)
		h, err := l.Head(t.Context(), -1)
		return err == nil && h.Dispute == "" && h.Credit == h.Height
	}, "both nodes to agree again")
	l.gates[1].closes("get")
	l.node.Mine(t, 1)
	h, err := l.Head(t.Context(), l.node.Height(t))
	if err != nil || h.Agreed != nil || h.Credit != h.Height || !strings.HasSuffix(h.Rule, "; no second node answers") {
		t.Errorf("%+v, %v: want one node alone", h, err)
	}
}

// agrees compares a head with heights, and returns its dispute.
func (l *twins) agrees(t *testing.T, when string, credit, final, agreed int64) string {
	t.Helper()
	h, err := l.Head(t.Context(), l.node.Height(t))
	check(t, err)
	if h.Credit != credit || h.Final != final || h.Agreed == nil || *h.Agreed != agreed {
		t.Errorf("%s: %+v, want credit %d, final %d, agreed %d", when, h, credit, final, agreed)
	}
	return h.Dispute
}

// TestSmallAmountsNeedAgreementToo: blocks by which small amounts are credited early are compared, also above those of the rule.
//
// Covers operator §Settings: Before anything is credited or final
func TestSmallAmountsNeedAgreementToo(t *testing.T) {
	t.Parallel()
	l := twin(t, "Bitcoin", func(c *utxo.Config) {
		c.Rule, c.CreditByAmount = utxo.Rule{Credit: 6, Final: 6}, []utxo.AmountRow{{UpTo: amount("100"), Credit: 2}}
	})
	height := l.node.Height(t)
	l.agrees(t, "both are in order", height-5, height-5, height-1)
	l.node.Mine(t, 3)
	l.agrees(t, "the second one is late", height-2, height-2, height)
}
