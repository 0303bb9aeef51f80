package workers_test

import (
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// quoted makes a payin of 10 USD at 0.25 for a TRX, or 40 TRX; its time was over so long ago.
func (w *world) quoted(ago string, change ...func(*pay.Payin)) *pay.Payin {
	w.t.Helper()
	p := w.payin("Tron", "TRX", "40", append([]func(*pay.Payin){func(p *pay.Payin) {
		p.ProcessBy, p.FiatAmount, p.Price = pay.ByFiat, decimal.NewNullDecimal(dec("10")), decimal.NewNullDecimal(dec("0.25"))
	}}, change...)...)
	w.expires(p)
	w.exec("update payins set expires_at = now() - ?::interval where id = ?", ago, p.ID)
	return p
}

// prices lets a TRX cost so much.
func (w *world) prices(price string) {
	w.t.Helper()
	w.exec("update prices set price = ? where base = 'TRX' and quote = 'USD'", price)
}

// late returns the last webhook's late money, as "event status received worth".
func (w *world) late() string {
	w.t.Helper()
	all := w.receiver.at("")
	n := all[len(all)-1]
	require.Equal(w.t, true, n.Data["late"])
	worth, _ := n.Data["worth_at_arrival"].(string)
	return n.Event + " " + n.Data["status"].(string) + " " + n.Data["received_amount"].(string) + " " + worth
}

// The quote holds within a day and 5 %; beyond these a payin completes by the worth of late money.
//
// Covers addendum §8: The quote of a payin
// Covers addendum §8: Beyond that, what comes late
// Covers addendum §8: A record with late money
func TestLateMoneyCompletesByItsWorth(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ ago, price, amount, want string }{
		"in time of grace":           {"1 hour", "0.25", "40", "payment_confirmed success 40 10.00000000"},
		"at the bound":               {"1 hour", "0.2375", "40", "payment_confirmed success 40 9.50000000"},
		"fallen below the bound":     {"1 hour", "0.2374", "40", "payment_updated failed 40 9.49600000"},
		"fallen 25-fold":             {"1 hour", "0.01", "40", "payment_updated failed 40 0.40000000"},
		"fallen, and paid in full":   {"1 hour", "0.01", "1000", "payment_confirmed success 1000 10.00000000"},
		"risen, and a part is worth": {"1 hour", "0.5", "20", "payment_confirmed success 20 10.00000000"},
		"risen, and less than that":  {"1 hour", "0.5", "19.999999", "payment_updated failed 19.999999 9.99999950"},
		"after grace, a little less": {"25 hours", "0.2499", "40", "payment_updated failed 40 9.99600000"},
		"after grace, the same":      {"25 hours", "0.25", "40", "payment_confirmed success 40 10.00000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			p := w.quoted(c.ago)
			w.prices(c.price)
			w.pays("Tron", "TRX", p.Wallet, c.amount)
			w.mine("Tron", 2)
			require.Equal(t, c.want, w.late())
			w.mine("Tron", 2)
			w.equal(c.amount, w.balance("TRX").Available)
		})
	}
}

// Money in time counts at the quote, and the late rest by its worth.
//
// Covers addendum §8: Beyond that, what comes late
func TestLateRestOfAPart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.quoted("-1 hour")
	w.exec("update payins set status = 'pending' where id = ?", p.ID)
	w.pays("Tron", "TRX", p.Wallet, "30")
	w.mine("Tron", 2)
	w.exec("update payins set expires_at = now() where id = ?", p.ID)
	w.work()
	require.Equal(t, pay.PayinFailed, w.payinNow(p.ID).Status)
	w.prices("0.125")
	w.pays("Tron", "TRX", p.Wallet, "10")
	w.mine("Tron", 2)
	require.Equal(t, "payment_updated failed 40 1.25000000", w.late())
	require.Equal(t, "late failed 40 exact pending 10", w.updates()[len(w.updates())-1])
	w.pays("Tron", "TRX", p.Wallet, "10")
	w.mine("Tron", 2)
	require.Equal(t, "payment_confirmed success 50 2.50000000", w.late())
}

// Without a price nothing completes on a guess.
//
// Covers addendum §8: Without a price
func TestLateMoneyWithoutAPrice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.quoted("1 hour")
	w.exec("delete from prices where base = 'TRX'")
	w.pays("Tron", "TRX", p.Wallet, "40")
	w.mine("Tron", 4)
	require.Equal(t, pay.PayinFailed, w.payinNow(p.ID).Status)
	require.Equal(t, "payment_updated failed 40 ", w.late())
	w.equal("40", w.balance("TRX").Available)
}

// Covers operator §Admin: --late-grace says
// Covers addendum §8: A payin by crypto_amount
func TestLateTermsOfAMerchant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	desk := &admin.Admin{Store: w.store, Actor: "operator"}
	pays := func(change ...func(*pay.Payin)) pay.PayinStatus {
		p := w.quoted("1000 hours", change...)
		w.pays("Tron", "TRX", p.Wallet, "40")
		w.mine("Tron", 2)
		return w.payinNow(p.ID).Status
	}
	w.prices("0.01")
	require.Equal(t, pay.PayinFailed, pays())
	require.Equal(t, pay.PayinCompleted, pays(func(p *pay.Payin) { p.ProcessBy = pay.ByCrypto }))
	view, err := desk.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{LateGrace: new("")})
	require.NoError(t, err)
	require.Nil(t, view.LateGrace)
	require.Equal(t, pay.PayinFailed, pays())
	_, err = desk.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{LateBound: new("")})
	require.NoError(t, err)
	require.Equal(t, pay.PayinCompleted, pays())
	view, err = desk.UpdateMerchant(t.Context(), w.merchant, admin.MerchantChange{LateGrace: new("90m"), LateBound: new("0.5")})
	require.NoError(t, err)
	require.Equal(t, "1h30m0s", *view.LateGrace)
	w.equal("0.5", view.LateBound.Decimal)
	for _, wrong := range []admin.MerchantChange{{LateGrace: new("-1h")}, {LateGrace: new("24")}, {LateGrace: new("9000h")}, {LateBound: new("-1")},
		{LateBound: new("101")}} {
		_, err := desk.UpdateMerchant(t.Context(), w.merchant, wrong)
		require.Error(t, err)
	}
}

// A reorganisation mining a late transfer again leaves its weight as it was, whatever the price is then.
//
// Covers addendum §8: Beyond that, what comes late
func TestLateWeightStaysWhenMinedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.quoted("1 hour")
	w.pays("Tron", "TRX", p.Wallet, "40")
	w.mine("Tron", 2)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	w.prices("0.01")
	_, err := w.chain.Reorg(t.Context(), "Tron", 3)
	require.NoError(t, err)
	w.mine("Tron", 3)
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.Equal(t, "payment_confirmed success 40 10.00000000", w.late())
}

// A transfer mined in time is not late, however late its network was read.
//
// Covers addendum §8: Money is late
func TestMinedInTimeIsNotLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	p := w.quoted("-1 hour")
	w.pays("Tron", "TRX", p.Wallet, "40")
	_, err := w.chain.Mine(t.Context(), "Tron", 2)
	require.NoError(t, err)
	w.exec("update payins set expires_at = clock_timestamp() where id = ?", p.ID)
	w.prices("0.01")
	w.work()
	require.Equal(t, pay.PayinCompleted, w.payinNow(p.ID).Status)
	require.NotContains(t, w.receiver.at("")[len(w.receiver.at(""))-1].Data, "late")
}

// A transfer assigned by an operator to its failed payin follows the same rule.
//
// Covers addendum §13: An unclaimed transfer that is assigned
func TestAssignedLateMoneyCompletesByItsWorth(t *testing.T) {
	t.Parallel()
	for price, want := range map[string]string{"0.01": "payment_updated failed 40 0.40000000", "0.24": "payment_confirmed success 40 9.60000000"} {
		t.Run(price, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			p := w.quoted("1 hour")
			w.exec("update tokens set active = false where symbol = 'TRX'")
			w.pays("Tron", "TRX", p.Wallet, "40")
			w.mine("Tron", 2)
			w.prices(price)
			w.assignsTheOne()
			require.Equal(t, want, w.late())
		})
	}
}
