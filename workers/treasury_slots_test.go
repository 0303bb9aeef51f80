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

// A cold move is signed, fees rise, the operator names another cold address. The number of the hot wallet must come free.
func TestTreasuryAColdMoveOfAFormerColdAddressFreesItsNumber(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n.BumpAfter = time.Minute
	cheap := &minimum{n.Sender, dec("0.00015")}
	n.Sender = cheap
	w.ruled("Ethereum", "USDT", func(r *store.TreasuryRule) {
		r.SweepMin, r.HotTarget, r.HotCeiling = dec("1000000"), dec("5000"), new(dec("6000"))
	})
	w.looked()
	all := w.moves("Ethereum")
	require.Len(t, all, 1)
	require.Equal(t, pay.MoveSigned, all[0].Status)
	n.Cold = n.Addresser.Match(elsewhere)
	w.later("2 minutes")
	for range 6 {
		w.mine("Ethereum", 1)
		w.later("2 minutes")
	}
	j, err := w.store.Job(t.Context(), string(tasks.MoveTreasury), all[0].ID)
	require.NoError(t, err)
	if j != nil && j.LastError != nil {
		t.Log("last error:", *j.LastError)
	}
	require.NotZero(t, w.count("select count(*) from sandbox_transactions where network = 'Ethereum' and sender_match = ? and nonce = 0 and state = 'mined'", n.Hot),
		"the number 0 of the hot wallet is used by nothing: every later payout waits for ever")
}

// the same with the asset of the move stopped.
func TestTreasuryAColdMoveOfAStoppedAssetFreesItsNumber(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n.BumpAfter = time.Minute
	n.Sender = &minimum{n.Sender, dec("0.00015")}
	w.ruled("Ethereum", "USDT", func(r *store.TreasuryRule) {
		r.SweepMin, r.HotTarget, r.HotCeiling = dec("1000000"), dec("5000"), new(dec("6000"))
	})
	w.looked()
	all := w.moves("Ethereum")
	require.Equal(t, pay.MoveSigned, all[0].Status)
	w.exec("insert into stopped_assets (asset, network, reason) values ('USDT', 'Ethereum', 'a test')")
	for range 6 {
		w.later("2 minutes")
		w.mine("Ethereum", 1)
	}
	j, err := w.store.Job(t.Context(), string(tasks.MoveTreasury), all[0].ID)
	require.NoError(t, err)
	if j != nil && j.LastError != nil {
		t.Log("last error:", *j.LastError)
	}
	require.NotZero(t, w.count("select count(*) from sandbox_transactions where network = 'Ethereum' and sender_match = ? and nonce = 0 and state = 'mined'", n.Hot),
		"a stop of USDT holds up the number 0, and with it the payouts of every other asset")
}

// hides adds coin at an address that no follower sees.
func (w *world) hides(network, address, amount string) {
	n, _ := w.registry.Network(network)
	w.exec(`insert into sandbox_holdings (network, address, token, amount) values (?, ?, ?, ?::numeric)
		on conflict (network, address, token) do update set amount = sandbox_holdings.amount + excluded.amount`, network, n.Addresser.Match(address), n.Coin, amount)
}

// Coin that nobody saw, at an address swept before, is somebody's: it must be left, and named.
func TestTreasuryUnseenCoinAtASweptAddressIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.withoutTraces("Ethereum")
	p := w.payin("Ethereum", "ETH", "5")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "ETH")
	w.looked()
	w.mine("Ethereum", 8)
	require.Equal(t, pay.MoveDone, w.moves("Ethereum")[0].Status)
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)

	w.hides("Ethereum", p.Wallet, "1.5") // the payer pays a part of the rest through a contract
	w.reconcile()
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{})
	require.NoError(t, err)
	for _, m := range planned {
		t.Logf("%s %s left=%q", m.Move.Amount, m.Move.Token, m.Left)
	}
	w.mine("Ethereum", 8)
	w.reconcile()
	found, err := w.store.LastReport(t.Context())
	require.NoError(t, err)
	for _, d := range found {
		t.Log(d.Where, d.Want, d.Got)
	}
	t.Log("merchant has", w.balance("ETH").Available, "address holds", w.holds("Ethereum", "ETH", p.Wallet))
	require.Len(t, w.moves("Ethereum"), 1, "the coin that nobody saw was swept")
	require.Equal(t, 1, w.count("select count(*) from quiet_holdings"), "nobody is told where it came to")
}

// Coin moved to a deposit address by hand must not keep its later deposits from being swept.
func TestTreasuryCoinByHandDoesNotBlockItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	from, to := w.payin("Ethereum", "ETH", "2"), w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", from.Wallet, "2")
	w.mine("Ethereum", 4)
	w.byHand("Ethereum", "ETH", from.Wallet, to.Wallet, "0.01")
	w.mine("Ethereum", 6)
	w.pays("Ethereum", "ETH", to.Wallet, "2")
	w.mine("Ethereum", 6)
	w.reconcile()
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{Address: n.Addresser.Match(to.Wallet), By: "ops", AlthoughFee: true})
	require.NoError(t, err)
	var coin *treasury.Planned
	for i := range planned {
		if planned[i].Move.Token == "ETH" {
			coin = &planned[i]
		}
	}
	require.NotNil(t, coin)
	require.Empty(t, coin.Left)
}

// One unit by a contract blocks it as well.
func TestTreasuryDustByAContractDoesNotBlockAnAddress(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	p := w.payin("Ethereum", "ETH", "100")
	w.pays("Ethereum", "ETH", p.Wallet, "100")
	w.mine("Ethereum", 6)
	w.hides("Ethereum", p.Wallet, "0.000000000000000001")
	w.reconcile()
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{Address: n.Addresser.Match(p.Wallet), Token: "ETH", By: "ops", AlthoughFee: true})
	require.NoError(t, err)
	require.Len(t, planned, 1)
	require.Empty(t, planned[0].Left, "100 ETH stay for one wei")
}

// attackTaken is a node that says once that the slot of a replacement is taken, and another that loses the first transaction.
type attackTaken struct {
	chains.Sender
	calls int
}

func (s *attackTaken) Broadcast(ctx context.Context, raw []byte) (chains.Outcome, string) {
	if s.calls++; s.calls == 2 {
		return chains.SlotTaken, "nonce too low"
	}
	return s.Sender.Broadcast(ctx, raw)
}

// The job ends for the other transaction of the slot; this one is lost later. Somebody must send again.
func TestTreasuryTheSlotIsSentAgainAfterTheOtherIsLost(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n.BumpAfter = time.Minute
	n.Sender = &attackTaken{Sender: n.Sender}
	w.ruled("Ethereum", "USDT", func(r *store.TreasuryRule) {
		r.SweepMin, r.HotTarget, r.HotCeiling = dec("1000000"), dec("5000"), new(dec("6000"))
	})
	w.looked()
	all := w.moves("Ethereum")
	require.Equal(t, pay.MoveSent, all[0].Status)
	w.later("2 minutes")
	w.work() // no block: the first is pending, and stuck; its replacement is told that the slot is taken
	signed, err := w.store.SignedOf(t.Context(), all[0].ID)
	require.NoError(t, err)
	require.Len(t, signed, 2)
	t.Log(signed[0].State, signed[1].State, "jobs", w.count("select count(*) from jobs where kind = 'treasury.move'"))
	w.exec("update sandbox_transactions set state = 'dropped' where network = 'Ethereum' and txid = ?", signed[0].Txid)
	for range 8 {
		w.later("2 minutes")
		w.mine("Ethereum", 1)
	}
	signed, err = w.store.SignedOf(t.Context(), all[0].ID)
	require.NoError(t, err)
	for i := range signed {
		t.Log(signed[i].State, signed[i].Txid)
	}
	require.NotZero(t, w.count("select count(*) from sandbox_transactions where network = 'Ethereum' and sender_match = ? and nonce = 0 and state = 'mined'", n.Hot),
		"nobody sends the number 0 again")
}

// What costs more than it moves does not go to the cold address.
func TestTreasuryAColdMoveIsWorthItsFee(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	hot := w.holds("Ethereum", "ETH", n.Hot)
	w.exec("insert into cold_addresses (network, address, height, confirmed_at, confirmed_by) values ('Ethereum', ?, 0, now(), 'ops') on conflict (network, address) do update set confirmed_at = now(), confirmed_by = 'ops'", n.Cold)
	target := hot.Sub(dec("0.00002"))
	w.ruled("Ethereum", "ETH", func(r *store.TreasuryRule) { r.HotTarget, r.HotCeiling = target, &target })
	planned, err := w.workers.Treasury.Plan(t.Context(), n, treasury.Asked{})
	require.NoError(t, err)
	require.Len(t, planned, 1)
	t.Logf("moves %s for %s", planned[0].Move.Amount, planned[0].Cost)
	require.NotEmpty(t, planned[0].Left, "0.00002 ETH go to the cold address for 0.0001 ETH")
}

// Somebody else has used the number of a stuck sweep, and the money is gone: the move ends, and the address is free.
func TestTreasuryAStuckSweepWhoseMoneyIsGoneEnds(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.BumpAfter = time.Minute
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	real := n.Sender
	n.Sender = &minimum{real, dec("0.00015")}
	w.ruled("Ethereum", "ETH")
	w.looked()
	require.Equal(t, pay.MoveSigned, w.moves("Ethereum")[0].Status)
	w.byHand("Ethereum", "ETH", p.Wallet, n.HotAddress(), "1.99") // an operator's own tool collects the address
	n.Sender = shortWhenReplaced{real}
	for range 8 {
		w.later("2 minutes")
		w.mine("Ethereum", 1)
	}
	m := w.moves("Ethereum")[0]
	j, err := w.store.Job(t.Context(), string(tasks.MoveTreasury), m.ID)
	require.NoError(t, err)
	if j != nil && j.LastError != nil {
		t.Log("last error:", *j.LastError)
	}
	require.False(t, m.Status.Open(), "the move is %s for ever, and no sweep of the address may be planned beside it", m.Status)
}

// The network says of a sweep, and of each replacement, that another transaction has its number. The replacements are always young, and
// the move ends all the same.
func TestTreasuryReplacementsPutTheEndOfASweepNotOff(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	n.BumpAfter = time.Minute
	p := w.payin("Ethereum", "ETH", "2")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.mine("Ethereum", 4)
	n.Sender = slotIsTaken{n.Sender}
	w.ruled("Ethereum", "ETH")
	w.looked()
	w.byHand("Ethereum", "ETH", p.Wallet, n.HotAddress(), "0.5")
	for range 8 {
		w.later("2 minutes")
		w.mine("Ethereum", 1)
	}
	require.Equal(t, pay.MoveFailed, w.moves("Ethereum")[0].Status)
	require.Greater(t, w.count("select count(*) from signed_transactions where payout_id = ?", w.moves("Ethereum")[0].ID), 2)
}

// slotIsTaken is a network that takes nothing, since another transaction has the number.
type slotIsTaken struct{ chains.Sender }

func (slotIsTaken) Broadcast(context.Context, []byte) (chains.Outcome, string) {
	return chains.SlotTaken, "nonce too low"
}

// shortWhenReplaced prepares as chains/evm does: a replacement is checked against what the wallet holds (evm/replace.go, covers).
type shortWhenReplaced struct{ chains.Sender }

func (s shortWhenReplaced) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if len(spend.Over) > 0 && len(spend.Orders) > 0 {
		return nil, &chains.Short{Token: "ETH", Missing: dec("1.99")}
	}
	return s.Sender.Prepare(ctx, spend)
}
