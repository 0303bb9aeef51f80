package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// keepsAFee is a network whose token keeps one of each payment: the hot wallet has spent it all.
type keepsAFee struct{ chains.Watcher }

func (k keepsAFee) Status(ctx context.Context, txids []string) (map[string]chains.TxStatus, error) {
	all, err := k.Watcher.Status(ctx, txids)
	for txid, now := range all {
		if now.State == chains.TxMined {
			now.Amiss = &chains.Amiss{Arrived: dec("49"), Spent: dec("50")}
			all[txid] = now
		}
	}
	return all, err
}

// A payment with another effect than asked for by its payout ends it neither way: a person does, once, and the books equal the
// network before and after. A reorganisation takes the question back.
//
// Covers operator §Admin: A payout whose final payment moved another amount
// Covers operator §Admin: causeway admin payout complete
// Covers operator §Admin: causeway admin payout refund
func TestAPersonDecidesOnAnAmissPayment(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		completed bool
		status    pay.PayoutStatus
		balance   string
		event     pay.Event
	}{
		"complete": {true, pay.PayoutCompleted, "48.5", pay.PaymentProcessed},
		"refund":   {false, pay.PayoutRefunded, "100", pay.PaymentFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			n, _ := w.registry.Network("Ethereum")
			n.Watcher = keepsAFee{n.Watcher}
			p := w.payout("Ethereum", "USDT", "50", destination)
			_, err := w.by("ann").DecidePayout(t.Context(), p.ID, want.completed)
			require.ErrorContains(t, err, "is queued")
			w.work()
			w.mine("Ethereum", 8)
			require.Equal(t, pay.PayoutSent, w.payoutNow(p.ID).Status)
			require.Equal(t, 1, w.count("select count(*) from contrary_transactions where arrived = 49 and spent = 50"))
			require.Equal(t, 1, w.count("select count(*) from signed_transactions"))
			w.reconciles()
			a := &admin.Admin{Store: w.store, Actor: "ann"}
			health, err := a.Health(t.Context())
			require.NoError(t, err)
			require.Contains(t, health.Troubles()[0].What, "is final: 49 USDT of 50 arrived")
			_, err = a.DismissPayout(t.Context(), p.ID.String())
			require.Error(t, err)

			decided, err := w.by("ann").DecidePayout(t.Context(), p.ID, want.completed)
			require.NoError(t, err)
			require.Equal(t, want.status, decided.Status)
			require.Equal(t, want.status, w.payoutNow(p.ID).Status)
			require.Equal(t, 0, w.count("select count(*) from contrary_transactions"))
			require.Equal(t, 1, w.count("select count(*) from deliveries where event = ?", want.event))
			w.equal(want.balance, w.balance("USDT").Available)
			_, err = w.by("ann").DecidePayout(t.Context(), p.ID, !want.completed)
			require.ErrorContains(t, err, "is "+string(want.status))
		})
	}
}

// A payment waits for a person, with less at its recipient than asked for. A surplus shown meanwhile is known once it is final, so a
// loss behind it stops the payouts.
//
// Covers operator §Admin: A surplus counts
func TestASurplusCountsWhileAnAmissPaymentWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	n.Watcher = keepsAFee{n.Watcher}
	w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	w.mine("Ethereum", 8)
	require.Equal(t, 1, w.count("select count(*) from contrary_transactions where arrived = 49 and spent = 50"))
	move := func(amount string) {
		w.exec("update sandbox_holdings set amount = amount + ? where network = 'Ethereum' and token = 'USDT' and address = ?", dec(amount), n.Hot)
	}
	move("6")
	w.reconcile()
	w.mine("Ethereum", 30)
	w.reconcile()
	require.Equal(t, 1, w.count("select count(*) from open_surpluses where network = 'Ethereum' and asset = 'USDT' and known = 6"))
	move("-5")
	w.reconcile()
	require.Equal(t, []string{"an open surplus shrinks by corrections only"}, w.reported())
	move("5")
	w.reconcile()
	ops := &admin.Admin{Store: w.store, Actor: "ops"}
	_, err := ops.CorrectTreasury(t.Context(), admin.NewCorrection{Network: "Ethereum", Asset: "USDT", Amount: "6", Reason: "nobody's"})
	require.NoError(t, err)
}
