package monero

import (
	"encoding/hex"
	"testing"

	"causeway/chains"
)

// TestTheNextNodeIsOfferedWhatOneDoesNotTake: the answer is that of a node that takes it, else the first refusal; and where a node has given
// no answer, nothing is known.
func TestTheNextNodeIsOfferedWhatOneDoesNotTake(t *testing.T) {
	t.Parallel()
	ok := map[string]any{"status": "OK"}
	odd := map[string]any{"status": "Failed", "reason": "of the first"}
	low := map[string]any{"status": "Failed", "fee_too_low": true}
	twice := map[string]any{"status": "Failed", "double_spend": true}
	raw, err := hex.DecodeString(recordedTx)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		first, second map[string]any
		want          chains.Outcome
	}{
		"the first":                 {ok, odd, chains.Accepted},
		"the second":                {odd, ok, chains.Accepted},
		"one that lacks a coin":     {twice, ok, chains.Accepted},
		"a ring of another chain":   {map[string]any{"status": "Failed", "invalid_input": true}, odd, chains.NotTaken},
		"neither":                   {odd, twice, chains.NotTaken},
		"a fee too low":             {low, odd, chains.Underpriced},
		"a coin spent":              {twice, odd, chains.SlotTaken},
		"a refusal and no answer":   {odd, nil, chains.Unknown},
		"no answer and a coin gone": {nil, twice, chains.Unknown},
	} {
		nodes := []*fakeNode{recordedNode(t), recordedNode(t)}
		for i, told := range []map[string]any{c.first, c.second} {
			nodes[i].verdict, nodes[i].txs = told, nil
		}
		cfg := Defaults()
		s := &Sender{Connector: &Connector{cfg: cfg, view: viewOf(t, recordedView), node: nodes[0].pool(t, nodes[1])}}
		if got, reason := s.Broadcast(t.Context(), raw); got != c.want {
			t.Errorf("%s: outcome %d, want %d: %s", name, got, c.want, reason)
		}
	}
}
