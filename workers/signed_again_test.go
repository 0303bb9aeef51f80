package workers_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
	"causeway/migrations"
)

// requeued moves a sent payout back to queued, as a worker's rights allow.
func (w *world) requeued(p *pay.Payout) {
	w.t.Helper()
	require.Equal(w.t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	worker := testkit.DBAs(w.t, migrations.WorkerRole)
	_, err := worker.NewRaw("update payouts set status = 'queued' where id = ?", p.ID).Exec(w.t.Context())
	require.NoError(w.t, err)
	_, err = worker.NewRaw("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now()) on conflict do nothing", p.ID).Exec(w.t.Context())
	require.NoError(w.t, err)
	w.work()
}

// The signer finds the transaction signed for the payout before. Put back by hand, the payout is completed.
func TestASentPayoutIsNotSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "10", destination)
	w.work()
	w.requeued(p)
	require.Contains(t, w.troubled(p), "is queued, and a transaction was signed for it")
	w.exec("update payouts set status = 'sent' where id = ?", p.ID)
	w.mine("Ethereum", 4)
	w.equal("10", w.paidTo("Ethereum", destination))
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// A payout that may have been paid is not refunded, also if an operator cancels it.
func TestASentPayoutIsNotCancelledAsQueued(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "10", destination)
	w.work()
	before := w.balance("USDT")
	w.requeued(p)
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, before, w.balance("USDT"))
	require.Contains(t, w.troubled(p), "is queued, and a transaction was signed for it")
}

// An approval serves one payment.
func TestAnApprovedPayoutIsNotSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	_, err := a.SetPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USDT", Above: "5", Per: store.PerDay})
	require.NoError(t, err)
	p := w.payout("Ethereum", "USDT", "50", destination)
	_, err = a.ApprovePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	w.requeued(p)
	w.mine("Ethereum", 4)
	w.equal("50", w.paidTo("Ethereum", destination))
}

// A stop is committed while a signer waits for the nonces of the wallet: the signer sees it.
func TestAStopHoldsForASignerThatWaits(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]string{
		"asset":  "insert into stopped_assets (asset, network, reason) values ('USDT', '', 'x')",
		"wallet": "insert into stopped_wallets (network, address, ours, chain) select network, address, 0, 1 from signing_nonces",
		"halt":   "update followers set halted = true",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n, _ := w.registry.Network("Ethereum")
			first := w.payout("Ethereum", "USDT", "10", destination)
			w.work()
			require.Equal(t, pay.PayoutSent, w.payoutNow(first.ID).Status)
			p := w.payout("Ethereum", "USDT", "10", destination)
			ctx := t.Context()
			p = w.payoutNow(p.ID)
			other, err := w.db.BeginTx(ctx, &sql.TxOptions{})
			require.NoError(t, err)
			_, err = other.NewRaw("update signing_nonces set next = next + 1").Exec(ctx)
			require.NoError(t, err)
			got := make(chan store.TurnOutcome, 1)
			go func() {
				_ = w.store.InTx(ctx, func(tx *store.Store) error {
					turn, err := tx.BeginSigning(ctx, store.Signing{Network: "Ethereum", Address: n.Hot, Kind: store.SignsByNumber, Payouts: []*pay.Payout{p}, Slots: 1,
						Holds: [][]byte{ledger.PayoutHeld(p).Digest}, Places: []string{destination}})
					if err != nil {
						t.Error(err)
						got <- ""
						return err
					}
					got <- turn.Outcome
					return sql.ErrNoRows
				})
			}()
			testkit.Eventually(t, time.Minute, func() bool {
				return w.count("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'") > 0
			}, "the signer waits for the nonces")
			w.exec(stop) // committed
			require.NoError(t, other.Commit())
			require.Equal(t, store.TurnStopped, <-got)
		})
	}
}

// A payout with an approval of another seal counts against the limits.
func TestAnApprovalOfAnotherSealIsNoExemption(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "200")
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	_, err := a.SetPayoutLimit(t.Context(), w.merchant, admin.NewLimit{Unit: "USDT", Above: "25", Per: store.PerHour})
	require.NoError(t, err)
	var all []*pay.Payout
	for range 4 {
		p := w.payout("Ethereum", "USDT", "20", destination)
		w.exec("insert into payout_approvals (payout_id, why, decision, decided_by, decided_at, seal) values (?, 'x', 'approved', 'x', now(), 'other')", p.ID)
		all = append(all, p)
	}
	w.work()
	n := 0
	for _, p := range all {
		if w.payoutNow(p.ID).Status == pay.PayoutSent {
			n++
		}
	}
	require.LessOrEqual(t, n, 1)
}
