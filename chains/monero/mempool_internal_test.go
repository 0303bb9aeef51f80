package monero

import (
	"errors"
	"slices"
	"testing"

	"causeway/chains"
)

// TestPaymentsInTheMempool: a payment is told until it is in a block, unless its coin is spent twice.
func TestPaymentsInTheMempool(t *testing.T) {
	t.Parallel()
	f := recordedNode(t)
	wallet := &emptyWallet{main: viewOf(t, recordedView).main}
	c := &Connector{cfg: Defaults(), view: viewOf(t, recordedView), node: f.pool(t)}
	c.seer = c.newWallet(wallet.serve(t), nil)
	for _, step := range []struct {
		name                string
		there, twice, mined bool
		paid, spent, known  int
	}{
		{"nothing", false, false, false, 0, 0, 0},
		{"a payment", true, false, false, 3, 2, 1},
		{"the same", true, false, false, 3, 2, 1},
		{"spent twice", true, true, false, 0, 2, 1},
		{"gone", false, false, false, 0, 0, 0},
		{"mined since its id was told", true, false, true, 0, 0, 0},
	} {
		f.mempool = nil
		if step.there {
			f.mempool = []string{recordedID}
		}
		f.txs[recordedID]["in_pool"], f.txs[recordedID]["double_spend_seen"] = !step.mined, step.twice
		got, err := c.Pending(t.Context())
		if err != nil || len(got.Transfers) != step.paid || len(got.Spent) != step.spent || len(c.pool.known) != step.known {
			t.Errorf("%s: %+v, %v", step.name, got, err)
		}
		if step.paid > 0 && !slices.ContainsFunc(got.Transfers, func(x chains.Transfer) bool { return x.Txid == recordedID && x.To == recordedSubaddresses[1] }) {
			t.Errorf("%s: %+v", step.name, got.Transfers)
		}
	}
	f.mempool = []string{"x"}
	if _, err := c.Pending(t.Context()); !errors.Is(err, chains.ErrDown) {
		t.Errorf("a mempool of no ids: %v", err)
	}
}
