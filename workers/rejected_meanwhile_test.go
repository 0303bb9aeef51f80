package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// rejected is a node rejecting everything for good, with an interruption while it is asked.
type rejected struct {
	chains.Watcher
	happens func()
}

func (r rejected) Status(_ context.Context, txids []string) (map[string]chains.TxStatus, error) {
	r.happens()
	all := map[string]chains.TxStatus{}
	for _, txid := range txids {
		all[txid] = chains.TxStatus{State: chains.TxRejected}
	}
	return all, nil
}

// A transaction followed into a block while another node rejects it for good is not refunded: it was paid as well.
func TestWhatIsMinedWhileItIsRejectedIsNotRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "5", destination)
	w.round()
	n, _ := w.registry.Network("Ethereum")
	sends, sees := n.Sender, n.Watcher
	n.Sender, n.Watcher = rejecting{sends}, rejected{sees, func() {
		n.Watcher = sees
		w.minesAndFollows("Ethereum", 1)
	}}
	w.broadcasts(p)
	n.Sender = sends
	require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.nothingWaits(p, 1)
	require.Empty(t, w.troubles())
}

// minedThenRejected is a node rejecting a transaction already followed into a block.
type minedThenRejected struct {
	chains.Sender
	mine func()
}

func (m minedThenRejected) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	m.mine()
	return chains.Rejected, "never"
}

// The same, followed into its block before the node is asked about it: it is not refunded either.
func TestWhatWasMinedBeforeItIsRejectedIsNotRefunded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "5", destination)
	w.round()
	n, _ := w.registry.Network("Ethereum")
	sends, sees := n.Sender, n.Watcher
	n.Sender = minedThenRejected{sends, func() {
		w.minesAndFollows("Ethereum", 1)
		n.Watcher = rejected{sees, func() { n.Watcher = sees }}
	}}
	w.broadcasts(p)
	n.Sender, n.Watcher = sends, sees
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("5", w.paidTo("Ethereum", destination))
}
