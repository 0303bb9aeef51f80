package workers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// second is a withdrawal of ann that waits for a second person, beside bob, who may be that.
func (w *world) second(amount string) (p *pay.Payout, form uuid.UUID) {
	w.t.Helper()
	p, form = w.payout("Ethereum", "USDT", amount, destination), uuid.New()
	require.NoError(w.t, w.store.AskSecond(w.t.Context(), form, "ann@example.com", "worth more than 10 USD", []*pay.Payout{p}))
	for _, email := range []string{"ann@example.com", "bob@example.com"} {
		w.exec("insert into people (id, email, name, password) values (?0, ?1, ?1, '') on conflict do nothing", uuid.New(), email)
		w.exec("insert into members (merchant_id, person_id, role) select ?, id, 'finance' from people where email = ? on conflict do nothing", w.merchant, email)
	}
	return p, form
}

// A withdrawal is signed once a second person has confirmed it: not by time, not by an operator's approval, and not beside others that
// are signed. The limits of an operator hold it all the same.
func TestAWithdrawalWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "person:bob@example.com"}
	w.fund("Ethereum", "USDT", "300")
	p, form := w.second("50")
	other := w.payout("Ethereum", "USDT", "20", destination)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(other.ID).Status)
	_, err := a.RetryPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	_, err = a.ApprovePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	job, err := w.store.Job(t.Context(), "payout.broadcast", p.ID)
	require.NoError(t, err)
	require.Equal(t, "waits for a second person of its merchant", *job.LastError)

	roles := []string{"finance"}
	w.exec("delete from payout_approvals")
	w.limit("USDT", "40")
	require.NoError(t, a.ConfirmWithdrawals(t.Context(), w.merchant, form, "bob@example.com", roles, []uuid.UUID{p.ID}))
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	waiting, err := a.Waiting(t.Context())
	require.NoError(t, err)
	require.Len(t, waiting, 1, "the operator's limit holds it as well")
	_, err = a.ApprovePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.exec("update panel_seconds set seal = 'another'")
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status, "a confirmation of another seal counts for nothing")
	w.exec("update panel_seconds set seal = ?", p.Seal)
	_, err = a.RetryPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
}

// The second person is another one, with a role, and so is the first. All that was shown is confirmed, or nothing.
func TestWhoConfirmsAWithdrawal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "person:bob@example.com"}
	w.fund("Ethereum", "USDT", "300")
	p, form := w.second("50")
	roles, shown := []string{"finance"}, []uuid.UUID{p.ID}
	refused := func(merchant, form uuid.UUID, email string, roles []string, shown []uuid.UUID) {
		t.Helper()
		require.ErrorAs(t, a.ConfirmWithdrawals(t.Context(), merchant, form, email, roles, shown), new(admin.Refusal))
		require.Zero(t, w.count("select count(*) from panel_seconds where confirmed_at is not null"))
	}
	refused(w.merchant, form, "ann@example.com", roles, shown)
	refused(w.merchant, form, "eve@example.com", roles, shown)
	refused(w.merchant, form, "bob@example.com", []string{"owner"}, shown)
	refused(w.merchant, uuid.New(), "bob@example.com", roles, shown)
	refused(uuid.New(), form, "bob@example.com", roles, shown)
	refused(w.merchant, form, "bob@example.com", roles, append(shown, uuid.New()))
	for _, email := range []string{"ann@example.com", "bob@example.com"} {
		w.exec("update members set role = 'viewer' where person_id = (select id from people where email = ?)", email)
		refused(w.merchant, form, "bob@example.com", roles, shown)
		w.exec("update members set role = 'finance'")
	}
	w.exec("update payouts set cancelling = true")
	refused(w.merchant, form, "bob@example.com", roles, shown)
	w.exec("update payouts set cancelling = false")
	require.NoError(t, a.ConfirmWithdrawals(t.Context(), w.merchant, form, "bob@example.com", roles, shown))
	require.ErrorAs(t, a.ConfirmWithdrawals(t.Context(), w.merchant, form, "bob@example.com", roles, shown), new(admin.Refusal))
}

// A withdrawal that nobody has confirmed for seven days is cancelled, and its debit comes back.
func TestAWithdrawalWaitsSevenDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "person:bob@example.com"}
	w.fund("Ethereum", "USDT", "300")
	p, form := w.second("50")
	w.work()
	w.exec("update panel_seconds set asked_at = now() - interval '7 days'")
	require.ErrorAs(t, a.ConfirmWithdrawals(t.Context(), w.merchant, form, "bob@example.com", []string{"finance"}, []uuid.UUID{p.ID}), new(admin.Refusal))
	_, err := a.RetryPayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	require.Equal(t, pay.PayoutRefunded, w.payoutNow(p.ID).Status)
	w.equal("300", w.balance("USDT").Available)
}

// A group that is signed with a withdrawal that began to wait a moment ago is signed without it.
func TestASecondPersonIsAskedForByTheSignature(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "300")
	w.payout("Ethereum", "USDT", "1", destination)
	w.work() // this process knows no merchant that waits, for a second
	p, _ := w.second("50")
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
}
