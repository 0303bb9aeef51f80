package workers_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
)

// onTron has a final deposit of a token on Tron, and a rule by which it is swept.
func (w *world) onTron(token, amount string) *pay.Payin {
	w.t.Helper()
	p := w.payin("Tron", token, amount)
	w.pays("Tron", token, p.Wallet, amount)
	w.mine("Tron", 4)
	w.ruled("Tron", token)
	return p
}

// unsentSweep is onTron with a signed sweep of 200 TRX that no node of the network has got.
func (w *world) unsentSweep() *pay.Payin {
	w.t.Helper()
	p := w.onTron("TRX", "200")
	w.faults("Tron", "broadcast", "timeout")
	w.looked()
	require.Equal(w.t, []string{"sweep signed"}, w.movesOn("Tron"))
	return p
}

// movesOn are the moves of a network with their states, the oldest first.
func (w *world) movesOn(network string) (out []string) {
	w.t.Helper()
	for _, m := range w.moves(network) {
		out = append(out, string(m.Kind)+" "+string(m.Status))
	}
	return out
}

// signedForMove are the states of the transactions signed for a move, oldest first. They share a slot.
func (w *world) signedForMove(m *pay.TreasuryMove) []pay.SignedState {
	w.t.Helper()
	return w.signedFor(&pay.Payout{ID: m.ID})
}

// A deposit of a token, of the coin, and what is above the ceiling move where time alone excludes, too. In each block the books agree
// with the network.
//
// Covers operator §Treasury: A network by expiry (Tron, Solana) signs a move again
func TestMovesByExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, _ := w.registry.Network("Tron")
	w.exec("update cold_addresses set confirmed_at = now(), confirmed_by = 'ann'")
	token, coin := w.onTron("USDT", "100"), w.onTron("TRX", "200")
	hot := w.holds("Tron", "USDT", n.Hot)
	w.ruled("Tron", "USDT", func(r *store.TreasuryRule) { r.HotTarget, r.HotCeiling = hot, &hot })
	w.looked()
	for range 20 {
		w.mine("Tron", 1)
		w.reconciles()
	}
	w.looked()
	for range 8 {
		w.mine("Tron", 1)
		w.reconciles()
	}
	require.ElementsMatch(t, []string{"sweep done", "topup done", "sweep done", "cold done"}, w.movesOn("Tron"))
	w.equal("0", w.holds("Tron", "USDT", token.Wallet))
	w.equal("0", w.holds("Tron", "TRX", token.Wallet))
	w.equal("0", w.holds("Tron", "TRX", coin.Wallet))
	w.equal("100", w.holds("Tron", "USDT", n.Cold))
	w.equal(hot.String(), w.holds("Tron", "USDT", n.Hot))
	w.equal("100", w.balance("USDT").Available)
	w.equal("200", w.balance("TRX").Available)
}

func TestAnExpiredSweepIsSignedAgainAfterItsDeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsentSweep()
	m := &w.moves("Tron")[0]
	w.mine("Tron", 12)
	require.Equal(t, []pay.SignedState{pay.TxSigned}, w.signedForMove(m)) // its time is not over
	w.mine("Tron", 12)
	w.faults("Tron", "broadcast", "")
	w.work()
	require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxSent}, w.signedForMove(m))
	w.mine("Tron", 5)
	require.Equal(t, []pay.SignedState{pay.TxExpired, pay.TxFinal}, w.signedForMove(m))
	require.Equal(t, []string{"sweep done"}, w.movesOn("Tron"))
	w.equal("0", w.holds("Tron", "TRX", p.Wallet))
	w.equal("0.0001", *w.moves("Tron")[0].Cost)
}

// A node's word is no proof that a sweep is dead: blocks have it, and name its deposit address.
func TestANodesWordIsNoDeathOfASweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, _ := w.registry.Network("Tron")
	p := w.onTron("TRX", "200")
	sender, watcher := n.Sender, n.Watcher
	w.faults("Tron", "broadcast", "timeout-after-send")
	w.looked()
	w.faults("Tron", "broadcast", "")
	n.Sender, n.Watcher = over{Sender: sender}, over{}
	w.mine("Tron", 30)
	m := w.moves("Tron")[0]
	require.Equal(t, []pay.SignedState{pay.TxMined}, w.signedForMove(&m))
	n.Sender, n.Watcher = sender, watcher
	w.mine("Tron", 1)
	require.Equal(t, []string{"sweep done"}, w.movesOn("Tron"))
	w.equal("0", w.holds("Tron", "TRX", p.Wallet))
	require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
}

// Nothing takes the slot of a sweep that an operator stops: it waits for its death, and has failed then.
//
// Covers operator §Treasury: A stopped move by expiry
func TestAStoppedSweepWaitsForItsDeath(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsentSweep()
	m := w.moves("Tron")[0]
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelMove(t.Context(), m.ID)
	require.NoError(t, err)
	w.faults("Tron", "broadcast", "")
	w.exec("delete from treasury_rules")
	w.work()
	require.Equal(t, []string{"sweep signed"}, w.movesOn("Tron"))
	require.Equal(t, []pay.SignedState{pay.TxSent}, w.signedForMove(&m)) // for its follower, without a job
	w.mine("Tron", 24)
	require.Equal(t, []string{"sweep failed"}, w.movesOn("Tron"))
	require.Equal(t, "cancelled by the operator", *w.moves("Tron")[0].Reason)
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedForMove(&m))
	w.equal("200", w.holds("Tron", "TRX", p.Wallet))
	w.reconciles()
}

// What the network does not carry out any more when its turn comes again has failed, and the rules plan another one.
func TestASweepThatCannotBeSignedAgainHasFailed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsentSweep()
	n, _ := w.registry.Network("Tron")
	sender := n.Sender
	n.Sender = unpayable{sender}
	w.exec("update treasury_rules set paused = true")
	w.minesQuietly("Tron", 24)
	require.Equal(t, "sweep failed", w.movesOn("Tron")[0])
	require.Contains(t, *w.moves("Tron")[0].Reason, "the token is paused")
	n.Sender = sender
	w.exec("update treasury_rules set paused = false")
	w.faults("Tron", "broadcast", "")
	w.looked()
	w.mine("Tron", 6)
	all := w.moves("Tron")
	require.Equal(t, pay.MoveDone, all[len(all)-1].Status)
	w.equal("0", w.holds("Tron", "TRX", p.Wallet))
}

// A reorganisation undoes a sweep that was done, and it dies. It has moved nothing and costs nothing then, and another one is planned. In
// each block the books agree with the network.
func TestASweepThatWasDoneDies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.onTron("TRX", "200")
	w.looked()
	w.mine("Tron", 5)
	require.Equal(t, []string{"sweep done"}, w.movesOn("Tron"))
	m := w.moves("Tron")[0]
	w.losesPayment(&pay.Payout{ID: m.ID})
	for range 26 {
		w.minesQuietly("Tron", 1)
		w.reconciles()
	}
	all := w.moves("Tron")
	require.Equal(t, pay.MoveFailed, all[0].Status)
	require.Contains(t, *all[0].Reason, "a reorganisation has undone it")
	require.Nil(t, all[0].Cost)
	w.faults("Tron", "broadcast", "")
	w.looked()
	for range 8 {
		w.mine("Tron", 1)
		w.reconciles()
	}
	all = w.moves("Tron")
	require.Equal(t, pay.MoveDone, all[len(all)-1].Status)
	w.equal("0.0001", *all[len(all)-1].Cost)
	w.equal("0", w.holds("Tron", "TRX", p.Wallet))
	w.equal("200", w.balance("TRX").Available)
}

// A reorganisation that undoes the blocks of a proof undoes the proof, also of a sweep.
func TestAnUndoneDeathOfASweepIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.unsentSweep()
	w.exec("update jobs set run_at = now() + interval '1 day' where kind = 'treasury.move'")
	w.mineUnseen("Tron", 24)
	w.follow(t.Context())
	m := w.moves("Tron")[0]
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedForMove(&m))
	seen := w.count("select height from signed_transactions where state = 'expired'")
	n, _ := w.registry.Network("Tron")
	head, err := n.Scanner.Head(t.Context(), -1)
	require.NoError(t, err)
	_, err = w.chain.Reorg(t.Context(), "Tron", int(head.Height)-seen+1)
	require.NoError(t, err)
	w.follow(t.Context())
	require.Equal(t, []pay.SignedState{pay.TxSent}, w.signedForMove(&m))
	w.faults("Tron", "broadcast", "")
	w.mine("Tron", 10)
	require.Equal(t, "sweep done", w.movesOn("Tron")[0])
	w.equal("0", w.holds("Tron", "TRX", p.Wallet))
}

// What is open for the treasury is promised when a payout is signed again.
func TestAMoveIsPromisedWhenAPayoutIsSignedAgain(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	n, _ := w.registry.Network("Tron")
	p := w.unsent()
	w.putOff()
	w.mineUnseen("Tron", 24)
	w.only(t.Context(), tasks.FollowNetwork)
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
	all := w.holds("Tron", "USDT", n.Hot)
	w.exec("update cold_addresses set confirmed_at = now(), confirmed_by = 'ann'")
	cold := &pay.TreasuryMove{Network: "Tron", Kind: pay.MoveCold, Token: "USDT", FromAddress: n.Hot, ToAddress: n.Cold, Amount: all.Sub(dec("20")), By: "ann"}
	require.NoError(t, w.workers.Treasury.Begin(t.Context(), cold))
	w.only(t.Context(), tasks.PlanTreasury)
	w.putOff()
	w.exec("update jobs set run_at = now() where kind = 'treasury.move'")
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.MoveTreasury)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.MoveTreasury, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	require.Equal(t, []string{"cold signed"}, w.movesOn("Tron")) // the node times out
	w.exec("update jobs set run_at = now() where kind = 'payout.broadcast'")
	due, err = w.store.TakeDue(t.Context(), []string{string(tasks.BroadcastPayout)}, 1, tasks.Visibility)
	require.NoError(t, err)
	require.NoError(t, w.workers.Do(t.Context(), tasks.Job{Kind: tasks.BroadcastPayout, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	require.Contains(t, w.troubled(p), chains.ErrShort.Error(), "50 and all but 20 are signed of the same money")
	require.Equal(t, []pay.SignedState{pay.TxExpired}, w.signedFor(p))
}

// An operator's own tool collects by hand. Blocks say that a deposit address has sent the transaction, so its fee is booked.
//
// Covers operator §Own addresses: The fee of a move by hand
func TestCollectingByHandByExpiryIsBooked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, _ := w.registry.Network("Tron")
	p := w.payin("Tron", "TRX", "2")
	w.pays("Tron", "TRX", p.Wallet, "2")
	w.exact("Tron", 4)
	txid := w.byHand("Tron", "TRX", p.Wallet, n.HotAddress(), "1")
	w.exact("Tron", 6)
	cost, times := w.gas("Tron", txid)
	w.equal(handFee, cost)
	require.Equal(t, 1, times)
	require.Zero(t, w.count("select count(*) from stopped_wallets"))
	require.Zero(t, w.count("select count(*) from foreign_spends"))
	w.ruled("Tron", "TRX", func(r *store.TreasuryRule) { r.SweepMin = dec("0.5") })
	w.looked()
	w.exact("Tron", 6)
	require.Equal(t, []string{"sweep done"}, w.movesOn("Tron"))
	require.NoError(t, w.store.OpenNonces(t.Context(), "Tron", n.Addresser.Match(p.Wallet), 0))
	w.exec("delete from treasury_rules")
	byTool := w.byHandOnce("Tron", p.Wallet, n.HotAddress())
	w.exact("Tron", 5)
	require.Zero(t, w.count("select count(*) from foreign_spends"), "a deposit address with slots has sent %s: no hot wallet stops", byTool)
}

// byHandOnce pays an address and lets an operator's tool move half of it on.
func (w *world) byHandOnce(network, from, to string) string {
	w.t.Helper()
	n, _ := w.registry.Network(network)
	w.pays(network, n.Coin, from, "2")
	w.exact(network, 4)
	w.exec("update sandbox_transactions set nonce = 99 where network = ? and until is null and nonce = 0", network)
	return w.byHand(network, n.Coin, from, to, "1")
}

// Books of before a sweep by expiry are put back. The sweep is a move by hand for these books, and the next deposit is swept.
func TestBooksOfBeforeASweepByExpiry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.onTron("TRX", "200")
	backup := testkit.Copy(t)
	w.looked()
	w.mine("Tron", 6)
	require.Equal(t, []string{"sweep done"}, w.movesOn("Tron"))
	r := w.restored(backup)
	r.work()
	for range 24 { // what was signed before may be in a block until then
		r.mine("Tron", 1)
		r.reconciles()
	}
	require.Empty(t, r.moves("Tron"), "nothing is there to be swept")
	require.Equal(t, 1, r.count("select count(*) from moves_by_hand where cost = 0.0001"))
	r.pays("Tron", "TRX", p.Wallet, "300")
	r.mine("Tron", 5)
	r.looked()
	for range 6 {
		r.mine("Tron", 1)
		r.reconciles()
	}
	require.Equal(t, []string{"sweep done"}, r.movesOn("Tron"))
	r.equal("0", r.holds("Tron", "TRX", p.Wallet))
	require.Zero(t, r.count("select count(*) from stopped_wallets"))
	r.equal("500", r.balance("TRX").Available)
}

// A forged row of a sweep leads nowhere, also where no chain counts.
func TestAForgedSweepByExpiryIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	n, _ := w.registry.Network("Tron")
	p := w.onTron("TRX", "200")
	index := uint32(w.count("select position from addresses where payin_id = ?", p.ID))
	m := &pay.TreasuryMove{Network: "Tron", Kind: pay.MoveSweep, Token: "TRX", FromAddress: n.Addresser.Match(p.Wallet), ToAddress: n.Addresser.Match(tronPayee),
		Index: &index, Amount: dec("200"), By: "mallory"}
	require.NoError(t, w.workers.Treasury.Begin(context.Background(), m))
	require.NotEqual(t, uuid.Nil, m.ID)
	w.work()
	require.Equal(t, pay.MoveCancelled, w.moves("Tron")[0].Status)
	w.equal("0", w.holds("Tron", "TRX", tronPayee))
}
