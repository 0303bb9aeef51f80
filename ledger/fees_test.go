package ledger_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"causeway/internal/pay"
	"causeway/ledger"
)

// amounts draws an amount above zero with at most so many decimals.
func amounts(places int) *rapid.Generator[decimal.Decimal] {
	return rapid.Custom(func(t *rapid.T) decimal.Decimal {
		digits := rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, 1_000_000_000_000)).Draw(t, "digits")
		return decimal.New(digits, -int32(rapid.IntRange(0, places).Draw(t, "places")))
	})
}

// rates draws a percentage from 0 to 100 as merchants have it, with up to six decimals.
func rates() *rapid.Generator[decimal.Decimal] {
	return rapid.Custom(func(t *rapid.T) decimal.Decimal {
		return decimal.New(rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 100_000_000)).Draw(t, "rate"), -6)
	})
}

// requireCut asserts: cut is exact without the part finer than the precision.
func requireCut(t require.TestingT, exact, cut decimal.Decimal, precision int) {
	require.True(t, cut.LessThanOrEqual(exact), "%s cut to %s", exact, cut)
	require.True(t, exact.Sub(cut).LessThan(decimal.New(1, -int32(precision))), "%s cut to %s", exact, cut)
	require.True(t, cut.Equal(cut.Truncate(int32(precision))), "%s is finer than %d places", cut, precision)
}

// TestPayoutFees holds the rules of addendum §6 against any payout: the recipient's amount and the fees are the debit,
// the rate fee is cut, and nobody is ever sent nothing.
//
// Covers addendum §6: rate fee
// Covers addendum §6: feetakenfromamount 1
// Covers addendum §6: feetakenfromamount 0
func TestPayoutFees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		precision := rapid.IntRange(0, 8).Draw(t, "precision")
		a := amounts(precision).Draw(t, "amount")
		p := &pay.Payout{PercentRate: rates().Draw(t, "rate"), PaysNetworkFee: rapid.Bool().Draw(t, "pays"),
			FeeFromAmount: rapid.Bool().Draw(t, "from amount")}
		if rapid.Bool().Draw(t, "fee") {
			p.NetworkFee = amounts(precision).Draw(t, "network fee")
		}
		err := ledger.PayoutFees(p, a, precision)

		requireCut(t, a.Mul(p.PercentRate).Div(decimal.NewFromInt(100)), p.RateFee, precision)
		fees := p.RateFee
		if p.PaysNetworkFee {
			fees = fees.Add(p.NetworkFee)
		}
		if p.FeeFromAmount && fees.GreaterThanOrEqual(a) {
			require.ErrorIs(t, err, ledger.ErrFeesExceedAmount)
			return
		}
		require.NoError(t, err)
		require.True(t, p.Amount.IsPositive())
		require.True(t, p.Amount.Add(fees).Equal(p.Debit), "%s and fees of %s are not %s", p.Amount, fees, p.Debit)
		if p.FeeFromAmount {
			require.True(t, p.Debit.Equal(a))
		} else {
			require.True(t, p.Amount.Equal(a))
		}
	})
}

func TestPayoutFeesAtTheEdge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ amount, fee, recipient string }{
		"one unit is left":        {"1.000001", "1", "0.000001"},
		"the fees are the amount": {"1", "1", ""},
		"the fees are more":       {"1", "1.000001", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pay.Payout{NetworkFee: decimal.RequireFromString(c.fee), PaysNetworkFee: true, FeeFromAmount: true}
			err := ledger.PayoutFees(p, decimal.RequireFromString(c.amount), 6)
			if c.recipient == "" {
				require.True(t, errors.Is(err, ledger.ErrFeesExceedAmount), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.recipient, p.Amount.String())
		})
	}
}

// TestCreditFees: a credit less its fees is never below zero, the rate fee is cut, and the network fee is taken whole
// where the credit covers it.
//
// Covers addendum §6: Payins. Crediting
func TestCreditFees(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		precision := rapid.IntRange(0, 8).Draw(t, "precision")
		amount, percent := amounts(precision).Draw(t, "amount"), rates().Draw(t, "rate")
		wanted := rapid.OneOf(rapid.Just(decimal.Zero), amounts(precision)).Draw(t, "network fee")
		rate, network := ledger.CreditFees(amount, percent, wanted, precision)

		requireCut(t, amount.Mul(percent).Div(decimal.NewFromInt(100)), rate, precision)
		net := amount.Sub(rate).Sub(network)
		require.False(t, net.IsNegative(), "%s is credited", net)
		require.False(t, network.IsNegative())
		require.True(t, network.Equal(wanted) || network.LessThan(wanted) && net.IsZero(), "%s of %s taken, %s credited", network, wanted, net)
	})
}
