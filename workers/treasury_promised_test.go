package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// What is signed for the cold address is promised before the network has it: a payout that asks for the same money waits, and is paid after
// a refill.
func TestAMoveToTheColdAddressIsPromised(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "10000")
	w.exec("update cold_addresses set confirmed_at = now(), confirmed_by = 'ann'")
	w.ruled("Ethereum", "USDT", func(r *store.TreasuryRule) {
		r.SweepMin, r.HotTarget, r.HotCeiling = dec("1000000"), dec("5000"), new(dec("6000"))
	})
	w.faults("Ethereum", "broadcast", "timeout")
	w.looked()
	require.Equal(t, []string{"cold signed"}, w.statuses())
	w.faults("Ethereum", "", "")
	w.exec("update jobs set run_at = now() + interval '1 hour' where kind = 'treasury.move'")
	p := w.payout("Ethereum", "USDT", "6000", elsewhere)
	w.broadcast(p.ID)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 6)
	require.Equal(t, []string{"cold done"}, w.statuses())
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	w.equal("5000", w.holds("Ethereum", "USDT", n.Hot))
	w.pays("Ethereum", "USDT", n.Addresser.Match(n.Hot), "1001")
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A move that would cost more than it may is not sent: nothing goes to the network before its bytes are saved.
func TestATooDearMoveIsNotSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	index := uint32(w.count("select position from addresses where payin_id = ?", p.ID))
	require.NoError(t, w.workers.Treasury.Begin(t.Context(), &pay.TreasuryMove{Network: "Ethereum", Kind: pay.MoveSweep, Token: "ETH",
		FromAddress: n.Addresser.Match(p.Wallet), ToAddress: n.Hot, Index: &index, Amount: dec("2"), MaxFee: new(dec("0.00001")), By: "ann"}))
	w.work()
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'treasury.move' and last_error like 'the fee is higher%'"))
	require.Zero(t, w.count("select count(*) from sandbox_transactions where sender_match = ?", n.Addresser.Match(p.Wallet)))
	require.Zero(t, w.count("select count(*) from signed_transactions"))
}

// A deposit in a block that may vanish is not swept, though its address is known to hold it.
func TestWhatIsNotFinalIsNotSwept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "100")
	w.ruled("Ethereum", "USDT")
	w.pays("Ethereum", "USDT", p.Wallet, "100")
	for range 3 {
		require.Empty(t, w.moves("Ethereum"))
		w.mine("Ethereum", 1)
		w.looked()
	}
	require.Empty(t, w.moves("Ethereum"))
	w.mine("Ethereum", 1)
	w.looked()
	require.Equal(t, pay.MoveSweep, w.moves("Ethereum")[0].Kind)
}
