package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
)

// refundedByNothing is a payout refunded because the transaction at its nonce moves nothing; the network has undone this one.
func (w *world) refundedByNothing() (p *pay.Payout, txid string) {
	n, _ := w.registry.Network("Ethereum")
	p, txid = w.booked("0", n.HotAddress())
	require.Equal(w.t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.undoes(txid)
	return p, txid
}

// The cost of a booked transaction is given back once the network has undone it and mined a cancellation instead: the books had the
// fees of both.
func TestWhatABookedTransactionHasCostIsGivenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, _ := w.refundedByNothing()
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.nothingWaits(p, 2)
}

// The same, where the network mines somebody else's transaction instead, too, and it is booked in turn.
func TestWhatABookedTransactionHasCostIsGivenBackForAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, first := w.refundedByNothing()
	n, _ := w.registry.Network("Ethereum")
	last := w.foreign("1", n.HotAddress(), w.firstSigned(p))
	require.NotEqual(t, first, last)
	w.mineUnseen("Ethereum", 1)
	w.mine("Ethereum", 10)
	_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", last)
	require.NoError(t, err)
	w.nothingWaits(p, 2) // a cancellation sent too late as well
}
