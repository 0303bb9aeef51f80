package workers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers"
)

const elsewhere = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"

// A backup is restored while the networks moved on: payouts waiting in it were paid, others were made and paid after it. Nothing is
// signed until an operator has seen the chain's state, and nothing is paid twice afterwards.
//
// Covers operator §Admin: wallet resume lets
// Covers operator §Admin: causeway admin wallet resume
// Covers operator §Admin: causeway admin wallet assign
func TestRestoredBackupPaysNothingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	before := w.payout("Ethereum", "USDT", "5", destination)
	w.work()
	w.mine("Ethereum", 5)
	waiting, twin := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "20", elsewhere)
	backup := testkit.Copy(t)

	w.work()
	after := w.payout("Ethereum", "USDT", "30", elsewhere)
	w.work()
	w.mine("Ethereum", 5)
	paid := *w.payoutNow(waiting.ID).Txid

	r := w.restored(backup)
	r.work()
	r.work()
	require.Equal(t, pay.PayoutCompleted, r.payoutNow(before.ID).Status)
	r.unsigned(waiting, twin)
	r.folded()
	require.Contains(t, r.reported(), "the ledger equals what our addresses hold")

	report, err := r.workers.Reconcile.Report(t.Context())
	require.NoError(t, err)
	require.False(t, report.Clean())
	stopped, err := r.by("ops").Reports(t.Context())
	require.NoError(t, err)
	require.Len(t, stopped, 1)
	said := stopped[0]
	require.Equal(t, []int64{1, 4}, []int64{said.Ours, said.Chain})
	require.Equal(t, map[string]bool{waiting.ID.String(): true, twin.ID.String(): true, "": true}, explained(said))
	require.Zero(t, said.Unexplained)
	require.Equal(t, "causeway admin wallet resume Ethereum", said.HowToGoOn)

	_, err = r.by("ops").ResumeWallet(t.Context(), "Ethereum", 1, 0)
	require.ErrorContains(t, err, "0 nonces are not explained")
	r.unsigned(waiting, twin)
	_, err = r.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, r.payoutNow(waiting.ID).Status)
	require.Equal(t, paid, *r.payoutNow(waiting.ID).Txid)
	require.Equal(t, pay.PayoutCompleted, r.payoutNow(twin.ID).Status)
	r.folded()
	require.Empty(t, r.reported())
	_, err = r.store.ResumeAsset(t.Context(), "USDT", "")
	require.NoError(t, err)

	r.goesOnAfterRestore(after)
}

// goesOnAfterRestore makes a lost payout again, as its merchant does, and another one.
func (w *world) goesOnAfterRestore(lost *pay.Payout) {
	t := w.t
	again, other := w.payout("Ethereum", "USDT", "30", elsewhere), w.payout("Ethereum", "USDT", "7", destination)
	w.aged()
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(other.ID).Status)
	w.unsigned(again)
	unknown, err := w.store.LostSpends(t.Context())
	require.NoError(t, err)
	require.Len(t, unknown, 1)
	require.Equal(t, lost.Amount.String(), unknown[0].Amount.String())
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", unknown[0].Txid, &other.ID, dec("0"))
	require.Error(t, err)
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", unknown[0].Txid, &again.ID, dec("0"))
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(again.ID).Status)

	third := w.payout("Ethereum", "USDT", "30", elsewhere) // the same once more is a payout like any other
	w.aged()
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(third.ID).Status)
	w.equal("62", w.paidTo("Ethereum", destination)) // 5 and 50 before the loss, 7 after it
	w.equal("80", w.paidTo("Ethereum", elsewhere))   // 20 and 30 before the loss, 30 after it
}

// A payout by fiat, paid after the backup, is asked for again when its price has moved: it waits, and is completed by the former
// payment. The rest asked for beyond it is the treasury's.
//
// Covers operator §Admin: wallet resume lets
func TestALostPayoutOfAnotherAmountIsNotPaidAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "1000")
	backup := testkit.Copy(t)
	w.payout("Ethereum", "USDT", "30", elsewhere)
	w.work()
	w.mine("Ethereum", 5)

	r := w.restored(backup)
	r.work()
	r.work()
	_, err := r.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	r.folded()
	_, err = r.store.ResumeAsset(t.Context(), "USDT", "")
	require.NoError(t, err)
	again := r.payout("Ethereum", "USDT", "30.01", elsewhere)
	r.aged()
	r.work()
	r.unsigned(again)
	lost, err := r.store.LostSpends(t.Context())
	require.NoError(t, err)
	require.Len(t, lost, 1)
	for _, wrong := range []string{"0", "-0.01"} {
		_, err = r.by("ops").AssignSpend(t.Context(), "Ethereum", lost[0].Txid, &again.ID, dec(wrong))
		require.ErrorContains(t, err, "has paid 30 USDT, and the payout asks for 30.01: give --difference 0.01")
	}
	_, err = r.by("ops").AssignSpend(t.Context(), "Ethereum", lost[0].Txid, &again.ID, dec("0.01"))
	require.NoError(t, err)
	r.work()
	require.Equal(t, pay.PayoutCompleted, r.payoutNow(again.ID).Status)
	require.Equal(t, lost[0].Txid, *r.payoutNow(again.ID).Txid)
	r.mine("Ethereum", 5)
	r.equal("30", r.paidTo("Ethereum", elsewhere))
	r.folded()
	require.Empty(t, r.reported())
}

// Whoever was told an address after the backup may still pay to it: it becomes nobody else's.
func TestAddressesGivenOutAfterTheBackupAreNotGivenOutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.payout("Ethereum", "USDT", "5", destination)
	w.work()
	backup := testkit.Copy(t)
	lost := map[string]bool{}
	for range 3 {
		lost[w.payin("Ethereum", "USDT", "10").Wallet] = true
	}
	w.payout("Ethereum", "USDT", "5", elsewhere)
	w.work()
	w.mine("Ethereum", 5)

	r := w.restored(backup)
	r.work()
	for range 3 {
		require.NotContains(t, lost, r.payin("Ethereum", "USDT", "10").Wallet)
	}
	_, err := r.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	r.work()
}

func TestWalletOfAnotherSignerStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	first := w.payout("Ethereum", "USDT", "5", destination)
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(first.ID).Status)
	w.spends(1)
	p := w.payout("Ethereum", "USDT", "5", destination)
	log := logtest.NewLocal(w.workers.Log.(*logrus.Logger))
	w.only(t.Context(), tasks.CheckWallets) // it was looked at within the last minute: whatever comes first would sign
	w.work()
	w.unsigned(p)
	saidOnce(t, log.AllEntries(), "the chain's next nonce is 2, ours 1")
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.ErrorContains(t, err, "no final block has nonce 1")
	w.mine("Ethereum", 1)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.ErrorContains(t, err, "not final yet")
	w.mine("Ethereum", 5)
	w.unsigned(p)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	w.aged()
	w.work()
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	w.equal("10", w.paidTo("Ethereum", destination))
}

// saidOnce checks that a failure is logged where the work ends, and not on its way there too.
func saidOnce(t *testing.T, lines []*logrus.Entry, failure string) {
	t.Helper()
	said := 0
	for _, line := range lines {
		require.NotContains(t, line.Message, "the hot wallet is stopped")
		if err, ok := line.Data[logrus.ErrorKey].(error); ok && strings.Contains(err.Error(), failure) {
			said++
		}
	}
	require.Positive(t, said)
}

// unsigned checks that payouts wait with nothing signed for them.
func (w *world) unsigned(payouts ...*pay.Payout) {
	w.t.Helper()
	for _, p := range payouts {
		require.Equal(w.t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
		signed, err := w.store.SignedOf(context.Background(), p.ID)
		require.NoError(w.t, err)
		require.Empty(w.t, signed)
	}
}

// explained lists the payouts named by a report, "" for none.
func explained(r onchain.Report) map[string]bool {
	out := map[string]bool{}
	for _, u := range r.Unknown {
		if u.PayoutID == nil {
			out[""] = true
		} else {
			out[u.PayoutID.String()] = true
		}
	}
	return out
}

// restored is a world of the same networks with an older copy of the books. When the test ends, they equal the networks.
func (w *world) restored(backup *bun.DB) *world {
	w.t.Helper()
	r := w.restoredThatMayDiffer(backup)
	w.t.Cleanup(r.reconciles)
	return r
}

// restoredThatMayDiffer is restored for books not resumed by a person.
func (w *world) restoredThatMayDiffer(backup *bun.DB) *world {
	w.t.Helper()
	ctx := context.Background()
	for _, table := range []string{"sandbox_networks", "sandbox_forks", "sandbox_transactions", "sandbox_spent", "sandbox_holdings"} {
		var rows string
		require.NoError(w.t, w.db.NewRaw("select coalesce(jsonb_agg(t), '[]')::text from ? t", bun.Ident(table)).Scan(ctx, &rows))
		_, err := backup.NewRaw("truncate ? cascade", bun.Ident(table)).Exec(ctx)
		require.NoError(w.t, err)
		_, err = backup.NewRaw("insert into ?0 overriding system value select * from jsonb_populate_recordset(null::?0, ?1::jsonb)",
			bun.Ident(table), rows).Exec(ctx)
		require.NoError(w.t, err)
	}
	_, err := backup.NewRaw("select setval('sandbox_transactions_seq_seq', (select max(seq) from sandbox_transactions))").Exec(ctx)
	require.NoError(w.t, err)
	var networks []pay.Network
	for _, n := range w.registry.All() {
		networks = append(networks, n.Network)
	}
	registry, err := chains.NewRegistry(sandbox.OpenAll(backup, networks, sandbox.Options{Signs: true})...)
	require.NoError(w.t, err)
	s := store.New(backup)
	r := &world{t: w.t, db: backup, store: s, registry: registry, chain: sandbox.Operator{DB: backup}, merchant: w.merchant, receiver: w.receiver}
	r.workers = workers.New(workers.Options{Store: s, Networks: registry, Bell: silent{}, Secrets: w.workers.Deliver.Secrets, Seals: seals, Log: w.workers.Log,
		Webhooks: w.workers.Deliver.Webhooks})
	return r
}
