package workers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

const newContract = "0x00000000000000000000000000000000000c0de5"

// A process watching another contract than the catalogue names now would pass blocks with payments unseen, and pay the former token:
// it does neither until it is restarted, and the operator is told.
//
// Covers operator §Admin: Another contract
func TestAnotherContractWaitsForARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	var former string
	require.NoError(t, w.db.NewRaw("select contract from tokens where symbol = 'USDT' and network = 'Ethereum'").Scan(t.Context(), &former))
	n.Contracts = map[string]string{"USDT": former}
	p, o := w.payin("Ethereum", "USDT", "10"), w.payout("Ethereum", "USDT", "5", "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08")
	w.mine("Ethereum", 1)
	height := w.count("select max(height) from chain_blocks")
	queued := w.payout("Ethereum", "USDT", "5", "0x713b5b91dc828a57ea7d9097a2f6e0bf5c1fea08")

	w.exec("update tokens set contract = ? where symbol = 'USDT' and network = 'Ethereum'", newContract)
	w.exec("update revisions set version = version + 1 where name = 'catalogue'")
	w.pays("Ethereum", "USDT", p.Wallet, "10")
	w.mineUnseen("Ethereum", 4)
	for kind, ref := range map[tasks.Kind]uuid.UUID{tasks.FollowNetwork: tasks.RefOf("Ethereum"), tasks.BroadcastPayout: queued.ID} {
		j, err := w.store.TakeJob(t.Context(), string(kind), ref, tasks.Visibility, "")
		require.NoError(t, err)
		require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: kind, Ref: j.Ref, Attempt: j.Attempt}))
		var why string
		require.NoError(t, w.db.NewRaw("select coalesce(last_error, '') from jobs where kind = ? and ref = ?", kind, ref).Scan(t.Context(), &why))
		require.Contains(t, why, "restart every role")
	}
	require.Equal(t, height, w.count("select max(height) from chain_blocks"))
	require.Equal(t, pay.PayoutQueued, w.payoutNow(queued.ID).Status)
	h, err := (&admin.Admin{Store: w.store, Actor: "ops"}).Health(t.Context())
	require.NoError(t, err)
	require.Contains(t, h.Troubles()[0].What, "the contract of USDT on Ethereum was changed, and this process has the former one: restart every role")

	n.Contracts["USDT"] = newContract // as in a process started now
	w.mine("Ethereum", 12)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status, "it was paid meanwhile")
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(o.ID).Status)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(queued.ID).Status)
}

// The contract of a token is changed on a network once followed only while nobody can be shown the new one, and while nothing lies in
// the former one.
//
// Covers operator §Admin: Another contract
func TestTheContractOfATokenInUseStays(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	a := &admin.Admin{Store: w.store, Actor: "ops"}
	w.fund("Ethereum", "USDT", "100")
	set := func(symbol, network string, fields admin.Fields) error {
		_, err := a.SetToken(t.Context(), symbol, network, fields)
		return err
	}
	off, other := admin.Fields{"deposits": "off", "withdrawals": "off"}, admin.Fields{"contract": newContract}
	require.NoError(t, set("USDC", "Base", other), "it is not followed")
	require.ErrorContains(t, set("USDC", "Ethereum", other), "switch its deposits and withdrawals off there first")
	require.ErrorContains(t, set("USDC", "Ethereum", admin.Fields{"deposits": "off", "withdrawals": "off", "contract": newContract}),
		"off there first")
	require.NoError(t, set("USDC", "Ethereum", off))
	p := w.payin("Ethereum", "USDC", "1")
	require.ErrorContains(t, set("USDC", "Ethereum", other), "asks for it")
	w.exec("update payins set status = 'failed' where id = ?", p.ID)
	if w.count("select count(*) from postings p join accounts a on a.id = p.from_account where a.name = 'outside:Ethereum' and p.asset = 'USDC'") == 0 {
		require.NoError(t, set("USDC", "Ethereum", other))
	}
	require.NoError(t, set("USDT", "Ethereum", off))
	require.ErrorContains(t, set("USDT", "Ethereum", other), "what is ours lies in the contract")
}
