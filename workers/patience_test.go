package workers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/pay"
	"causeway/ledger"
)

// dear is a sender whose network asks for more gas than is borne, as a connector says it.
type dear struct {
	chains.Sender
	spike bool
}

func (d *dear) Prepare(ctx context.Context, spend chains.Spend) (chains.Draft, error) {
	if d.spike {
		return nil, fmt.Errorf("%w: gas costs 900 gwei", chains.ErrDown)
	}
	return d.Sender.Prepare(ctx, spend)
}

// troubled returns the operator's view of a payout not going on.
func (w *world) troubled(p *pay.Payout) (why string) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw("select coalesce(last_error, '') from jobs where ref = ?", p.ID).Scan(context.Background(), &why))
	return why
}

// Covers addendum §7: An empty treasury
func TestTroubleOfANetworkFailsNoPayout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	n, _ := w.registry.Network("Ethereum")
	sender := &dear{Sender: n.Sender, spike: true}
	n.Sender = sender
	p := w.payout("Ethereum", "USDT", "50", destination)
	w.work()
	require.Equal(t, pay.PayoutQueued, w.payoutNow(p.ID).Status)
	require.Contains(t, w.troubled(p), "gas costs 900 gwei")

	sender.spike = false
	w.faults("Ethereum", "broadcast", "down")
	w.work()
	require.Equal(t, "pending", w.payoutNow(p.ID).Status.Public())
	require.Contains(t, w.troubled(p), "switched off")
	w.equal("48.5", w.balance("USDT").Total())
	require.Empty(t, w.receiver.got())

	w.faults("Ethereum", "broadcast", "")
	w.mine("Ethereum", 5)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(p.ID).Status)
}

// The merchant's balance is of the token; each network has only its own arrivals, and a payout waits until these are enough.
//
// Covers addendum §7: An empty treasury
// Covers addendum §6: A balance belongs to a token
func TestMoneyOfOneNetworkLeavesOnAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron", "Ethereum")
	w.fund("Tron", "USDT", "2000000000")
	n, _ := w.registry.Network("Ethereum")
	to := "0x52908400098527886E0F7030069857D2E4169EE7"
	small, large := w.payout("Ethereum", "USDT", "5", to), w.payout("Ethereum", "USDT", "1500000000", to)
	w.work()
	w.mine("Ethereum", 4)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(small.ID).Status)
	require.Equal(t, "pending", w.payoutNow(large.ID).Status.Public())
	require.Contains(t, w.troubled(large), "holds too little")
	w.equal("5", w.paidTo("Ethereum", to))

	_, err := w.chain.Pay(context.Background(), sandbox.Payment{Network: "Ethereum", Token: "USDT", To: n.Hot, Amount: dec("1000000000")})
	require.NoError(t, err)
	w.mine("Ethereum", 8)
	require.Equal(t, pay.PayoutCompleted, w.payoutNow(large.ID).Status)
	w.equal("1500000005", w.paidTo("Ethereum", to))
}

// Covers addendum §6: A token has `decimals`
func TestDustIsThePlatforms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum", "Tron")
	ether, tether := w.payin("Ethereum", "ETH", "1"), w.payin("Tron", "USDT", "1")
	w.pays("Ethereum", "ETH", ether.Wallet, "1.123456789123456789")
	w.pays("Tron", "USDT", tether.Wallet, "1.123456")
	w.mine("Ethereum", 4)
	w.mine("Tron", 4)
	w.equal("1.12345678", w.balance("ETH").Available)
	w.equal("1.123456", w.balance("USDT").Available)
	dust := func(asset string) (sum string) {
		require.NoError(t, w.db.NewRaw(`select coalesce(sum(p.amount), 0)::text from postings p join accounts a on a.id = p.to_account
			where a.name = ? and p.asset = ?`, ledger.Dust, asset).Scan(t.Context(), &sum))
		return sum
	}
	require.Equal(t, "0.000000009123456789", dust("ETH"))
	require.Equal(t, "0", dust("USDT"))
	w.equal("1.12345678", w.payinNow(ether.ID).Received)
}

// Without a price another token is credited all the same, counts for nothing, and the operator is told.
//
// Covers addendum §8: Another accepted token
func TestTokenWithoutAPriceIsCreditedAndShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	p := w.payin("Ethereum", "USDT", "3000")
	w.exec("delete from prices where base = 'ETH'")
	w.pays("Ethereum", "ETH", p.Wallet, "2")
	w.pays("Ethereum", "USDT", p.Wallet, "10")
	w.mine("Ethereum", 4)
	w.equal("2", w.balance("ETH").Available)
	w.equal("10", w.payinNow(p.ID).Received)
	require.Equal(t, pay.PayinPending, w.payinNow(p.ID).Status)
	waits, err := w.store.WaitVitals(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, waits.Unpriced)
	require.Equal(t, p.ID.String(), waits.UnpricedPayin)
	require.Equal(t, 1, w.count("select count(*) from transfers where token = 'ETH' and reason like 'credited, and counted as nothing%'"))
}
