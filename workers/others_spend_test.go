package workers_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/ledger"
)

// othersTransaction is a node telling that a transaction is somebody else's, and has cost them 3.
type othersTransaction struct {
	chains.Watcher
	chains.Counter
	txid string
}

func (o othersTransaction) Origin(ctx context.Context, txid string) (chains.Origin, error) {
	if txid == o.txid {
		return chains.Origin{Txid: txid, From: elsewhere, Nonce: 7}, nil
	}
	return o.Counter.Origin(ctx, txid)
}

func (o othersTransaction) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := o.Watcher.Status(ctx, txids)
	if s, ok := all[o.txid]; ok {
		s.Fee = dec("3")
		all[o.txid] = s
	}
	return all, err
}

// takenByOthers has somebody else move 40 USDT out of the hot wallet of Ethereum, as by an allowance.
func (w *world) takenByOthers() (txid string) {
	w.t.Helper()
	n, _ := w.registry.Network("Ethereum")
	txid = "others-1"
	record, err := json.Marshal(map[string]any{"network": "Ethereum", "txid": txid, "sender": n.HotAddress(), "sender_match": n.Hot,
		"recipient": elsewhere, "recipient_match": n.Addresser.Match(elsewhere), "memo": "", "token": "USDT", "amount": "40", "fee": "0"})
	require.NoError(w.t, err)
	w.exec("select sandbox_submit(?::jsonb, false)", string(record))
	w.exec("update sandbox_holdings set amount = amount - 40 where network = 'Ethereum' and token = 'USDT' and address = ?", n.Hot)
	node := othersTransaction{n.Watcher, n.Counter, txid}
	n.Watcher, n.Counter = node, node
	return txid
}

func (w *world) ofNobody(txid string) (*store.UnknownSpend, error) {
	return w.by("ops").AssignSpend(context.Background(), "Ethereum", txid, nil, decimal.Zero)
}

// Money moved out of the hot wallet by somebody else, at no nonce of it, is booked by an operator, without its fee.
//
// Covers operator §Admin: wallet resume lets
func TestASpendBySomebodyElseIsDecided(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	txid := w.takenByOthers()
	w.mine("Ethereum", 1)
	_, err := w.ofNobody(txid)
	require.ErrorContains(t, err, "not final yet")
	w.mine("Ethereum", 5)
	w.reconcile()
	require.NotEmpty(t, w.reported())
	_, err = w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
	require.ErrorContains(t, err, "no transaction "+txid+" of the hot wallet")
	u, err := w.ofNobody(txid)
	require.NoError(t, err)
	require.Equal(t, store.SpendIgnored, *u.Decision)
	require.Equal(t, 1, w.count("select count(*) from audit where action = 'wallet.assign'"))
	w.reconcile()
	require.Empty(t, w.reported())
	_, err = w.ofNobody(txid)
	require.ErrorContains(t, err, "no open spend")
}

// Money moved out of the hot wallet by somebody else may have paid a payout: the payout is completed by it, and nothing is paid
// twice.
//
// Covers operator §Admin: wallet resume lets
func TestASpendBySomebodyElseHasPaidAPayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	txid := w.takenByOthers()
	w.mine("Ethereum", 1)
	p, another := w.payout("Ethereum", "USDT", "41", elsewhere), w.payout("Ethereum", "USDT", "40", destination)
	assign := func(p *pay.Payout, difference string) error {
		_, err := w.by("ops").AssignSpend(t.Context(), "Ethereum", txid, &p.ID, dec(difference))
		return err
	}
	require.ErrorContains(t, assign(p, "1"), "not final yet")
	w.mine("Ethereum", 5)
	w.unsigned(p)
	require.ErrorContains(t, assign(another, "0"), "it was signed already")
	require.ErrorContains(t, assign(p, "0"), "give --difference 1")
	require.NoError(t, assign(p, "1"))
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
	require.Equal(t, txid, *w.payoutNow(p.ID).Txid)
	require.ErrorContains(t, assign(p, "1"), "it was signed already")
	w.aged()
	w.mine("Ethereum", 2)
	require.Equal(t, 1, w.count("select count(*) from signed_transactions")) // of the other payout
	w.folded()
	require.Empty(t, w.reported())
}

// A transaction mined again after a reorganisation may move something else than before, and its last movement counts.
func TestASpendThatIsMinedAgainOtherwiseIsWhatItIsNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	txid := w.takenByOthers()
	w.mine("Ethereum", 1)
	before, err := w.store.SpendsOf(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	w.exec("update unknown_spends set amount = 7, recipient = 'somebody else'")
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 1)
	require.NoError(t, err)
	w.mine("Ethereum", 6)
	now, err := w.store.SpendsOf(t.Context(), "Ethereum", txid)
	require.NoError(t, err)
	require.True(t, now[0].Open())
	require.Equal(t, before[0].Recipient, now[0].Recipient)
	w.equal("40", now[0].Amount)
	_, err = w.ofNobody(txid)
	require.NoError(t, err)
}

// Resuming a wallet for another reason books movements by somebody else as well, and pays no fee for them.
func TestAResumedWalletPaysNoFeeOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.takenByOthers()
	w.spends(0)
	w.mine("Ethereum", 6)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, 1, w.count("select count(*) from entries where kind = 'gas_spent'"))
}

// A transaction of the hot wallet is left to the command ending its stop, and decided where it stopped nothing: another had its nonce
// before, and was undone.
func TestAnOwnSpendIsDecidedWhereNothingElseDecides(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	p, by := w.stopsForSpends()
	_, err := w.ofNobody(by)
	require.ErrorContains(t, err, "has the nonce of payout "+p.ID.String()+": wallet book decides on both")
	var other string
	require.NoError(t, w.db.NewRaw("select txid from unknown_spends where txid <> ?", by).Scan(t.Context(), &other))
	_, err = w.ofNobody(other)
	require.ErrorContains(t, err, "has nonce 1, which our books have not given out: that stops the wallet, and wallet resume books it")
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)

	_, err = w.chain.Reorg(t.Context(), "Ethereum", 8, other)
	require.NoError(t, err)
	n, _ := w.registry.Network("Ethereum")
	draft, err := n.Sender.Prepare(t.Context(), usdtTo(elsewhere, "4"))
	require.NoError(t, err)
	again, err := draft.Sign(chains.Slot{Number: 1})
	require.NoError(t, err)
	outcome, why := n.Sender.Broadcast(t.Context(), again.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	w.mine("Ethereum", 8)
	gas := w.count("select count(*) from entries where kind = 'gas_spent'")
	waiting := w.payout("Ethereum", "USDT", "4", elsewhere)
	_, err = w.by("ops").AssignSpend(t.Context(), "Ethereum", again.Txid, &waiting.ID, decimal.Zero)
	require.NoError(t, err)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(waiting.ID).Status)
	require.Equal(t, gas+1, w.count("select count(*) from entries where kind = 'gas_spent'"))
	require.Zero(t, w.count("select count(*) from unknown_spends where decision is null"))
}

// dearer is a node telling a cost of 3 more for a transaction than when it was asked before.
type dearer struct {
	chains.Watcher
	txid string
}

func (d dearer) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := d.Watcher.Status(ctx, txids)
	if s, ok := all[d.txid]; ok {
		s.Fee = s.Fee.Add(dec("3"))
		all[d.txid] = s
	}
	return all, err
}

// A transaction has spent twice: each spend is decided on apart, and its fee is booked once: as it was at the first decision,
// whatever the network says later.
func TestTheFeeOfTwoSpendsIsBookedOnce(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	_, by := w.stopsForSpends()
	var other string
	require.NoError(t, w.db.NewRaw("select txid from unknown_spends where txid <> ?", by).Scan(t.Context(), &other))
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	fees := w.count("select count(*) from entries where kind = 'gas_spent'")
	w.exec(`insert into unknown_spends (network, txid, token, position, recipient, amount, height)
		select network, txid, token, unnest(array[1, 2]), recipient, amount, height from unknown_spends where txid = ?`, other)
	n, _ := w.registry.Network("Ethereum")
	n.Watcher = dearer{n.Watcher, other}
	for range 2 {
		_, err = w.ofNobody(other)
		require.NoError(t, err)
	}
	require.Zero(t, w.count("select count(*) from unknown_spends where decision is null"))
	require.Equal(t, fees, w.count("select count(*) from entries where kind = 'gas_spent'"))
	_, err = w.ofNobody(other)
	require.NoError(t, err, "the one that the resume had booked")
}

// The same, when a wallet is resumed for the second of them.
func TestAResumedWalletBooksAFeeOnce(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	_, by := w.stopsForSpends()
	n, _ := w.registry.Network("Ethereum")
	_, err := ledger.Post(t.Context(), w.db, ledger.GasSpent("Ethereum", n.Coin, by, 0, dec("3")))
	require.NoError(t, err)
	_, err = w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	require.Equal(t, 2, w.count("select count(*) from entries where kind = 'gas_spent'"))
}

// A node without the transaction proves nothing.
func TestASpendThatTheNodeDoesNotKnowIsNotDecided(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	txid := w.takenByOthers()
	w.mine("Ethereum", 6)
	n, _ := w.registry.Network("Ethereum")
	n.Counter = forgetful{n.Counter}
	_, err := w.ofNobody(txid)
	require.ErrorContains(t, err, "Ethereum knows no transaction "+txid)
}

// forgetful is a node without any transaction.
type forgetful struct{ chains.Counter }

func (forgetful) Origin(context.Context, string) (chains.Origin, error) { return chains.Origin{}, nil }
