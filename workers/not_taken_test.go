package workers_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// An answering node is well, though it does not take one payout for a reason of this payout's own: others are not held back.
func TestAPayoutThatIsNotTakenDoesNotMakeItsNodeAiling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	stuck, txid := taken(w, "30", destination)
	w.mine("Ethereum", 1)
	require.Contains(t, w.troubled(stuck), "another transaction has this nonce")
	require.False(t, w.workers.Payouts.Ailing("Ethereum"))
	w.faults("Ethereum", "broadcast", "timeout")
	w.work()
	require.Contains(t, w.troubled(stuck), "it is unknown whether Ethereum has")
	require.True(t, w.workers.Payouts.Ailing("Ethereum"))
	w.faults("Ethereum", "broadcast", "")
	w.mine("Ethereum", 5)
	_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
}

// minimum is a network whose nodes take nothing for a fee below their present minimum, as Arbitrum's sequencer, or geth's pool where
// the least tip was raised, do.
type minimum struct {
	chains.Sender
	fee decimal.Decimal
}

func (m *minimum) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	var tx struct{ Fee decimal.Decimal }
	if err := json.Unmarshal(raw, &tx); err == nil && tx.Fee.LessThan(m.fee) {
		return chains.Underpriced, "max fee per gas less than block base fee"
	}
	return m.Sender.Broadcast(ctx, raw)
}

// later lets time pass for signed transactions.
func (w *world) later(by string) {
	w.t.Helper()
	w.exec("update signed_transactions set signed_at = signed_at - ?0::interval, sent_at = sent_at - ?0::interval", by)
}

// A transaction signed for a fee not taken by the network any more is replaced, as one taken and not mined is: all later nonces wait
// behind it.
func TestWhatIsNotTakenForItsFeeIsReplaced(t *testing.T) {
	t.Parallel()
	for _, again := range []bool{false, true} { // the first transaction, or its replacement
		t.Run(map[bool]string{false: "the first", true: "a replacement"}[again], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n, _ := w.registry.Network("Ethereum")
			n.BumpAfter = time.Minute
			m := &minimum{n.Sender, dec("0.0002")}
			p := w.payout("Ethereum", "USDT", "50", destination)
			if again {
				m.fee = dec("0.0003")
				w.round()
				_, err := w.chain.Reorg(t.Context(), "Ethereum", 1, *w.payoutNow(p.ID).Txid)
				require.NoError(t, err)
				w.exec("update signed_transactions set sent_at = now() - interval '2 minutes'")
			}
			n.Sender = m
			for range 3 {
				w.work()
				w.later("1 hour")
			}
			w.mine("Ethereum", 6)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			w.equal("50", w.paidTo("Ethereum", destination))
		})
	}
}

// answers is a node with the same answer to everything it is sent.
type answers struct {
	chains.Sender
	outcome chains.Outcome
	reason  string
}

func (a answers) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return a.outcome, a.reason
}

// A transaction not taken for another reason than its fee is not signed dearer and dearer: it is sent again as it is, and a person is
// told.
func TestWhatIsNotTakenForAnotherReasonIsNotReplaced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer answers
		told   string
	}{
		{answers{outcome: chains.NotTaken, reason: "insufficient funds for gas"}, "insufficient funds for gas"},
		{answers{outcome: chains.SlotTaken, reason: "nonce too low"},
			"it knows none of our transactions at nonce 0: find the transaction that has this nonce on an explorer and, once it is final, run causeway admin wallet book "},
	} {
		t.Run(c.answer.reason, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n, _ := w.registry.Network("Ethereum")
			n.BumpAfter = time.Minute
			well := n.Sender
			n.Sender = answers{well, c.answer.outcome, c.answer.reason}
			p := w.payout("Ethereum", "USDT", "50", destination)
			for range 4 {
				w.work()
				w.later("1 hour")
			}
			require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
			require.Contains(t, w.troubled(p), c.told)
			require.Contains(t, w.troubles(), "1 payout is signed and not taken by Ethereum")
			require.Contains(t, w.troubles(), c.told)
			require.False(t, w.workers.Payouts.Ailing("Ethereum"))
			n.Sender = well
			w.mine("Ethereum", 6)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
			require.Empty(t, w.troubles())
		})
	}
}

// Bytes not taken because their nonce is used have its user looked up: another transaction of ours, decided by following, or the
// bytes themselves, known to a node after all.
func TestWhatHasTakenANonceIsLookedUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ has, told string }{{"another", "has its nonce: the follower ends the payout"}, {"these", ""}} {
		t.Run(c.has, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			n, p := w.stuckPayout()
			well := n.Sender
			if c.has == "another" {
				n.Sender = answers{well, chains.SlotTaken, "nonce too low"}
				w.broadcast(p.ID) // signed again, while the network has the first
				require.Contains(t, w.troubled(p), c.told)
			} else {
				w.exec("update signed_transactions set state = 'signed', sent_at = null") // the answer was lost
				w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now())", p.ID)
				n.Sender = answers{well, chains.SlotTaken, "nonce too low"}
				w.broadcast(p.ID)
				require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
				require.Equal(t, 1, w.count("select count(*) from signed_transactions where state = 'sent'"))
			}
			n.Sender = well
			w.mine("Ethereum", 6)
			require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
			w.equal("50", w.paidTo("Ethereum", destination))
		})
	}
}

// A transaction unsent for as long as the node was away goes as it was signed once it is back.
func TestWhatIsSentLateIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	n.BumpAfter = time.Minute
	w.faults("Ethereum", "broadcast", "timeout")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.later("1 hour")
	w.work()
	require.Contains(t, w.troubled(p), "it is unknown whether Ethereum has")
	w.faults("Ethereum", "broadcast", "")
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
	require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A replacement not taken by the network, since the transaction to be replaced is in a block, is replaced by nothing.
func TestWhatLosesItsNonceToAMinedOneIsNotReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	n.Sender = &minimum{n.Sender, dec("1")}
	w.broadcast(p.ID)
	w.mine("Ethereum", 1)
	w.later("1 hour")
	w.work()
	require.Contains(t, w.troubled(p), "does not take")
	require.Equal(t, 2, w.count("select count(*) from signed_transactions"))
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("50", w.paidTo("Ethereum", destination))
	require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
}

// A transaction not taken since another of its nonce is in a block is nobody's trouble, until the other is final and after.
func TestWhatIsInABlockIsNotShownAsUntaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, p := w.stuckPayout()
	n.Sender = takesNothing{n.Sender}
	w.broadcast(p.ID)
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 2)
	w.mineUnseen("Ethereum", 1)
	w.later("15 minutes")
	for range 7 {
		w.mineUnseen("Ethereum", 1)
		w.tryToFollow()
		w.tryToFollow()
	}
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'payout.broadcast' and failures > 0"))
	require.Empty(t, w.troubles())
}

// forgotten is a network whose nodes lose the first bytes that they are sent, and then say that their time is over, as a wallet of TON does.
type forgotten struct {
	chains.Sender
	first []byte
}

func (f *forgotten) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	switch {
	case f.first == nil:
		f.first = raw
		return chains.NotTaken, "its turn comes later"
	case string(f.first) == string(raw):
		return chains.Expired, "its time is over"
	}
	return f.Sender.Broadcast(ctx, raw)
}

// Where a number excludes, a transaction whose time is over is signed again for its number: no death has to be proven.
func TestWhatIsOverIsSignedAgainForItsNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n.Sender, n.BumpAfter = &forgotten{Sender: n.Sender}, 0
	p := w.payout("Ethereum", "USDT", "30", destination)
	for range 2 {
		w.work()
		w.later("1 hour")
	}
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Equal(t, 2, w.count("select count(*) from signed_transactions where payout_id = ?", p.ID))
	require.Equal(t, 1, w.count("select count(distinct nonce) from signed_transactions where payout_id = ?", p.ID))
}
