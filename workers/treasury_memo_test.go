package workers_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/treasury"
)

// paidWithMemo sends a stranger's payment with a memo, and mines it.
func (w *world) paidWithMemo(to, memo, amount string) {
	w.t.Helper()
	_, err := w.chain.Pay(context.Background(), sandbox.Payment{Network: "Ripple", Token: "XRP", To: to, Amount: dec(amount), Memo: memo})
	require.NoError(w.t, err)
	w.mine("Ripple", 4)
}

// sharing is a world of Ripple with a rule, where each address keeps one XRP.
func sharing(t *testing.T) (*world, *chains.Network, *pay.Payin) {
	w := newWorld(t, "Ripple")
	n, _ := w.registry.Network("Ripple")
	n.Keeps = func(context.Context) (decimal.Decimal, error) { return dec("1"), nil }
	p := w.memoPayin("Ripple", "XRP", "12345678")
	w.exec("update addresses set position = 0")
	w.ruled("Ripple", "XRP")
	return w, n, p
}

// The address that payins share is swept as any other is, whoever has paid there, and keeps its reserve. Nothing of it changes a balance, or
// what is unclaimed.
func TestSweepOfASharedAddress(t *testing.T) {
	t.Parallel()
	w, n, p := sharing(t)
	w.paidWithMemo(p.Wallet, "12345678", "10")
	w.paidWithMemo(p.Wallet, "99999999", "5")
	before, hot := w.balance("XRP"), w.holds("Ripple", "XRP", n.Hot)
	for _, round := range []struct{ paid, kept string }{{"0", "13.9999"}, {"3", "2.9999"}} {
		if round.paid != "0" {
			w.paidWithMemo(p.Wallet, "88888888", round.paid)
		}
		w.looked()
		for range 8 {
			w.mine("Ripple", 1)
			w.reconciles()
		}
		all := w.moves("Ripple")
		last := all[len(all)-1]
		require.Equal(t, pay.MoveDone, last.Status)
		w.equal(round.kept, *last.Moved)
		hot = hot.Add(dec(round.kept))
		w.equal(hot.String(), w.holds("Ripple", "XRP", n.Hot))
		w.equal("1", w.holds("Ripple", "XRP", p.Wallet))
	}
	require.Len(t, w.moves("Ripple"), 2)
	require.Equal(t, before, w.balance("XRP"))
	unclaimed, err := w.store.UnclaimedTransfers(t.Context(), uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, unclaimed, 2)
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{Address: p.Wallet, By: "ops", AlthoughFee: true})
	require.NoError(t, err)
	require.Empty(t, planned, "the reserve stays, whatever it costs")
}

// once answers a sender's first message as if its time were over.
type once struct {
	chains.Sender
	expired int
}

func (o *once) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if o.expired > 0 {
		o.expired--
		return chains.Expired, "tefMAX_LEDGER"
	}
	return o.Sender.Broadcast(ctx, raw)
}

// A sweep whose time is over is signed again for its number, without a proof. A node that says so of everything gets one more in each attempt.
func TestASweepWhoseTimeIsOver(t *testing.T) {
	t.Parallel()
	w, n, p := sharing(t)
	w.paidWithMemo(p.Wallet, "12345678", "10")
	n.Sender = &once{n.Sender, 3}
	w.looked()
	all := w.moves("Ripple")
	require.Len(t, all, 1)
	signed, err := w.store.SignedOf(t.Context(), all[0].ID)
	require.NoError(t, err)
	require.Len(t, signed, 3, "one in the first attempt, and two that take the place of another")
	for i := range signed {
		require.Equal(t, signed[0].Nonce, signed[i].Nonce)
	}
	for range 8 {
		w.mine("Ripple", 1)
		w.reconciles()
	}
	require.Equal(t, pay.MoveDone, w.moves("Ripple")[0].Status)
	w.equal("1", w.holds("Ripple", "XRP", p.Wallet))
}

// A sweep whose time is over, and whose money has gone meanwhile, gives its number to a transaction that moves nothing. Money that comes later
// is another sweep's.
func TestASweepWhoseTimeIsOverAndWhoseMoneyIsGone(t *testing.T) {
	t.Parallel()
	w, n, p := sharing(t)
	w.paidWithMemo(p.Wallet, "12345678", "10")
	n.Sender = gone{&once{n.Sender, 1}}
	w.looked()
	for range 8 {
		w.mine("Ripple", 1)
		w.reconciles()
	}
	all := w.moves("Ripple")
	require.Equal(t, []pay.MoveStatus{pay.MoveFailed, pay.MoveDone}, []pay.MoveStatus{all[0].Status, all[1].Status})
	signed, err := w.store.SignedOf(t.Context(), all[0].ID)
	require.NoError(t, err)
	require.Equal(t, []string{string(pay.MoveSweep), pay.PurposeVoid}, []string{signed[0].Purpose, signed[1].Purpose})
	w.equal("1", w.holds("Ripple", "XRP", p.Wallet))
	w.equal("8.9997", *all[1].Moved)
}

// gone is a sender whose deposit address holds too little for another sweep.
type gone struct{ chains.Sender }

func (g gone) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Over) > 0 && len(spend.Orders) > 0 {
		return nil, &chains.Short{Token: "XRP", Missing: dec("9")}
	}
	return g.Sender.Prepare(ctx, spend)
}

// Coin that a fixed wallet got beside payments is ours, and is swept with the payments. What nobody explains stays there.
func TestWhatCameBesideIsSwept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH", func(r *store.TreasuryRule) { r.SweepMin = dec("1000") })
	w.looked()
	at := n.Addresser.Match(p.Wallet)
	for _, amount := range []string{"0.5", "-0.2", "7"} {
		height := 1
		if amount == "7" {
			height = 1000 // in no final block yet
		}
		w.exec("insert into asides (subject, network, txid, address, amount, height, entries) values (gen_random_uuid(), 'Ethereum', ?, ?, ?, ?, 1)",
			amount, at, dec(amount), height)
	}
	candidates, err := w.store.SweepableAt(t.Context(), "Ethereum", n.Family, "ETH", "ETH", at)
	require.NoError(t, err)
	require.Len(t, candidates, 1)
	w.equal("2.3", candidates[0].Known)
}
