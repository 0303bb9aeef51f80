package monero

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/internal/pay"
)

// TestSmallAmountsAreCreditedEarly: by the network's table or the merchant's, as far as a second node has the block.
func TestSmallAmountsAreCreditedEarly(t *testing.T) {
	t.Parallel()
	own := uuid.MustParse("018f6b2e-0000-7000-8000-000000000001")
	cfg := Defaults()
	cfg.RPC, cfg.Wallet, cfg.View, cfg.Start = nodes.Addresses{"http://127.0.0.1:1"}, "http://127.0.0.1:2", recordedView, 1
	cfg.Rule = Rule{Credit: 4, Final: 5}
	cfg.CreditByAmount = []chains.AmountDepth{{UpTo: decimal.NewFromInt(100), Credit: 2}}
	cfg.CreditByAmountOf = map[string][]chains.AmountDepth{own.String(): {{UpTo: decimal.NewFromInt(7), Credit: 1}}}
	if err := cfg.Validate(); err != nil {
		t.Fatal(err)
	}
	first, second := recordedNode(t), recordedNode(t)
	second.best -= 2
	c := &Connector{cfg: cfg, view: viewOf(t, recordedView), node: first.pool(t, second)}
	head, err := c.Head(t.Context(), -1)
	if err != nil || head.Agreed == nil || *head.Agreed != second.best {
		t.Errorf("%+v, %v; the nodes agree up to %d, and a payment in the newest block may be credited", head, err, second.best)
	}
	rule := c.Network().Rule
	for _, is := range []struct {
		merchant uuid.UUID
		worth    int64
		want     pay.CreditDepth
	}{{uuid.New(), 100, 2}, {uuid.New(), 101, pay.CreditByRule}, {own, 7, 1}, {own, 8, pay.CreditByRule}} {
		if got := rule.For(is.merchant, decimal.NewFromInt(is.worth)); got != is.want {
			t.Errorf("%d USD are credited at %v, want %v", is.worth, got, is.want)
		}
	}
	cfg.CreditByAmount[0].Credit = 5
	if cfg.Validate() == nil {
		t.Error("a row may be deeper than the rule")
	}
}
