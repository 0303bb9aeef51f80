package workers_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/workers"
)

// tooDear is a network on which nothing can be replaced for the fee allowed by the operator.
type tooDear struct{ chains.Sender }

func (d tooDear) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Over) == 0 {
		return d.Sender.Prepare(ctx, spend)
	}
	return nil, fmt.Errorf("%w: gas costs 310 gwei, over the ceiling of 300", chains.ErrDown)
}

// lost is a payout cancelled after it was sent, or not; the network has lost its newest transaction, longer ago than its patience.
func (w *world) lost(stops bool) (p *pay.Payout, txid string) {
	w.t.Helper()
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	n.BumpAfter = time.Minute
	p = w.payout("Ethereum", "USDT", "50", destination)
	w.round()
	if stops {
		w.cancels(p)
		w.round()
	}
	signed, err := w.store.SignedOf(w.t.Context(), p.ID)
	require.NoError(w.t, err)
	txid = signed[len(signed)-1].Txid
	_, err = w.chain.Reorg(w.t.Context(), "Ethereum", 1, txid)
	require.NoError(w.t, err)
	w.exec("update signed_transactions set sent_at = now() - interval '2 minutes'")
	require.True(w.t, w.isLost(txid))
	return p, txid
}

func (w *world) isLost(txid string) bool {
	w.t.Helper()
	n, _ := w.registry.Network("Ethereum")
	status, err := n.Watcher.Status(w.t.Context(), []string{txid})
	require.NoError(w.t, err)
	return status[txid].State == chains.TxMissing
}

func (w *world) cancels(p *pay.Payout) {
	w.t.Helper()
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelPayout(w.t.Context(), p.ID.String())
	require.NoError(w.t, err)
}

// another returns workers of a process just begun, with nothing looked at yet.
func (w *world) another() *workers.Workers {
	before := w.workers
	return workers.New(workers.Options{Store: before.Store, Networks: before.Networks, Bell: before.Bell, Secrets: before.Deliver.Secrets, Seals: seals, Log: before.Log,
		Webhooks: before.Deliver.Webhooks})
}

// A transaction lost by the network is sent again as it was while it cannot be replaced: all later nonces of the hot wallet wait
// behind it.
func TestWhatIsLostAndCannotBeReplacedIsSentAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, why string
		cancelled bool
		ends      pay.PayoutStatus
	}{
		{"too dear", "over the ceiling of 300", false, pay.PayoutCompleted},
		{"too dear a cancellation", "over the ceiling of 300", true, pay.PayoutRefunded},
		{"its asset is stopped", "payouts of USDT are stopped", false, pay.PayoutCompleted},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			p, txid := w.lost(c.cancelled)
			n, _ := w.registry.Network("Ethereum")
			if c.name == "its asset is stopped" {
				w.exec("insert into stopped_assets (asset, reason) values ('USDT', 'a difference')")
				w.workers = w.another()
			} else {
				n.Sender = tooDear{n.Sender}
			}
			w.work()
			require.False(t, w.isLost(txid))
			require.Contains(t, w.troubled(p), c.why)
			w.mine("Ethereum", 6)
			require.Equal(t, c.ends, w.payoutNow(p.ID).Status)
			require.Zero(t, w.count("select count(*) from jobs where kind = 'payout.broadcast'"))
		})
	}
}

// A payment to be stopped by the operator is not sent again, also while its cancellation cannot be signed.
func TestALostPaymentThatIsToBeStoppedIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p, txid := w.lost(false)
	n, _ := w.registry.Network("Ethereum")
	well := n.Sender
	n.Sender = tooDear{well}
	w.cancels(p)
	w.work()
	require.True(t, w.isLost(txid))
	require.Contains(t, w.troubled(p), "over the ceiling of 300")
	n.Sender = well
	w.mine("Ethereum", 6)
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("0", w.paidTo("Ethereum", destination))
}
