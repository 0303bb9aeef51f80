package workers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The transaction that ended a payout, undone and waiting in the mempool, is signed again dearer once in the network's patience and
// not with each attempt, and a person is told.
//
// Covers addendum §7: A payout that has ended keeps
func TestWhatHadEndedAPayoutAndStaysInTheMempoolIsTold(t *testing.T) {
	t.Parallel()
	for name, cancels := range map[string]bool{"completed": false, "refunded": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			n, p := w.stuckPayout()
			n.BumpAfter = time.Hour
			if cancels {
				w.cancels(p)
				w.work()
			}
			w.mine("Ethereum", 6)
			n.BumpAfter = time.Minute
			ends := w.payoutNow(p.ID).Status
			signed := w.count("select count(*) from signed_transactions")
			var final string
			require.NoError(t, w.db.NewRaw("select txid from signed_transactions where state = 'final'").Scan(t.Context(), &final))
			_, err := w.chain.Reorg(t.Context(), "Ethereum", 8, final)
			require.NoError(t, err)
			w.work()
			require.Equal(t, signed, w.count("select count(*) from signed_transactions"))
			require.Empty(t, w.troubles())
			for more := range 6 {
				w.later("2 minutes")
				w.work()
				w.work()
				require.Equal(t, signed+more+1, w.count("select count(*) from signed_transactions"))
			}
			require.Contains(t, w.troubles(), "1 payout is signed and not taken by Ethereum, for 12 min: it had ended, its network has undone that, and no block takes it again.")
			w.mine("Ethereum", 6)
			require.Equal(t, ends, w.payoutNow(p.ID).Status)
			require.Empty(t, w.troubles())
			w.nothingWaits(p, signed+6)
		})
	}
}
