package workers_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/tasks"
	"causeway/workers/treasury"
)

// One wei by an ordinary transfer blocks an address, too.
func TestTreasuryDustByATransferDoesNotBlockAnAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "100")
	w.pays("Ethereum", "ETH", p.Wallet, "100")
	w.pays("Ethereum", "ETH", p.Wallet, "0.000000000000000001")
	w.mine("Ethereum", 6)
	w.reconcile()
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{Address: n.Addresser.Match(p.Wallet), Token: "ETH", By: "ops", AlthoughFee: true})
	require.NoError(t, err)
	require.Len(t, planned, 1)
	require.Empty(t, planned[0].Left, "100 ETH stay for one wei")
}

// The seed is changed while a top-up of the former hot wallet is on its way. Its transaction is known as a move: it is nobody's.
func TestTreasuryATopUpOfAFormerHotWalletIsNobodys(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "100")
	w.pays("Ethereum", "USDT", p.Wallet, "100")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "USDT")
	w.looked()
	all := w.moves("Ethereum")
	require.Len(t, all, 2)
	require.Equal(t, pay.MoveSent, all[1].Status)
	w.seeded("Ethereum", "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359")
	w.mine("Ethereum", 6)
	require.True(t, w.balance("ETH").Available.IsZero(), "the merchant is credited the top-up: %s ETH", w.balance("ETH").Available)
}

// keepsOfMoves is a network whose token keeps one of each move.
type keepsOfMoves struct {
	chains.Watcher
	w *world
}

func (k keepsOfMoves) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := k.Watcher.Status(ctx, txids)
	for txid, now := range all {
		if now.State == chains.TxMined && k.w.count("select count(*) from signed_transactions where txid = ? and purpose = 'sweep'", txid) > 0 {
			now.Amiss = &chains.Amiss{Arrived: dec("99"), Spent: dec("100")}
			all[txid] = now
		}
	}
	return all, err
}

// What a token keeps of a sweep is no difference while the sweep is in a block that is not final.
func TestTreasuryATokenThatKeepsAPartStopsNothing(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.Watcher = keepsOfMoves{n.Watcher, w}
	p := w.payin("Ethereum", "USDT", "100")
	w.pays("Ethereum", "USDT", p.Wallet, "100")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "USDT")
	w.looked()
	kept := false
	for range 14 {
		w.mine("Ethereum", 1)
		if !kept && w.count("select count(*) from sandbox_transactions where network = 'Ethereum' and token = 'USDT' and sender_match = ? and state = 'mined'", n.Addresser.Match(p.Wallet)) > 0 {
			kept = true
			w.exec("update sandbox_holdings set amount = amount - 1 where network = 'Ethereum' and token = 'USDT' and address = ?", n.Hot)
		}
		w.reconcile()
		require.Empty(t, w.reported())
		require.Zero(t, w.count("select count(*) from stopped_assets"))
	}
	require.True(t, kept)
}

// Moves that wait for lower fees must not keep a large deposit from the payouts that wait for it.
func TestTreasuryWaitingMovesLeaveRoom(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.ruled("Ethereum", "ETH")
	var small []*pay.Payin
	for range 50 {
		p := w.payin("Ethereum", "ETH", "2")
		w.pays("Ethereum", "ETH", p.Wallet, "2")
		small = append(small, p)
	}
	_ = small
	w.mine("Ethereum", 6)
	w.reconcile()
	w.only(t.Context(), tasks.PlanTreasury)
	require.Equal(t, 50, w.count("select count(*) from treasury_moves where status = 'planned'"))
	w.exec("update treasury_moves set max_fee = 0.00001") // fees have risen since: they may cost more than that now
	big := w.payin("Ethereum", "ETH", "1000")
	w.pays("Ethereum", "ETH", big.Wallet, "1000")
	w.mine("Ethereum", 6)
	w.looked()
	w.mine("Ethereum", 8)
	w.looked()
	require.NotZero(t, w.count("select count(*) from treasury_moves where from_address = ?", n.Addresser.Match(big.Wallet)),
		"50 moves that wait for lower fees keep 1000 ETH from being swept for a day")
}

// A worker without keys, in wrong hands, plans moves. The signer bounds what they take from the hot wallet.
func TestTreasuryASignerBoundsAWorkersMoves(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	hot, usdt := w.holds("Ethereum", "ETH", n.Hot), w.holds("Ethereum", "USDT", n.Hot)
	index := uint32(77)
	address, err := n.Addresser.Derive(t.Context(), index)
	require.NoError(t, err)
	begun := w.workers.Store
	w.workers.Store = w.worker
	for _, m := range []*pay.TreasuryMove{
		{Kind: pay.MoveTopup, Token: "ETH", FromAddress: n.Hot, ToAddress: n.Addresser.Match(address), Index: &index, Amount: hot.Sub(dec("1"))},
		{Kind: pay.MoveCold, Token: "USDT", FromAddress: n.Hot, ToAddress: n.Cold, Amount: usdt}, // to an address that nobody has confirmed
	} {
		m.Network, m.By = "Ethereum", "rules"
		require.NoError(t, w.workers.Treasury.Begin(t.Context(), m))
	}
	w.workers.Store = begun
	w.mine("Ethereum", 8)
	for _, m := range w.moves("Ethereum") {
		t.Log(m.Kind, m.Token, m.Amount, m.Status)
	}
	require.True(t, w.holds("Ethereum", "ETH", n.Hot).GreaterThan(dec("1")), "the hot wallet has no coin left: every payout waits")
	require.True(t, w.holds("Ethereum", "USDT", n.Hot).IsPositive(), "everything is at an unconfirmed cold address")
}

// A replacement costs no more than the move may cost.
func TestTreasuryABumpKeepsTheMostFee(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.BumpAfter = time.Minute
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	n.Sender = &minimum{n.Sender, dec("0.00085")}
	w.ruled("Ethereum", "ETH", func(r *store.TreasuryRule) { r.MaxFeePercent = dec("0.006") }) // 0.00012
	w.looked()
	for range 20 {
		w.later("2 minutes")
		w.mine("Ethereum", 1)
	}
	m := w.moves("Ethereum")[0]
	t.Log(m.Status, *m.MaxFee, m.Cost)
	require.False(t, m.Cost != nil && m.Cost.GreaterThan(*m.MaxFee), "it cost %s, and %s were the most", m.Cost, m.MaxFee)
}

// Top-ups leave the coin that a queued payout asks for.
func TestTreasuryTopUpsLeaveWhatPayoutsAskFor(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "ETH", "400000")
	for range 5 {
		p := w.payin("Ethereum", "USDT", "100")
		w.pays("Ethereum", "USDT", p.Wallet, "100")
	}
	w.mine("Ethereum", 4)
	hot := w.holds("Ethereum", "ETH", n.Hot)
	p := w.payout("Ethereum", "ETH", hot.Sub(dec("0.0002")).String(), destination) // it waits for approval, say
	w.ruled("Ethereum", "USDT")
	w.reconcile()
	for range 3 {
		w.roundWithout(tasks.BroadcastPayout)
	}
	t.Log("top-ups", w.count("select count(*) from treasury_moves where kind = 'topup' and status = 'sent'"))
	w.mine("Ethereum", 12)
	j, err := w.store.Job(t.Context(), string(tasks.BroadcastPayout), p.ID)
	require.NoError(t, err)
	if j != nil && j.LastError != nil {
		t.Log("last error:", *j.LastError)
	}
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// aBlockBehind is an address with two nodes behind it: the one that looks transactions up is a block behind, once.
type aBlockBehind struct {
	chains.Watcher
	behind bool
}

func (l *aBlockBehind) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	if l.behind {
		l.behind = false
		return map[string]chains.TxStatus{}, nil
	}
	return l.Watcher.Status(ctx, txids)
}

// attackUnsure is a node that takes the bytes and does not say so, and then does not know them.
type attackUnsure struct {
	chains.Sender
	calls int
}

func (u *attackUnsure) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if u.calls++; u.calls == 1 {
		_, _ = u.Sender.Broadcast(ctx, raw)
		return chains.Unknown, "timed out"
	}
	return chains.SlotTaken, "nonce too low"
}

// A mined sweep is given up by the word of a node that is a block behind. Its fee must be booked all the same.
func TestTreasuryAMinedMoveIsNotGivenUp(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	sees := &aBlockBehind{Watcher: n.Watcher}
	n.Sender, n.Watcher = &attackUnsure{Sender: n.Sender}, sees
	w.ruled("Ethereum", "ETH")
	w.reconcile()
	w.only(t.Context(), tasks.PlanTreasury)
	w.only(t.Context(), tasks.MoveTreasury)
	require.Equal(t, pay.MoveSigned, w.moves("Ethereum")[0].Status)
	_, err := w.chain.Mine(t.Context(), "Ethereum", 8)
	require.NoError(t, err)
	sees.behind = true
	w.only(t.Context(), tasks.MoveTreasury)
	w.mine("Ethereum", 8)
	w.reconcile()
	m := w.moves("Ethereum")[0]
	t.Log(m.Status, m.Cost, w.reported(), w.count("select count(*) from stopped_assets"))
	require.Empty(t, w.reported())
	require.Equal(t, pay.MoveDone, m.Status)
}
