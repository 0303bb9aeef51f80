package workers_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
)

const thief = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb"

// checks are the broken rules.
func checks(found []store.Difference) (names []string) {
	for _, d := range found {
		names = append(names, d.Check)
	}
	return names
}

// A payout changed in the database while it waits is not paid, whatever its recipient would get: its network's wallet stops, and a
// person is told.
//
// Covers operator §Payouts that nobody asked for: Each payout is sealed
// Covers operator §Payouts that nobody asked for: A broken seal stops
func TestAChangedPayoutStopsItsNetwork(t *testing.T) {
	t.Parallel()
	for column, change := range map[string]string{
		"wallet": "'" + thief + "'", "memo": "'7'", "network": "'Tron'", "token": "'ETH'", "seal": "''",
		"merchant_id": "gen_random_uuid()", "amount": "amount + 5, debit = debit + 5", "rate_fee": "rate_fee + 1, debit = debit + 1",
	} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			w := newWorldThatMayDiffer(t, "Ethereum", "Tron")
			w.fund("Ethereum", "USDT", "100")
			w.limit("USDT", "20")
			p := w.payout("Ethereum", "USDT", "50", destination)
			w.work()
			require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
			w.exec("update payouts set "+column+" = "+change+" where id = ?", p.ID)
			_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).ApprovePayout(t.Context(), p.ID.String())
			require.NoError(t, err)
			w.work()
			w.mine("Ethereum", 4)
			require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
			require.Equal(t, 0, w.count("select count(*) from signed_transactions"))
			require.Len(t, w.needs("payout "+p.ID.String()+" is not what was asked for, its seal is broken"), 1)
			require.Equal(t, 1, w.count("select count(*) from stopped_wallets where broken_seal = ?", p.ID))
			require.Equal(t, 1, w.count("select count(*) from audit where action = 'wallet.stop'"))
			report, err := w.workers.Reconcile.Report(t.Context())
			require.NoError(t, err)
			require.Contains(t, checks(report.Differences), "an open payout is as it was sealed")
		})
	}
}

// The signer compares the seals of all open payouts each minute, also of those waiting for an approval.
//
// Covers operator §Payouts that nobody asked for: The signer compares
func TestSealsAreComparedWithoutASignature(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.limit("USDT", "20")
	waits, goes := w.payout("Ethereum", "USDT", "50", destination), w.payout("Ethereum", "USDT", "10", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(goes.ID).Status)
	require.Empty(t, w.needs("its seal is broken"))
	w.exec("update payouts set wallet = ? where id = ?", thief, waits.ID)
	w.exec("delete from jobs where ref = ?", waits.ID)
	w.work()
	told := w.needs("payout " + waits.ID.String() + " is not what was asked for, its seal is broken")
	require.Len(t, told, 1)
	require.Equal(t, "payouts/"+waits.ID.String(), told[0].Page)

	next := w.payout("Ethereum", "USDT", "10", destination)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(next.ID).Status, "nothing is signed there")
	w.exec("update payouts set wallet = ? where id = ?", destination, waits.ID)
	report, err := w.by("ann").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Contains(t, report.HowToGoOn, waits.ID.String())
	w.exec("update jobs set run_at = now()")
	w.aged()
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(next.ID).Status)
	w.mine("Ethereum", 4)
	require.Empty(t, w.needs("its seal is broken"))
}

// A replacement pays as it was sealed, too.
//
// Covers operator §Payouts that nobody asked for: Each payout is sealed
func TestWhatReplacesATransactionIsSealed(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	_, p := w.stuckPayout()
	w.exec("update payouts set wallet = ? where id = ?", thief, p.ID)
	require.NoError(t, w.store.AddJob(t.Context(), "payout.broadcast", p.ID, 0))
	w.round()
	require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
	require.Equal(t, 1, w.count("select count(*) from stopped_wallets where broken_seal = ?", p.ID))
}

// An approval is of the seal seen by the operator: if the payout has another one when it is signed, it waits again.
//
// Covers operator §Payouts that nobody asked for: An approval
func TestAnApprovalIsOfASeal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.limit("USDT", "20")
	desk := &admin.Admin{Store: w.store, Actor: "ann"}
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	n, _ := w.registry.Network("Ethereum")
	sender := n.Sender
	n.Sender = nil
	_, err := desk.ApproveSealed(t.Context(), p.ID.String(), []byte("another"))
	require.ErrorAs(t, err, new(admin.Refusal))
	_, err = desk.ApproveSealed(t.Context(), p.ID.String(), p.Seal)
	require.NoError(t, err)
	n.Sender = sender
	w.exec("update payout_approvals set seal = 'another'")
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Len(t, w.needs("1 payout waits for approval"), 1)
	_, err = desk.ApprovePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 4)
}

// A payout sealed under a key not given to the signer waits alone, and goes on once the key is given.
//
// Covers operator §Settings: SEAL_KEY
func TestAPayoutUnderAKeyThatIsMissingWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	p := w.payout("Ethereum", "USDT", "50", destination)
	fresh := bytes.Repeat([]byte{1}, vault.KeySize)
	w.workers.Guard.Seals = vault.NewSealer("payout", fresh)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Equal(t, 0, w.count("select count(*) from stopped_wallets"))
	job, err := w.store.Job(t.Context(), "payout.broadcast", p.ID)
	require.NoError(t, err)
	require.Contains(t, *job.LastError, "sealed under a key that SEAL_KEY does not name here")
	w.workers.Guard.Seals = nil
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status, "who has no key signs nothing")
	w.workers.Guard.Seals = vault.NewSealer("payout", fresh, make([]byte, vault.KeySize))
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
	w.mine("Ethereum", 4)
}
