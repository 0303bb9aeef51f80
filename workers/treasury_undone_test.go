package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// A deposit that arrives while its address is swept stays there. The sweep moves what it was planned with, and the next plan the rest.
func TestADepositThatArrivesDuringASweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.deposited()
	hot := w.holds("Ethereum", "USDT", n.Hot)
	w.looked()
	w.pays("Ethereum", "USDT", p.Wallet, "30")
	for range 20 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	w.equal("100", *w.moves("Ethereum")[0].Moved)
	w.equal("30", *w.moves("Ethereum")[2].Moved)
	require.Equal(t, []string{"sweep done", "topup done", "sweep done", "topup done"}, w.statuses())
	w.equal("0", w.holds("Ethereum", "USDT", p.Wallet))
	w.equal(hot.Add(dec("130")).String(), w.holds("Ethereum", "USDT", n.Hot))
	w.equal("130", w.balance("USDT").Available)
}

// A reorganisation drops a deposit that was swept, and the sweep with it. The credit is undone, and the sweep's bytes wait in their slot.
// They are taken when the deposit comes again, before the sweep was final or after. In each block the books agree with the network.
func TestAReorganisationOfASweptDeposit(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string]int{"before the sweep is final": 1, "after": 5} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			n, _ := w.registry.Network("Ethereum")
			p := w.payin("Ethereum", "ETH", "2")
			deposit := sandbox.Payment{Network: "Ethereum", Token: "ETH", To: p.Wallet, Amount: dec("2"), Txid: "0xdeposit" + p.ID.String()}
			_, err := w.chain.Pay(t.Context(), deposit)
			require.NoError(t, err)
			w.mine("Ethereum", 4)
			w.ruled("Ethereum", "ETH")
			hot := w.holds("Ethereum", "ETH", n.Hot)
			w.looked()
			w.mine("Ethereum", blocks)
			w.reconciles()
			require.Equal(t, blocks == 5, w.moves("Ethereum")[0].Status == pay.MoveDone)

			_, err = w.chain.Reorg(t.Context(), "Ethereum", 4+blocks, deposit.Txid)
			require.NoError(t, err)
			w.mine("Ethereum", 5)
			w.reconciles()
			w.equal("0", w.balance("ETH").Available)
			w.equal("0", w.holds("Ethereum", "ETH", p.Wallet))
			w.equal(hot.String(), w.holds("Ethereum", "ETH", n.Hot))
			require.Equal(t, 1, w.count("select count(*) from signed_transactions where open"))
			require.Equal(t, 1, w.count("select count(*) from signed_transactions"))

			_, err = w.chain.Pay(t.Context(), deposit)
			require.NoError(t, err)
			for range 10 {
				w.mine("Ethereum", 1)
				w.reconciles()
			}
			require.Equal(t, []string{"sweep done"}, w.statuses())
			w.equal("1.9999", *w.moves("Ethereum")[0].Moved)
			w.equal("0.0001", *w.moves("Ethereum")[0].Cost)
			w.equal("2", w.balance("ETH").Available)
			w.equal(hot.Add(dec("1.9999")).String(), w.holds("Ethereum", "ETH", n.Hot))
			require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
		})
	}
}

// reverts is a network where a sweep of a token costs its fee and moves nothing.
type reverts struct {
	chains.Sender
	chains.Watcher
	n *chains.Network
}

func (r reverts) Prepare(ctx context.Context, s chains.Spend) (chains.Draft, error) {
	draft, err := r.Sender.Prepare(ctx, s)
	if err != nil || s.From == nil {
		return draft, err
	}
	s.Orders, s.Most = nil, false
	return r.Sender.Prepare(ctx, s)
}

func (r reverts) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := r.Watcher.Status(ctx, txids)
	for txid, now := range all {
		from, ask := r.n.Counter.Origin(ctx, txid)
		if ask == nil && now.State == chains.TxMined && from.From != r.n.Hot {
			now.State = chains.TxReverted
			all[txid] = now
		}
	}
	return all, err
}

// A sweep that reverts has failed at the cost of its fee. The next plan makes another one.
func TestASweepThatReverts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.deposited()
	sender, watcher := n.Sender, n.Watcher
	r := reverts{sender, watcher, n}
	n.Sender, n.Watcher = r, r
	w.looked()
	for range 12 {
		w.mine("Ethereum", 1)
		w.reconciles()
		if w.moves("Ethereum")[0].Status == pay.MoveFailed {
			break
		}
	}
	n.Sender, n.Watcher = sender, watcher
	first := w.moves("Ethereum")[0]
	require.Equal(t, pay.MoveFailed, first.Status)
	w.equal("0.0001", *first.Cost)
	w.equal("0", *first.Moved)
	w.equal("100", w.holds("Ethereum", "USDT", p.Wallet))
	w.looked()
	for range 10 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	w.equal("0", w.holds("Ethereum", "USDT", p.Wallet))
	w.equal("100", w.balance("USDT").Available)
	require.Empty(t, w.troubles())
}

// keepsTwo is a network whose token keeps two of each transfer of a deposit address.
type keepsTwo struct {
	chains.Watcher
	n *chains.Network
}

func (k keepsTwo) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := k.Watcher.Status(ctx, txids)
	for txid, now := range all {
		from, ask := k.n.Counter.Origin(ctx, txid)
		if ask == nil && now.State == chains.TxMined && from.From != k.n.Hot {
			now.Amiss = &chains.Amiss{Arrived: dec("98"), Spent: dec("100")}
			all[txid] = now
		}
	}
	return all, err
}

// A token that keeps a part of a sweep has moved the rest. The part is booked, so the books agree with the network, and no merchant pays
// for it.
func TestATokenThatKeepsAPartOfASweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.deposited()
	n.Watcher = keepsTwo{n.Watcher, n}
	w.looked()
	w.mine("Ethereum", 9)
	w.exec("update sandbox_holdings set amount = amount - 2 where network = 'Ethereum' and token = 'USDT' and address = ?", n.Hot)
	sweep := w.moves("Ethereum")[0]
	require.Equal(t, pay.MoveDone, sweep.Status)
	w.equal("98", *sweep.Moved)
	w.equal("100", w.balance("USDT").Available)
	w.reconciles()
}

// Books of before a sweep are put back. The number of the deposit address is taken over from the chain, the sweep is a move by hand for
// these books, and the next deposit is swept in the next slot. Nothing needs a person.
func TestBooksOfBeforeASweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH")
	backup := testkit.Copy(t)
	w.looked()
	w.mine("Ethereum", 6)
	require.Equal(t, []string{"sweep done"}, w.statuses())

	r := w.restored(backup)
	r.work()
	r.looked()
	for range 6 {
		r.mine("Ethereum", 1)
		r.reconciles()
	}
	require.Empty(t, r.moves("Ethereum"), "nothing is there to be swept")
	require.Equal(t, 1, r.count("select count(*) from moves_by_hand where cost = 0.0001"))
	r.pays("Ethereum", "ETH", p.Wallet, "3")
	r.mine("Ethereum", 5)
	r.looked()
	for range 6 {
		r.mine("Ethereum", 1)
		r.reconciles()
	}
	require.Equal(t, []string{"sweep done"}, r.statuses())
	require.Equal(t, 1, r.count("select count(*) from signed_transactions where nonce = 1"))
	r.equal("0", r.holds("Ethereum", "ETH", p.Wallet))
	require.Zero(t, r.count("select count(*) from stopped_wallets"))
	r.equal("5", r.balance("ETH").Available)
}

// An answer of before a sweep gives no number of its address out again.
func TestALateCountOfADepositAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH")
	w.looked()
	w.mine("Ethereum", 6)
	n, _ := w.registry.Network("Ethereum")
	address := n.Addresser.Match(p.Wallet)
	require.NoError(t, w.store.FollowNonces(t.Context(), "Ethereum", address, 0))
	next, err := w.store.NextNonce(t.Context(), "Ethereum", address)
	require.NoError(t, err)
	require.Equal(t, int64(1), next)
	require.NoError(t, w.store.FollowNonces(t.Context(), "Ethereum", address, 7))
	next, err = w.store.NextNonce(t.Context(), "Ethereum", address)
	require.NoError(t, err)
	require.Equal(t, int64(7), next)
}
