package tron_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
)

// deposited is a deposit address with solid money.
func (l *launched) deposited(t testing.TB, index uint32, token, amount string) *chains.Wallet {
	t.Helper()
	address, err := l.Derive(t.Context(), index)
	check(t, err)
	l.pay(t, token, address, decimal.RequireFromString(amount))
	l.node.Solidify()
	l.node.Mine(1)
	return &chains.Wallet{Address: address, Index: index}
}

// sweepOf is the spend of an amount of a deposit address.
func (l *launched) sweepOf(from *chains.Wallet, token, amount string) chains.Spend {
	return chains.Spend{From: from, Most: true, Orders: []chains.Order{order(token, amount, l.Hot())}}
}

// missing is the TRX that a sweep is short of.
func (l *launched) missing(t testing.TB, spend chains.Spend) decimal.Decimal {
	t.Helper()
	var short *chains.Short
	if _, err := l.sender.Prepare(t.Context(), spend); !errors.As(err, &short) || short.Token != "TRX" {
		t.Fatalf("%v, want that TRX are missing", err)
	}
	return short.Missing
}

// swept signs and sends a sweep, and returns what it may cost and what it has cost.
func (l *launched) swept(t testing.TB, spend chains.Spend, slot uint64) (chains.Signed, chains.TxStatus) {
	t.Helper()
	d, err := l.sender.Prepare(t.Context(), spend)
	check(t, err)
	signed, err := d.Sign(chains.Slot{Number: slot})
	check(t, err)
	l.outcome(t, signed.Raw, chains.Accepted)
	l.node.Mine(1)
	now := l.status(t, signed.Txid)
	if now.State != chains.TxMined || now.Fee.GreaterThan(signed.Fee) {
		t.Fatalf("%+v, and at most %s was signed", now, signed.Fee)
	}
	l.node.Solidify()
	l.node.Mine(1)
	return signed, now
}

// TestAnAddressIsToppedUpExactly: an address new to the chain gets what its sweep may cost, and no more. What is left there pays for the next
// sweep. The costs asked for by the planner are never below.
//
// Covers operator §Settings: A sweep of a token on Tron
func TestAnAddressIsToppedUpExactly(t *testing.T) {
	t.Parallel()
	l := launch(t)
	cost, err := l.MoveCost(t.Context(), "USDT")
	check(t, err)
	topup, err := l.TopupCost(t.Context())
	check(t, err)
	from := l.deposited(t, 5, "USDT", "70")
	spend := l.sweepOf(from, "USDT", "70")
	missing := l.missing(t, spend)
	if missing.GreaterThan(cost) || missing.LessThan(cost.Mul(decimal.RequireFromString("0.8"))) {
		t.Errorf("%s TRX are missing, and a move was said to cost %s", missing, cost)
	}
	if _, paid := l.sent(t, order("TRX", missing.String(), from.Address), 1); paid.Fee.GreaterThan(topup) || paid.Fee.LessThan(decimal.NewFromInt(1)) {
		t.Errorf("the top-up of a new address costs %s, and was said to cost %s at most", paid.Fee, topup)
	}
	l.node.Solidify()
	l.node.Mine(1)
	signed, now := l.swept(t, spend, 0)
	if !signed.Fee.Equal(missing) {
		t.Errorf("%s was missing, and it may cost %s", missing, signed.Fee)
	}
	l.deposited(t, 5, "USDT", "30")
	again := l.sweepOf(from, "USDT", "30")
	if less := l.missing(t, again); !less.Equal(now.Fee) {
		t.Errorf("%s are missing for another sweep, and the first has cost %s", less, now.Fee)
	}
}

// TestASweepWithoutTheToken: what a first payment of a token to the hot wallet takes is in the cost that was asked for.
func TestASweepWithoutTheToken(t *testing.T) {
	t.Parallel()
	l := launch(t)
	held, err := l.Holdings(t.Context(), "SILENT", []string{l.Hot()}, l.head(t).Height)
	check(t, err)
	l.sent(t, order("SILENT", held[0].String(), stranger("takes all")), 1)
	cost, err := l.MoveCost(t.Context(), "SILENT")
	check(t, err)
	from := l.deposited(t, 6, "SILENT", "70")
	if missing := l.missing(t, l.sweepOf(from, "SILENT", "70")); missing.GreaterThan(cost) {
		t.Errorf("%s TRX are missing, and a move was said to cost %s", missing, cost)
	}
}

// TestABusyTokenIsSweptForMore: the penalty of a busy contract is in the costs, and a sweep over max_fee waits.
func TestABusyTokenIsSweptForMore(t *testing.T) {
	t.Parallel()
	plain, busy := launch(t), on(t, tronnode.Start(t, tronnode.Options{Factor: 20_000}))
	cheap, err := plain.MoveCost(t.Context(), "USDT")
	check(t, err)
	dear, err := busy.MoveCost(t.Context(), "USDT")
	check(t, err)
	if ratio := dear.Div(cheap).InexactFloat64(); ratio < 2.3 || ratio > 3.1 {
		t.Errorf("a threefold price of energy is %s in place of %s", dear, cheap)
	}
	stingy := on(t, busy.node, func(c *tron.Config) { c.MaxFee = decimal.RequireFromString("0.5") })
	from := stingy.deposited(t, 7, "USDT", "70")
	if _, err := stingy.sender.Prepare(t.Context(), stingy.sweepOf(from, "USDT", "70")); !errors.Is(err, chains.ErrDown) || !says(err, "max_fee") {
		t.Errorf("%v, want a sweep that waits", err)
	}
}

// TestSweepsOfTRX: the fee comes out of the amount. Nothing is left of an amount below the fee.
func TestSweepsOfTRX(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 8, "TRX", "20")
	signed, _ := l.swept(t, l.sweepOf(from, "TRX", "20"), 0)
	held, err := l.Holdings(t.Context(), "TRX", []string{from.Address}, l.head(t).Height)
	check(t, err)
	if free := signed.Fee; !held[0].Equal(free) { // its bytes were free
		t.Errorf("%s TRX are left, and the fee was %s at most", held[0], free)
	}
	aByte := decimal.RequireFromString("0.001") // of a smaller amount
	if missing := l.missing(t, l.sweepOf(from, "TRX", "0.2")); !missing.Equal(signed.Fee.Sub(decimal.RequireFromString("0.199999")).Sub(aByte)) {
		t.Errorf("%s are missing of 0.2 for a fee of %s", missing, signed.Fee)
	}
}

// TestADepositAddressPaysTheHotWalletAlone: it pays nobody else, whatever is ordered.
//
// Covers operator §Settings: A deposit address on Tron pays
func TestADepositAddressPaysTheHotWalletAlone(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 9, "TRX", "20")
	for _, to := range []string{stranger("thief"), from.Address, tronnode.USDT} {
		if _, err := l.sender.Prepare(t.Context(), chains.Spend{From: from, Orders: []chains.Order{order("TRX", "5", to)}}); !errors.Is(err, chains.ErrUnpayable) {
			t.Errorf("a deposit address pays %s: %v", to, err)
		}
	}
}

// TestABlockedDepositAddress: a sweep of a token that blocks its address is given up, and its fee is not spent. A blocked hot wallet waits for
// a person.
func TestABlockedDepositAddress(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 10, "USDT", "70")
	l.call(t, "addBlackList", accountOf(t, from.Address))
	if _, err := l.sender.Prepare(t.Context(), l.sweepOf(from, "USDT", "70")); !errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("%v, want ErrUnpayable", err)
	}
	l.call(t, "addBlackList", accountOf(t, l.Hot()))
	other := l.deposited(t, 11, "USDT", "70")
	if _, err := l.sender.Prepare(t.Context(), l.sweepOf(other, "USDT", "70")); errors.Is(err, chains.ErrUnpayable) || !says(err, "blocklist of USDT") {
		t.Errorf("%v", err)
	}
}

// TestDelegatedEnergyPaysForASweep: energy that is lent to a deposit address is worth the TRX that it saves.
func TestDelegatedEnergyPaysForASweep(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 12, "USDT", "70")
	l.pay(t, "TRX", from.Address, decimal.RequireFromString("0.5")) // for bytes
	_, err := l.node.Freeze(tronnode.Rich, 50_000_000_000_000)
	check(t, err)
	l.node.Mine(1)
	_, err = l.node.Lend(tronnode.Rich, from.Address, 40_000_000_000_000)
	check(t, err)
	l.node.Solidify()
	l.node.Mine(1)
	if _, now := l.swept(t, l.sweepOf(from, "USDT", "70"), 0); !now.Fee.IsZero() {
		t.Errorf("it has cost %s in spite of energy and free bytes", now.Fee)
	}
}
