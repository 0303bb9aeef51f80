package evm_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains/evm"
	"causeway/internal/pay"
)

// TestAmountsAreCreditedByTheirRow: the head says up to where blocks have the tags in the rule of amounts, beside the rule's
// own, and nothing if the node does not serve a tag.
func TestAmountsAreCreditedByTheirRow(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) {
		c.CreditByAmount = []evm.AmountRow{{UpTo: decimal.NewFromInt(100), Credit: evm.Confirmed(3)},
			{UpTo: decimal.NewFromInt(1000), Credit: evm.Depth{Tag: "safe"}}}
		c.CreditByAmountOf = map[string][]evm.AmountRow{"018f6b2e-0000-7000-8000-000000000001": {}}
		c.Rule = evm.Rule{Credit: evm.Confirmed(40), Final: evm.Confirmed(40)}
	}})
	l.node.Mine(t, 50)
	h, err := l.Head(t.Context(), -1)
	check(t, err)
	if h.Safe != h.Height-1 || h.Finalized != 0 || h.Credit != h.Height-39 {
		t.Errorf("%+v: want safe one behind, no finalized, and credit by the rule", h)
	}
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getBlockByNumber" && strings.Contains(string(q.Params[0]), "safe") {
			return refuses(-32000, "safe block not found")
		}
		return nil
	})
	if h, err = l.Head(t.Context(), -1); err != nil || h.Safe != 0 {
		t.Errorf("%+v, %v: nothing is safe that the node does not call so", h, err)
	}
	rule, any, own := l.Rule(), uuid.New(), uuid.MustParse("018f6b2e-0000-7000-8000-000000000001")
	for worth, want := range map[string]pay.CreditDepth{"99.99": 3, "100": 3, "100.01": pay.CreditAtSafe, "1000": pay.CreditAtSafe, "1000.01": pay.CreditByRule} {
		if got := rule.For(any, decimal.RequireFromString(worth)); got != want {
			t.Errorf("%s USD is credited %s, want %s", worth, got, want)
		}
		if got := rule.For(own, decimal.RequireFromString(worth)); got != pay.CreditByRule {
			t.Errorf("%s USD of a merchant without rows is credited %s", worth, got)
		}
	}
	if rule.Later(any, 3, pay.CreditAtSafe) != pay.CreditAtSafe || rule.Later(any, 7, 3) != pay.CreditByRule {
		t.Error("the later row counts, and a depth that no row has is the rule's")
	}
}

// TestTheRuleIsToldInMinutes: at its start a process says the present age of the blocks at each depth of crediting.
//
// Covers operator §Settings: A process that opens a network says
func TestTheRuleIsToldInMinutes(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	l.node.Call(t, nil, "anvil_setBlockTimestampInterval", 12)
	l.node.Mine(t, 100)
	var out bytes.Buffer
	log := logrus.New()
	log.SetOutput(&out)
	cfg := l.config
	cfg.Rule = evm.Rule{Credit: evm.Confirmed(64), Final: evm.Confirmed(64)}
	cfg.CreditByAmount = []evm.AmountRow{{UpTo: decimal.NewFromInt(100), Credit: evm.Confirmed(11)}}
	c, err := evm.Open(t.Context(), cfg, log)
	check(t, err)
	c.Close()
	if want := "up to 100 USD at 11 confirmations, now 2.0 min old; more at 64 confirmations, now 12.6 min old"; !strings.Contains(out.String(), want) {
		t.Errorf("%s, want %s", out.String(), want)
	}
}
