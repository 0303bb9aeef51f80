package workers_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// loses has a reorganisation undo the final deposit of a slot for good, after bytes that spend it were saved and before any were sent.
func (w *world) loses() {
	w.t.Helper()
	gone := w.coinOf("slot is not null and place > 0 and spent_by is null and deposit is not null")
	require.Len(w.t, gone, 1)
	_, err := w.chain.Reorg(w.t.Context(), "Bitcoin", 6, gone[0].ID[:64])
	require.NoError(w.t, err)
	w.faults("Bitcoin", "broadcast", "")
	w.later("1 minute")
	w.work()
}

// hourPasses lets a coin be in no block for an hour.
func (w *world) hourPasses() {
	w.t.Helper()
	w.exec("update coins set moved_at = now() - interval '1 hour' where height is null")
	w.later("1 minute")
	w.work()
}

// loseOthers is a node that answers to these bytes, and loses all others that it is sent.
type loseOthers struct {
	chains.Sender
	known []byte
}

func (l loseOthers) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if bytes.Equal(raw, l.known) {
		return l.Sender.Broadcast(ctx, raw)
	}
	return chains.Unknown, "the process died"
}

// A deposit that is gone for good holds up nothing signed with it: after an hour another transaction of the slot leaves it out, for all
// payouts of the batch. Bytes that were saved and are known to nobody are sent later. Each payout is paid once.
func TestABatchLeavesOutACoinThatIsGone(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("its bytes are lost: %v", lost), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Bitcoin")
			w.splitCoins()
			w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "50").Wallet, "50")
			w.mine("Bitcoin", 4)
			w.faults("Bitcoin", "broadcast", "timeout")
			two := []*pay.Payout{w.payout("Bitcoin", "BTC", "2", coinPayees[0]), w.payout("Bitcoin", "BTC", "3", coinPayees[1])}
			w.work()
			w.loses()
			signed, err := w.store.SignedOf(t.Context(), two[0].ID)
			require.NoError(t, err)
			require.Len(t, signed, 1, "it may still come back")
			require.Contains(t, w.troubled(two[0]), "which it spends, is in no block any more; after an hour another transaction leaves it out")
			n, _ := w.registry.Network("Bitcoin")
			if well := n.Sender; lost {
				n.Sender = loseOthers{well, signed[0].Raw}
				w.hourPasses()
				n.Sender = well
			}
			w.hourPasses()
			w.mine("Bitcoin", 5)
			signed, err = w.store.SignedOf(t.Context(), two[0].ID)
			require.NoError(t, err)
			require.Len(t, signed, 2)
			for _, p := range two {
				now := w.payoutNow(p.ID)
				require.Equal(t, pay.PayoutCompleted, now.Status)
				require.Equal(t, signed[1].Txid, *now.Txid)
			}
			w.equal("2", w.bitcoins(coinPayees[0]))
			w.equal("3", w.bitcoins(coinPayees[1]))
			w.leftOut()
		})
	}
}

// A move of coins leaves out a deposit that is gone for good as well.
func TestAMoveLeavesOutACoinThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Bitcoin")
	w.confirmedCold("Bitcoin")
	w.splitCoins()
	w.pays("Bitcoin", "BTC", w.payin("Bitcoin", "BTC", "50").Wallet, "50")
	w.mine("Bitcoin", 4)
	n, _ := w.registry.Network("Bitcoin")
	before := w.bitcoins(n.Cold)
	w.faults("Bitcoin", "broadcast", "timeout")
	w.begins(pay.MoveCold, "60")
	w.loses()
	require.Equal(t, pay.MoveSigned, w.oneOfKind(pay.MoveCold).Status)
	w.hourPasses()
	w.mine("Bitcoin", 5)
	m := w.oneOfKind(pay.MoveCold)
	require.Equal(t, pay.MoveDone, m.Status)
	w.equal("60", w.bitcoins(n.Cold).Sub(before))
	require.Equal(t, 2, w.count("select count(*) from signed_transactions where payout_id = ?", m.ID))
	w.leftOut()
}

// leftOut fails unless one coin is in no block, and none is leased to a slot that has ended.
func (w *world) leftOut() {
	w.t.Helper()
	require.Len(w.t, w.coinOf("height is null and spent_by is null and deposit is not null"), 1)
	w.nothingLeased()
}
