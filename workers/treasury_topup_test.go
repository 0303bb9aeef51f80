package workers_test

import (
	"context"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// deposited is a final deposit of 100 USDT on Ethereum, whose address is swept from now on.
func (w *world) deposited() *pay.Payin {
	w.t.Helper()
	p := w.payin("Ethereum", "USDT", "100")
	w.pays("Ethereum", "USDT", p.Wallet, "100")
	w.mine("Ethereum", 4)
	w.ruled("Ethereum", "USDT")
	return p
}

// statuses are the moves of Ethereum, the oldest first.
func (w *world) statuses() (out []string) {
	w.t.Helper()
	for _, m := range w.moves("Ethereum") {
		out = append(out, string(m.Kind)+" "+string(m.Status))
	}
	return out
}

// A top-up signed for a sweep that an operator has cancelled is for the next sweep: this one has no other, and goes on when the top-up has
// ended.
func TestASweepGoesOnAfterTheTopUpOfAnEarlierOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.deposited()
	w.looked()
	require.Equal(t, []string{"sweep planned", "topup sent"}, w.statuses())
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelMove(t.Context(), w.moves("Ethereum")[0].ID)
	require.NoError(t, err)
	w.looked()
	require.Equal(t, []string{"sweep cancelled", "topup sent", "sweep planned"}, w.statuses())
	w.mine("Ethereum", 10)
	require.Equal(t, []string{"sweep cancelled", "topup done", "sweep done"}, w.statuses())
	w.equal("0", w.holds("Ethereum", "USDT", p.Wallet))
}

// A top-up that ends wakes its sweep. The next plan would do so too, a minute later.
func TestATopUpWakesItsSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.deposited()
	w.looked()
	require.Equal(t, []string{"sweep planned", "topup sent"}, w.statuses())
	for range 10 {
		w.mineUnseen("Ethereum", 1)
		w.roundWithout(tasks.PlanTreasury)
	}
	require.Equal(t, []string{"sweep done", "topup done"}, w.statuses())
}

// A top-up is cancelled with the sweep that it is for: nothing would wake the sweep.
//
// Covers operator §Admin: treasury moves cancel cancels
func TestATopUpIsCancelledWithItsSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.deposited()
	w.stopsAsset("ETH")
	w.looked()
	require.Equal(t, []string{"sweep planned", "topup planned"}, w.statuses())
	_, err := (&admin.Admin{Store: w.store, Actor: "ann"}).CancelMove(t.Context(), w.moves("Ethereum")[1].ID)
	require.NoError(t, err)
	require.Equal(t, []string{"sweep cancelled", "topup cancelled"}, w.statuses())
	require.Zero(t, w.count("select count(*) from jobs where kind = 'treasury.move'"))
}

// Moves with nothing signed for a day are cancelled, a sweep together with its top-up.
func TestOldMovesAreCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.deposited()
	w.stopsAsset("ETH")
	w.looked()
	w.exec("update treasury_moves set created_at = now() - interval '25 hours'")
	w.exec("update treasury_rules set paused = true")
	w.round()
	require.Equal(t, []string{"sweep cancelled", "topup cancelled"}, w.statuses())
}

// Coin that a reorganisation may take away pays for no sweep: its bytes would wait for coin for ever. When it is gone, the hot wallet
// sends the coin.
func TestASweepIsPaidForByFinalCoin(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "100")
	w.pays("Ethereum", "USDT", p.Wallet, "100")
	w.mine("Ethereum", 4)
	coin := w.pays("Ethereum", "ETH", p.Wallet, "1")
	w.mine("Ethereum", 1)
	w.ruled("Ethereum", "USDT")
	w.looked()
	require.Equal(t, []string{"sweep planned"}, w.statuses())
	require.Equal(t, 1, w.count("select count(*) from jobs where kind = 'treasury.move' and last_error like '%in no final block yet'"))
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 1, coin)
	require.NoError(t, err)
	w.work()
	require.Equal(t, []string{"sweep planned", "topup sent"}, w.statuses())
	w.mine("Ethereum", 10)
	require.Equal(t, []string{"sweep done", "topup done"}, w.statuses())
}

// dearGas is a network where a transaction of a deposit address needs so much coin, and costs as much as ever.
type dearGas struct {
	chains.Sender
	n    *chains.Network
	coin decimal.Decimal
}

func (d *dearGas) Prepare(ctx context.Context, s chains.Spend) (chains.Draft, error) {
	if s.From == nil || s.Orders[0].Token == d.n.Coin {
		return d.Sender.Prepare(ctx, s)
	}
	head, err := d.n.Scanner.Head(ctx, -1)
	if err != nil {
		return nil, err
	}
	held, err := d.n.Holder.Holdings(ctx, d.n.Coin, []string{s.From.Address}, head.Height)
	if err == nil && held[0].LessThan(d.coin) {
		return nil, &chains.Short{Token: d.n.Coin, Missing: d.coin.Sub(held[0])}
	}
	if err != nil {
		return nil, err
	}
	return d.Sender.Prepare(ctx, s)
}

// Gas rises between each top-up and its sweep. An address gets two top-ups a day and no third one: the sweep is given up. When gas has
// fallen again, the coin that is there pays for the sweep.
func TestGasThatRisesAfterEachTopUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	n, _ := w.registry.Network("Ethereum")
	gas := &dearGas{Sender: n.Sender, n: n, coin: dec("0.0001")}
	n.Sender = gas
	p := w.deposited()
	w.looked()
	gas.coin = dec("0.0003")
	w.mine("Ethereum", 5)
	all := w.moves("Ethereum")
	require.Equal(t, []string{"sweep planned", "topup done", "topup sent"}, w.statuses())
	w.equal("0.0001", all[1].Amount)
	w.equal("0.0002", all[2].Amount)
	gas.coin = dec("0.0005")
	for range 6 {
		w.mine("Ethereum", 1)
		w.reconciles()
	}
	all = w.moves("Ethereum")
	require.Equal(t, []string{"sweep cancelled", "topup done", "topup done"}, w.statuses()[:3])
	require.Contains(t, *all[0].Reason, "2 top-ups in a day were not enough")
	require.Equal(t, 2, w.count("select count(*) from treasury_moves where kind = 'topup'"))
	w.looked()
	require.Equal(t, 2, w.count("select count(*) from treasury_moves where kind = 'topup'"))
	w.equal("0.0003", w.holds("Ethereum", "ETH", p.Wallet))

	gas.coin = dec("0.0001")
	w.exec("update treasury_moves set updated_at = now() - interval '25 hours', created_at = now() - interval '25 hours' where status = 'cancelled'")
	w.looked()
	w.mine("Ethereum", 6)
	require.Equal(t, "sweep done", w.statuses()[len(w.moves("Ethereum"))-1])
	require.Equal(t, 2, w.count("select count(*) from treasury_moves where kind = 'topup'"))
	w.equal("0", w.holds("Ethereum", "USDT", p.Wallet))
	w.equal("0.0002", w.holds("Ethereum", "ETH", p.Wallet))
}
