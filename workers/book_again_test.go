package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// usdtTo is a spend of USDT to one address, over transactions signed before.
func usdtTo(to, amount string, over ...[]byte) chains.Spend {
	return chains.Spend{Orders: []chains.Order{{To: to, Token: "USDT", Amount: dec(amount)}}, Over: over}
}

// foreign has somebody else with the key send an amount at a nonce, over our transaction there.
func (w *world) foreign(amount, to string, ours pay.SignedTransaction) (txid string) {
	n, _ := w.registry.Network("Ethereum")
	draft, err := n.Sender.Prepare(w.t.Context(), usdtTo(to, amount, ours.Raw))
	require.NoError(w.t, err)
	other, err := draft.Sign(chains.Slot{Number: uint64(ours.Nonce)})
	require.NoError(w.t, err)
	outcome, why := n.Sender.Broadcast(w.t.Context(), other.Raw)
	require.Equal(w.t, chains.Accepted, outcome, why)
	return other.Txid
}

// firstSigned is the first transaction signed for a payout.
func (w *world) firstSigned(p *pay.Payout) pay.SignedTransaction {
	signed, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	return signed[0]
}

// A payout completed by its own transaction is completed by another at the same nonce: the gas of the former was booked beside the
// other's.
func TestWhatWasFinalBeforeCostsNothing(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "7", elsewhere)
	w.work()
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.bookedInstead(p)
}

// The same, where the first to complete it was booked as well.
func TestWhatWasBookedBeforeCostsNothing(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	p, txid := w.booked("7", elsewhere)
	w.undoes(txid)
	w.work()
	w.mine("Ethereum", 8)
	require.NotEqual(t, txid, *w.payoutNow(p.ID).Txid)
	w.bookedInstead(p)
}

// paidInstead undoes the transaction that ended a payout, has a foreign one mined at its nonce, and returns the foreign one.
func (w *world) paidInstead(p *pay.Payout) string {
	w.t.Helper()
	ours := w.firstSigned(p)
	_, err := w.chain.Reorg(w.t.Context(), "Ethereum", 12, ours.Txid)
	require.NoError(w.t, err)
	other := w.foreign("7", elsewhere, ours)
	w.follow(w.t.Context())
	w.mineUnseen("Ethereum", 1)
	w.mine("Ethereum", 10)
	return other
}

// bookedInstead undoes the transaction that completed a payout of 7, has somebody else take its nonce with the same payment, and
// books this one.
func (w *world) bookedInstead(p *pay.Payout) {
	w.t.Helper()
	other := w.paidInstead(p)
	booked, err := w.by("ops").BookSpend(w.t.Context(), "Ethereum", other)
	require.NoError(w.t, err)
	require.Equal(w.t, pay.PayoutCompleted, booked.Status)
	require.Equal(w.t, other, *w.payoutNow(p.ID).Txid)
	w.mine("Ethereum", 3)
	w.reconciles()
}

// beforehand does something once, after its network has been asked for the second time where transactions stand.
type beforehand struct {
	chains.Watcher
	looks *int
	do    func()
}

func (m beforehand) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := m.Watcher.Status(ctx, txids)
	if *m.looks++; *m.looks == 2 {
		m.do()
	}
	return all, err
}

// A network undid a transaction just called final, while it was being booked: the payout was refunded, or completed, by nothing.
func TestWhatIsUndoneWhileItIsBookedIsNotBooked(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"7", "30"} {
		t.Run(amount, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum")
			p, txid := taken(w, amount, elsewhere)
			w.mine("Ethereum", 5)
			n, _ := w.registry.Network("Ethereum")
			watcher := n.Watcher
			n.Watcher = beforehand{watcher, new(int), func() {
				_, err := w.chain.Reorg(t.Context(), "Ethereum", 7, txid)
				require.NoError(t, err)
				n.Watcher = watcher
				w.follow(t.Context())
				w.follow(t.Context())
			}}
			_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
			require.ErrorContains(t, err, "Ethereum reorganised meanwhile: try again")
			require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
			w.work()
			for range 4 {
				w.later("1 hour")
				w.mine("Ethereum", 3)
			}
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			require.NotEqual(t, txid, *w.payoutNow(p.ID).Txid)
			w.reconciles()
			next := w.payout("Ethereum", "USDT", "1", destination)
			w.work()
			w.mine("Ethereum", 8)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(next.ID).Status)
		})
	}
}
