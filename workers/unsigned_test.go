package workers_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
)

// needs returns the sentences on needs for a person that contain a text.
func (w *world) needs(text string) (out []admin.Trouble) {
	w.t.Helper()
	h, err := (&admin.Admin{Store: w.store}).Health(w.t.Context())
	require.NoError(w.t, err)
	for _, trouble := range h.Troubles() {
		if strings.Contains(trouble.What, text) {
			out = append(out, trouble)
		}
	}
	return out
}

// A hot wallet with too little is the operator's to fill: the payouts waiting for it are told of, together, after ten minutes.
//
// Covers addendum §7: An empty treasury
// Covers operator §Console: The list of what needs a person
func TestPayoutsThatCannotBeSignedNeedAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "5000000000")
	n, _ := w.registry.Network("Ethereum")
	held, err := n.Holder.Holdings(t.Context(), "USDT", []string{n.Hot}, 5)
	require.NoError(t, err)
	first := w.payout("Ethereum", "USDT", held[0].Add(dec("1")).String(), destination)
	second := w.payout("Ethereum", "USDT", held[0].Add(dec("2.5")).String(), destination)
	w.work()
	require.Empty(t, w.needs("cannot be signed"), "they were tried for a moment")
	w.exec("update payouts set created_at = now() - interval '11 minutes'")
	w.exec("update payouts set created_at = now() - interval '12 minutes' where id = ?", first.ID)
	told := w.needs("cannot be signed")
	hot, _ := w.registry.Network("Ethereum")
	require.Len(t, told, 1)
	require.Contains(t, told[0].What, "2 payouts on Ethereum cannot be signed, for 12 min: ")
	require.Contains(t, told[0].What, "from "+hot.HotAddress()+": the hot wallet holds too little", "where to fill it up")
	require.Equal(t, "payouts/"+first.ID.String(), told[0].Page)
	desk := &admin.Admin{Store: w.store, Actor: "ops"}
	for _, p := range []string{first.ID.String(), second.ID.String()} {
		_, err := desk.CancelPayout(t.Context(), p)
		require.NoError(t, err)
	}
	w.work()
	require.Empty(t, w.needs("cannot be signed"))
}

// Nobody looks at the list of approvals without being told of an entry. An approved payout had no chance to be signed before.
//
// Covers operator §Console: The list of what needs a person
func TestApprovalsThatWaitNeedAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	require.Empty(t, w.needs("for approval"))
	w.limit("USDT", "10")
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.exec("update payouts set created_at = now() - interval '3 days'")
	w.exec("update payout_approvals set asked_at = now() - interval '2 days'")
	told := w.needs("for approval")
	require.Len(t, told, 1)
	require.Equal(t, admin.Trouble{What: "1 payout waits for approval, the first for 2 days.", Do: "causeway admin payout waiting",
		Page: "approvals"}, told[0])
	n, _ := w.registry.Network("Ethereum")
	n.Sender = nil
	desk := &admin.Admin{Store: w.store, Actor: "ops"}
	_, err := desk.ApprovePayout(t.Context(), p.ID.String())
	require.NoError(t, err)
	w.work()
	require.Empty(t, w.needs("for approval"))
	require.Empty(t, w.needs("cannot be signed"), "it is approved for a moment")
	w.exec("update payout_approvals set decided_at = now() - interval '11 minutes'")
	require.Len(t, w.needs("no key to sign on Ethereum here"), 1)
}

// unsignable are two payouts asked for two hours ago, with the hot wallet of Ethereum too poor for them.
func (w *world) unsignable() {
	w.t.Helper()
	n, _ := w.registry.Network("Ethereum")
	held, err := n.Holder.Holdings(w.t.Context(), "USDT", []string{n.Hot}, 5)
	require.NoError(w.t, err)
	w.fund("Ethereum", "USDT", "5000000000")
	for range 2 {
		w.payout("Ethereum", "USDT", held[0].Add(dec("1")).String(), destination)
	}
	w.work()
	w.exec("update payouts set created_at = now() - interval '2 hours'")
	require.Len(w.t, w.needs("2 payouts on Ethereum cannot be signed, for 2 h 0 min"), 1)
}

// Payouts of a suspended merchant wait for a person and for nothing else; when it is suspended no more, they have ten minutes.
//
// Covers operator §Console: The list of what needs a person
func TestPayoutsCouldNotBeSignedWhileTheirMerchantIsSuspended(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.unsignable()
	a := &admin.Admin{Store: w.store, Actor: "ann"}
	suspend := func(yes bool) {
		t.Helper()
		_, err := a.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{Suspended: &yes})
		require.NoError(t, err)
	}
	suspend(true)
	require.Empty(t, w.needs("cannot be signed"), "nobody has approved them")
	require.Len(t, w.needs("2 payouts wait for approval, the first for 0 s"), 1)
	suspend(false)
	require.Empty(t, w.needs("for approval"))
	require.Empty(t, w.needs("cannot be signed"), "they could be for a moment")
	w.exec("update merchants set suspension_changed_at = now() - interval '11 minutes'")
	require.Len(t, w.needs("2 payouts on Ethereum cannot be signed, for 11 min"), 1)
}

// A stop is told once, and not with its payouts again.
//
// Covers operator §Console: The list of what needs a person
func TestAStopIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.unsignable()
	for stop, resume := range map[string]string{
		"insert into stopped_assets (asset, network, reason) values ('USDT', 'Ethereum', 'a look')":    "delete from stopped_assets",
		"insert into stopped_assets (asset, reason) values ('USDT', 'a look')":                         "delete from stopped_assets",
		"insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', 'hot', 1, 2)": "delete from stopped_wallets",
		"update followers set halted = true where network = 'Ethereum'":                                "update followers set halted = false where network = 'Ethereum'",
	} {
		w.exec(stop)
		require.Empty(t, w.needs("cannot be signed"), stop)
		w.exec(resume)
		require.Len(t, w.needs("cannot be signed"), 1, stop)
	}
	w.exec("insert into stopped_assets (asset, network, reason) values ('USDT', 'Tron', 'a look')")
	require.Len(t, w.needs("cannot be signed"), 1, "the stop of another network is no reason")
}
