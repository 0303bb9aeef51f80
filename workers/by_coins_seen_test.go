package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/tasks"
)

// denies is a node that rejects everything, and calls everything rejected.
type denies struct {
	chains.Sender
	chains.Watcher
}

func (denies) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return chains.Rejected, "inputs missing or spent"
}

func (denies) Status(_ context.Context, txids []string) (map[string]chains.TxStatus, error) {
	out := map[string]chains.TxStatus{}
	for _, txid := range txids {
		out[txid] = chains.TxStatus{State: chains.TxRejected}
	}
	return out, nil
}

// A followed block has our transaction, and a node rejects it.
func TestNoNodesWordRefundsWhatABlockHas(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Bitcoin")
	w.splitCoins()
	w.faults("Bitcoin", "broadcast", "timeout-after-send")
	p := w.payout("Bitcoin", "BTC", "2", coinPayees[0])
	w.round()
	w.faults("Bitcoin", "broadcast", "")
	n, _ := w.registry.Network("Bitcoin")
	sender, watcher := n.Sender, n.Watcher
	n.Sender, n.Watcher = denies{Sender: sender}, denies{}
	w.mineUnseen("Bitcoin", 5)
	w.only(t.Context(), tasks.FollowNetwork)
	history, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Equal(t, 1, w.count("select count(*) from coins where spent_by = ?", history[0].Txid))
	w.only(t.Context(), tasks.BroadcastPayout)
	n.Sender, n.Watcher = sender, watcher
	w.mine("Bitcoin", 5)
	w.equal("2", w.bitcoins(coinPayees[0]))
	require.NotEqual(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status, "refunded and paid; contrary: %d", w.count("select count(*) from contrary_transactions"))
}
