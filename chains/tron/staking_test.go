package tron_test

import (
	"errors"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
)

// staking is a fresh chain on which the hot wallet may stake.
func staking(t testing.TB) *launched {
	t.Helper()
	return launch(t, func(c *tron.Config) { c.MaxStake = decimal.NewFromInt(60_000) })
}

// act is the spend of a stake's amount.
func (l *launched) act(of chains.Act, amount string, to *chains.Wallet) chains.Spend {
	address := l.Hot()
	if to != nil {
		address = to.Address
	}
	return chains.Spend{Act: of, To: to, Orders: []chains.Order{order("TRX", amount, address)}}
}

// acted carries a spend out, and lets it become solid.
func (l *launched) acted(t testing.TB, spend chains.Spend, slot uint64) (chains.Signed, chains.TxStatus) {
	t.Helper()
	return l.swept(t, spend, slot)
}

// refused wants a spend to be refused before anything is signed.
func (l *launched) refused(t testing.TB, spend chains.Spend, words string) {
	t.Helper()
	if _, err := l.sender.Prepare(t.Context(), spend); !errors.Is(err, chains.ErrUnpayable) || !says(err, words) {
		t.Errorf("%s of %s: %v, want %q", spend.Act, spend.Orders[0].Amount, err, words)
	}
}

func (l *launched) stake(t testing.TB) *chains.Stake {
	t.Helper()
	s, err := l.Stake(t.Context())
	check(t, err)
	return s
}

func (l *launched) spendable(t testing.TB) decimal.Decimal {
	t.Helper()
	can, err := l.Spendable(t.Context(), l.Hot(), l.head(t).Height)
	check(t, err)
	return can
}

// TestAStakeStaysOurs: staking and its end cost bytes and move nothing. Only what is not staked can be spent, and max_stake bounds the rest.
//
// Covers operator §Settings: max_stake
// Covers operator §Settings: Staked TRX stays yours
func TestAStakeStaysOurs(t *testing.T) {
	t.Parallel()
	l := staking(t)
	own, fees := l.held(t, "TRX", l.head(t).Height, l.Hot())[0], decimal.Zero
	holds := func(less string) {
		t.Helper()
		if got := l.held(t, "TRX", l.head(t).Height, l.Hot())[0]; !got.Equal(own.Sub(fees)) {
			t.Errorf("%s TRX are held, want %s", got, own.Sub(fees))
		}
		if got, want := l.spendable(t), own.Sub(fees).Sub(decimal.RequireFromString(less)); !got.Equal(want) {
			t.Errorf("%s TRX can be spent, want %s", got, want)
		}
	}
	does := func(of chains.Act, amount string, slot uint64) {
		t.Helper()
		_, now := l.acted(t, l.act(of, amount, nil), slot)
		fees = fees.Add(now.Fee)
	}
	l.refused(t, l.act(chains.ActStake, "60000.000001", nil), "max_stake allows 60000")
	l.refused(t, l.act(chains.ActStake, "0.5", nil), "1 TRX")
	l.refused(t, l.act(chains.ActUnstake, "1", nil), "0 TRX are staked")
	l.refused(t, l.act(chains.ActWithdraw, "1", nil), "nothing has come back")
	holds("0")
	does(chains.ActStake, "50000", 1)
	holds("50000")
	if s := l.stake(t); s.Staked.String() != "50000" || len(s.Loans) != 0 {
		t.Errorf("%+v", s)
	}
	l.refused(t, l.act(chains.ActStake, "10001", nil), "50000 TRX are staked")
	l.refused(t, l.act(chains.ActUnstake, "50001", nil), "50000 TRX are staked")
	var short *chains.Short
	if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order("TRX", "60000", stranger("new"))}}); !errors.As(err, &short) {
		t.Errorf("a payout out of the stake: %v", err)
	}
	does(chains.ActUnstake, "20000", 2)
	holds("50000")
	if s := l.stake(t); s.Staked.String() != "30000" || s.Leaving.String() != "20000" || !s.Due.IsZero() {
		t.Errorf("%+v", s)
	}
	l.refused(t, l.act(chains.ActStake, "10001", nil), "50000 TRX are staked or on their way back")
	l.refused(t, l.act(chains.ActWithdraw, "20000", nil), "nothing has come back")
	l.node.Later(14 * 24 * time.Hour)
	l.node.Solidify()
	l.node.Mine(1)
	if s := l.stake(t); !s.Leaving.IsZero() || s.Due.String() != "20000" {
		t.Errorf("%+v", s)
	}
	holds("50000")
	does(chains.ActWithdraw, "20000", 3)
	holds("30000")
}

// TestThirtyTwoPartsComeBackAtOnce: the network takes no more, and nothing is signed for one more.
func TestThirtyTwoPartsComeBackAtOnce(t *testing.T) {
	t.Parallel()
	l := staking(t)
	l.acted(t, l.act(chains.ActStake, "100", nil), 0)
	for slot := range uint64(32) {
		d, err := l.sender.Prepare(t.Context(), l.act(chains.ActUnstake, "1", nil))
		check(t, err)
		signed, err := d.Sign(chains.Slot{Number: slot + 1})
		check(t, err)
		l.outcome(t, signed.Raw, chains.Accepted)
	}
	l.node.Solidify()
	l.node.Mine(1)
	l.refused(t, l.act(chains.ActUnstake, "1", nil), "32 parts")
}

// TestALoanPaysForASweep: a deposit address gets the TRX for its bytes, and energy as a loan. The sweep costs no energy, and the whole loan
// comes back. It is cheaper than a top-up, and the planner's cost is never below.
//
// Covers operator §Settings: With a stake the hot wallet lends
func TestALoanPaysForASweep(t *testing.T) {
	t.Parallel()
	l := staking(t)
	from := l.deposited(t, 5, "USDT", "70")
	spend := l.sweepOf(from, "USDT", "70")
	if short := l.short(t, spend); short.Offer != nil {
		t.Fatalf("an offer without a stake: %+v", short.Offer)
	}
	if lending, err := l.Lending(t.Context(), "USDT"); err != nil || lending != nil {
		t.Fatalf("lending without a stake: %+v, %v", lending, err)
	}
	l.acted(t, l.act(chains.ActStake, "50000", nil), 1)
	lending, err := l.Lending(t.Context(), "USDT")
	check(t, err)
	burnt, err := l.MoveCost(t.Context(), "USDT")
	check(t, err)
	if lending == nil || !lending.Cost.LessThan(burnt) || !lending.Fee.LessThan(lending.Cost) {
		t.Fatalf("%+v, and by burning %s", lending, burnt)
	}
	short := l.short(t, spend)
	if short.Offer == nil || !short.Offer.Rest.IsPositive() || short.Offer.Rest.GreaterThan(lending.Fee) {
		t.Fatalf("%+v", short.Offer)
	}
	l.refused(t, l.act(chains.ActLend, short.Offer.Amount.String(), from), "new to the chain")
	l.sent(t, order("TRX", short.Offer.Rest.String(), from.Address), 2)
	l.node.Solidify()
	l.node.Mine(1)
	offer := l.short(t, spend).Offer
	if offer == nil || !offer.Rest.IsZero() {
		t.Fatalf("with TRX for its bytes: %+v", offer)
	}
	l.refused(t, l.act(chains.ActTakeBack, offer.Amount.String(), from), "0 TRX of the stake are lent to it")
	_, begin := l.acted(t, l.act(chains.ActLend, offer.Amount.String(), from), 3)
	if s := l.stake(t); !s.Lent.Equal(offer.Amount) || len(s.Loans) != 1 || s.Loans[0].Address != from.Address || !s.Loans[0].Amount.Equal(offer.Amount) {
		t.Errorf("%+v", s)
	}
	_, sweep := l.swept(t, spend, 0)
	_, end := l.acted(t, l.act(chains.ActTakeBack, offer.Amount.String(), from), 4)
	if all := begin.Fee.Add(sweep.Fee).Add(end.Fee); all.GreaterThan(lending.Cost) {
		t.Errorf("it has cost %s, %s and %s, and was said to cost %s", begin.Fee, sweep.Fee, end.Fee, lending.Cost)
	}
	if s := l.stake(t); s.Staked.String() != "50000" || !s.Lent.IsZero() || len(s.Loans) != 0 {
		t.Errorf("after the end: %+v", s)
	}
}

// TestALoanThatIsNotThere: energy that payouts have used is not lent, and another's address never gets any.
func TestALoanThatIsNotThere(t *testing.T) {
	t.Parallel()
	l := staking(t)
	l.acted(t, l.act(chains.ActStake, "3000", nil), 1)
	from := l.deposited(t, 6, "USDT", "70")
	l.sent(t, order("TRX", "1", from.Address), 2)
	l.node.Solidify()
	l.node.Mine(1)
	offer := l.short(t, l.sweepOf(from, "USDT", "70")).Offer
	if offer == nil {
		t.Fatal("no offer")
	}
	other := &chains.Wallet{Address: stranger("thief"), Index: 6}
	if _, err := l.sender.Prepare(t.Context(), l.act(chains.ActLend, "5000", other)); err == nil || !says(err, "not "+other.Address) {
		t.Errorf("a loan to a stranger: %v", err)
	}
	for slot := range uint64(2) {
		l.sent(t, order("USDT", "5", stranger("payee "+string(rune('a'+slot)))), 3+slot)
	}
	l.refused(t, l.act(chains.ActLend, offer.Amount.String(), from), "can be lent now")
	if short := l.short(t, l.sweepOf(from, "USDT", "70")); short.Offer != nil {
		t.Errorf("an offer of used energy: %+v", short.Offer)
	}
}

// TestALoanLeavesPayoutsTheirTRX: a payout that was signed on the energy of the stake may be mined after the loan. It burns TRX then, so a
// hot wallet without so much lends nothing.
func TestALoanLeavesPayoutsTheirTRX(t *testing.T) {
	t.Parallel()
	l := staking(t)
	l.acted(t, l.act(chains.ActStake, "4000", nil), 1)
	from := l.deposited(t, 8, "USDT", "70")
	l.sent(t, order("TRX", "1", from.Address), 2)
	l.node.Solidify()
	l.node.Mine(1)
	offer := l.short(t, l.sweepOf(from, "USDT", "70")).Offer
	if offer == nil {
		t.Fatal("no offer")
	}
	for left, slot := range map[string]uint64{"0.9": 3, "3": 4} { // a loan is worth some 1.8 TRX
		fresh := staking(t)
		fresh.acted(t, fresh.act(chains.ActStake, "4000", nil), 1)
		to := fresh.deposited(t, 8, "USDT", "70")
		fresh.sent(t, order("TRX", "1", to.Address), 2)
		fresh.node.Solidify()
		fresh.node.Mine(1)
		rest := fresh.spendable(t).Sub(decimal.RequireFromString(left))
		fresh.sent(t, order("TRX", rest.String(), tronnode.Rich.Text()), slot)
		fresh.node.Solidify()
		fresh.node.Mine(1)
		_, err := fresh.sender.Prepare(t.Context(), fresh.act(chains.ActLend, offer.Amount.String(), to))
		if fine := left == "3"; fine != (err == nil) || !fine && (!errors.Is(err, chains.ErrUnpayable) || !says(err, "no TRX to burn")) {
			t.Errorf("with %s TRX: %v", left, err)
		}
	}
}

// TestNothingIsLentWhereBurningIsCheaper: with free energy on the network a loan costs more than it saves.
func TestNothingIsLentWhereBurningIsCheaper(t *testing.T) {
	t.Parallel()
	fees := tronnode.TronFees
	fees.Energy = 1
	l := on(t, tronnode.Start(t, tronnode.Options{Fees: &fees}), func(c *tron.Config) { c.MaxStake = decimal.NewFromInt(60_000) })
	l.acted(t, l.act(chains.ActStake, "50000", nil), 1)
	if lending, err := l.Lending(t.Context(), "USDT"); err != nil || lending != nil {
		t.Errorf("%+v, %v", lending, err)
	}
	from := l.deposited(t, 7, "USDT", "70")
	if short := l.short(t, l.sweepOf(from, "USDT", "70")); short.Offer != nil {
		t.Errorf("%+v", short.Offer)
	}
}

// short is what a sweep is short of.
func (l *launched) short(t testing.TB, spend chains.Spend) *chains.Short {
	t.Helper()
	var short *chains.Short
	if _, err := l.sender.Prepare(t.Context(), spend); !errors.As(err, &short) || short.Token != "TRX" {
		t.Fatalf("%v, want that TRX are missing", err)
	}
	return short
}
