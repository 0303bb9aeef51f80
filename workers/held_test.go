package workers_test

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// differs returns the places of payouts without a hold, as reconciliation finds them.
func (w *world) differs() (where []string) {
	w.t.Helper()
	report, err := w.workers.Reconcile.Report(w.t.Context())
	require.NoError(w.t, err)
	for _, d := range report.Differences {
		if d.Check == "an open payout has its hold" {
			where = append(where, d.Where)
		}
	}
	slices.Sort(where)
	return where
}

// reseal seals a payout as it is now, as somebody with the key of seals could.
func (w *world) reseal(id uuid.UUID) {
	w.t.Helper()
	w.exec("update payouts set seal = ? where id = ?", seals.Make(w.payoutNow(id).Sealed()...), id)
}

// forge puts a payout and its job into the database as somebody with the right to write there would: no balance was debited for it.
func (w *world) forge(like *pay.Payout, status string) uuid.UUID {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7())
	const kept = `merchant_id, key_id, wallet, memo, token, asset, network, process_by, amount, debit, rate_fee, network_fee, pays_network_fee,
		fee_from_amount, percent_rate, fiat_currency, fiat_amount, price, customer_info, webhook_url`
	w.exec(`insert into payouts (id, reference_id, status, `+kept+`) select ?0, ?0::text, ?1, `+kept+` from payouts where id = ?2`, id, status, like.ID)
	w.reseal(id)
	w.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?, now())", id)
	return id
}

// A payout put into the database without a debit is not paid, and a person is told of it. To cancel it gives nobody money.
//
// Covers operator §Payouts that nobody asked for: The ledger must hold
// Covers operator §Payouts that nobody asked for: Reconciliation names
func TestAPayoutWithoutItsDebitIsNotPaid(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	asked := w.payout("Ethereum", "USDT", "10", destination)
	forged := w.forge(asked, "queued")
	w.work()
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(asked.ID).Status)
	require.Equal(t, pay.PayoutQueued, w.payoutNow(forged).Status)
	w.equal("10", w.paidTo("Ethereum", destination))
	require.Equal(t, []string{"payout " + forged.String()}, w.differs())
	w.exec("update payouts set created_at = now() - interval '11 minutes'")
	require.Len(t, w.needs("the ledger does not hold the debit of payout "+forged.String()), 1)

	before := w.balance("USDT").Available
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelPayout(t.Context(), forged.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(forged).Status)
	w.equal(before.String(), w.balance("USDT").Available)
}

// A payout already ended, or with other money than the ledger holds, is not paid when its row says that it is queued.
//
// Covers operator §Payouts that nobody asked for: The ledger must hold
func TestAPayoutIsPaidOnceAndAsItWasDebited(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"refunded before":      "update payouts set status = 'queued', cancelling = false where id = ?",
		"of a larger amount":   "update payouts set amount = amount + 5, debit = debit + 5 where id = ?",
		"of another merchant":  "update payouts set merchant_id = gen_random_uuid() where id = ?",
		"with another debit":   "update payouts set rate_fee = rate_fee + 1, debit = debit + 1 where id = ?",
		"of an asset they owe": "update payouts set asset = 'BTC' where id = ?",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			p := w.payout("Ethereum", "USDT", "10", destination)
			if name == "refunded before" {
				_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelPayout(t.Context(), p.ID.String())
				require.NoError(t, err)
				w.work()
				require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
				require.NoError(t, w.store.AddJob(t.Context(), "payout.broadcast", p.ID, 0))
			}
			w.exec(change, p.ID)
			w.reseal(p.ID)
			w.work()
			w.mine("Ethereum", 4)
			require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
			w.equal("0", w.paidTo("Ethereum", destination))
		})
	}
}

// A payout without its debit held by the ledger is not settled, whatever its network has; its neighbours are.
//
// Covers operator §Payouts that nobody asked for: The ledger must hold
func TestAPayoutWithoutItsDebitIsNotSettled(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	altered, other := w.payout("Ethereum", "USDT", "10", destination), w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(altered.ID).Status)
	w.exec("update payouts set rate_fee = 0, debit = debit - rate_fee where id = ?", altered.ID)
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayoutSent, w.payoutNow(altered.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(other.ID).Status)
	require.Equal(t, []string{"payout " + altered.ID.String()}, w.differs())
}

// A replacement is signed for the amount held by the ledger, too.
//
// Covers operator §Payouts that nobody asked for: The ledger must hold
func TestWhatReplacesATransactionIsHeld(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	_, p := w.stuckPayout()
	w.exec("update payouts set rate_fee = rate_fee + 1, debit = debit + 1 where id = ?", p.ID)
	w.reseal(p.ID)
	require.NoError(t, w.store.AddJob(t.Context(), "payout.broadcast", p.ID, 0))
	w.work()
	signed, err := w.store.SignedOf(t.Context(), p.ID)
	require.NoError(t, err)
	require.Len(t, signed, 1)
	job, err := w.store.Job(t.Context(), "payout.broadcast", p.ID)
	require.NoError(t, err)
	require.Contains(t, *job.LastError, "the ledger does not hold the debit")
}
