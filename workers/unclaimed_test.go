package workers_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// memoPayin records a payin at the address shared by payins with memos.
func (w *world) memoPayin(network, token, memo string) *pay.Payin {
	w.t.Helper()
	ctx := context.Background()
	n, _ := w.registry.Network(network)
	shared, err := n.Addresser.Derive(ctx, 0)
	require.NoError(w.t, err)
	p := w.payin(network, token, "10", func(p *pay.Payin) { p.Memo = &memo })
	_, err = w.db.NewRaw("update addresses set match = ?, address = ?, memo = ? where payin_id = ?", n.Addresser.Match(shared), shared,
		memo, p.ID).Exec(ctx)
	require.NoError(w.t, err)
	p.Wallet = shared
	return p
}

// Covers addendum §8: Tokens that need a memo share
func TestMemosTellPayinsApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ripple")
	first, second := w.memoPayin("Ripple", "XRP", "12345678"), w.memoPayin("Ripple", "XRP", "87654321")
	for _, memo := range []string{"87654321", "", "11111111"} {
		_, err := w.chain.Pay(context.Background(), sandbox.Payment{Network: "Ripple", Token: "XRP", To: first.Wallet, Amount: dec("10"), Memo: memo})
		require.NoError(t, err)
	}
	w.mine("Ripple", 4)
	require.Equal(t, pay.PayinPending, w.payinNow(first.ID).Status)
	require.Equal(t, pay.PayinCompleted, w.payinNow(second.ID).Status)
	unclaimed, err := w.store.UnclaimedTransfers(context.Background(), uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, unclaimed, 2)
	require.Equal(t, "no payin has this memo", *unclaimed[0].Reason)
}

// Covers addendum §8: A token that is not accepted
func TestInactiveTokenIsUnclaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.payin("Tron", "USDT", "5")
	_, err := w.db.NewRaw("update tokens set active = false where symbol = 'TRX'").Exec(context.Background())
	require.NoError(t, err)
	w.pays("Tron", "TRX", p.Wallet, "5")
	w.mine("Tron", 4)
	unclaimed, err := w.store.UnclaimedTransfers(context.Background(), uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, unclaimed, 1)
	w.equal("0", w.balance("TRX").Total())
}

// Covers addendum §8: A token that is not accepted
// Covers addendum §13: A token is accepted
func TestTokenWithoutDepositsIsUnclaimed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p, other := w.payin("Tron", "TRX", "5"), w.payin("Tron", "USDT", "5")
	_, err := w.db.NewRaw("update tokens set deposits = false where symbol = 'TRX'").Exec(context.Background())
	require.NoError(t, err)
	w.pays("Tron", "TRX", p.Wallet, "5")     // the token it asks for, although deposits are off now
	w.pays("Tron", "TRX", other.Wallet, "7") // a token asked for by nobody
	w.mine("Tron", 4)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, pay.PayinPending, w.payinNow(other.ID).Status)
	w.equal("5", w.balance("TRX").Available)
	unclaimed, err := w.store.UnclaimedTransfers(context.Background(), uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, unclaimed, 1)
	w.equal("7", unclaimed[0].Amount)
	require.Equal(t, "the token is not accepted", *unclaimed[0].Reason)
}

// assignsTheOne gives the only unclaimed transfer to the merchant, and looks at its network.
func (w *world) assignsTheOne() {
	w.t.Helper()
	desk := &admin.Admin{Store: w.store, Actor: "operator"}
	unclaimed, err := desk.Unclaimed(w.t.Context())
	require.NoError(w.t, err)
	require.Len(w.t, unclaimed, 1)
	_, err = desk.AssignUnclaimed(w.t.Context(), unclaimed[0].ID, w.merchant, false)
	require.NoError(w.t, err)
	w.work()
}

// A transfer to one merchant's address is shown as this merchant's, and not given to another by a slip.
//
// Covers operator §Admin: unclaimed list says
func TestWhatCameToOneIsNotAnothers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron", "Ripple")
	p := w.payin("Tron", "USDT", "5")
	w.exec("update tokens set active = false where symbol in ('TRX', 'XRP')")
	w.pays("Tron", "TRX", p.Wallet, "70")
	w.mine("Tron", 4)
	memo := w.memoPayin("Ripple", "XRP", "12345678")
	for _, m := range []string{"12345678", "999"} {
		_, err := w.chain.Pay(t.Context(), sandbox.Payment{Network: "Ripple", Token: "XRP", To: memo.Wallet, Amount: dec("8"), Memo: m})
		require.NoError(t, err)
	}
	w.mine("Ripple", 4)
	desk, other := &admin.Admin{Store: w.store, Actor: "operator"}, uuid.Must(uuid.NewV7())
	w.exec("insert into merchants (id, name, webhook_secret) values (?, 'Other', 'x')", other)
	unclaimed, err := desk.Unclaimed(t.Context())
	require.NoError(t, err)
	shop := &store.Owner{MerchantID: w.merchant, Merchant: "Shop"}
	owners := map[string]*store.Owner{}
	for _, u := range unclaimed {
		owners[u.Token+u.Memo] = u.Owner
	}
	require.Equal(t, map[string]*store.Owner{"TRX": shop, "XRP12345678": shop, "XRP999": nil}, owners)

	_, err = desk.AssignUnclaimed(t.Context(), unclaimed[0].ID, other, false)
	require.ErrorContains(t, err, "of merchant "+w.merchant.String()+" (Shop)")
	given, err := desk.AssignUnclaimed(t.Context(), unclaimed[0].ID, other, true)
	require.NoError(t, err)
	require.Equal(t, shop, given.Owner)
	for _, u := range unclaimed[1:] {
		to := other
		if u.Owner != nil {
			to = w.merchant
		}
		_, err = desk.AssignUnclaimed(t.Context(), u.ID, to, false)
		require.NoError(t, err)
	}
}

// A transfer assigned before it is final cannot be paid out: a reorganisation taking it back leaves nobody owing.
//
// Covers operator §Admin: unclaimed assign makes
func TestAssignedBeforeItIsFinal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ripple")
	first := w.memoPayin("Ripple", "XRP", "12345678")
	kept := w.pays("Ripple", "XRP", first.Wallet, "30")
	w.mine("Ripple", 2)
	w.assignsTheOne()
	w.equal("0", w.balance("XRP").Available)
	w.equal("30", w.balance("XRP").Locked)
	w.mine("Ripple", 2)
	w.equal("30", w.balance("XRP").Available)
	require.Equal(t, 1, w.count("select count(*) from transfers where txid = ? and status = 'final'", kept))

	gone := w.pays("Ripple", "XRP", first.Wallet, "7")
	w.mine("Ripple", 2)
	w.assignsTheOne()
	_, err := w.chain.Reorg(t.Context(), "Ripple", 2, gone)
	require.NoError(t, err)
	w.mine("Ripple", 6)
	w.equal("30", w.balance("XRP").Total())
	require.Equal(t, 1, w.count("select count(*) from payins where status = 'reversed' and amount = 7"))
}

// A transfer to a revoked wallet, given to its merchant, is shown and told as the earlier ones were.
//
// Covers addendum §13: Any other unclaimed transfer
func TestAssignedAtAFixedWallet(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.exec("update merchants set wallets_webhook_url = ?, receipt_rate = 2 where id = ?", w.receiver.URL+"/fixed", w.merchant)
	wallet := w.wallet("Ethereum", "customer-1")
	w.exec("update wallets set status = 'STATUS_REVOKED'")
	w.pays("Ethereum", "USDT", wallet.Wallet, "4")
	w.mine("Ethereum", 4)
	w.assignsTheOne()
	payins := w.payinsOf(wallet)
	require.Len(t, payins, 1)
	require.Equal(t, "customer-1", *payins[0].CustomerInfo)
	w.equal("4", w.balance("USDT").Available)
	w.work()
	require.Equal(t, []string{"payment_confirmed:success"}, w.receiver.events("/fixed"))
}

// A memo too long to find payins by does not keep the money from its owner.
func TestAssignedWithALongMemo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "TON")
	shared := w.memoPayin("TON", "TON", "12345678").Wallet
	var long strings.Builder // not to be shortened by any compression
	for range 6000 {
		long.WriteByte(byte('0' + rand.IntN(75)))
	}
	_, err := w.chain.Pay(t.Context(), sandbox.Payment{Network: "TON", Token: "TON", To: shared, Amount: dec("10"), Memo: long.String()})
	require.NoError(t, err)
	w.mine("TON", 4)
	w.assignsTheOne()
	require.Equal(t, "10", w.balance("TON").Available.String())
}
