package ledger_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/ledger"
)

// TestAnEventHasOneReference: everybody working on the same event comes to the same entry, and no two events share one.
// A repetition by a reorganisation is an event of its own.
func TestAnEventHasOneReference(t *testing.T) {
	t.Parallel()
	merchant := uuid.New()
	first := newTransfer("Net", decimal.RequireFromString("5.123456789"))
	first.Credits, first.Credited, first.RateFee, first.Status = 1, decimal.RequireFromString("5.12345678"), decimal.New(1, -1), pay.TransferCredited
	again, other := *first, *first
	again.Credits, other.ID = 2, uuid.New()
	p := newPayout(&world{network: "Net"}, merchant, "X")
	p.Amount, p.Debit = decimal.NewFromInt(1), decimal.NewFromInt(1)
	q := *p
	q.ID = uuid.New()

	seen := map[ledger.Reference]bool{}
	for _, of := range []func() ledger.Entry{
		func() ledger.Entry { return ledger.PayoutHeld(p) },
		func() ledger.Entry { return ledger.PayoutSettled(p) },
		func() ledger.Entry { return ledger.PayoutRefunded(p) },
		func() ledger.Entry { return ledger.PayoutHeld(&q) },
		func() ledger.Entry { return ledger.GasSpent("Net", "X", "tx", 0, p.Amount) },
		func() ledger.Entry { return ledger.GasSpent("Net", "X", "tx2", 0, p.Amount) },
		func() ledger.Entry { return ledger.GasGivenBack("Net", "X", "tx", 1, p.Amount) },
		func() ledger.Entry { return ledger.GasSpent("Net", "X", "tx", 2, p.Amount) },
		func() ledger.Entry { return ledger.GasSpent("Other", "X", "tx", 0, p.Amount) },
		func() ledger.Entry { return ledger.TreasuryOpened("Net", "evm 1", "X", p.Amount) },
		func() ledger.Entry { return ledger.TreasuryOpened("Net", "evm 1", "Y", p.Amount) },
	} {
		requireOne(t, seen, of)
	}
	for _, in := range []*pay.Transfer{first, &again, &other} {
		for _, of := range []func(uuid.UUID, string, *pay.Transfer) ledger.Entry{ledger.PayinCredited, ledger.PayinFinalised,
			ledger.PayinReversed, ledger.UnclaimedAssigned} {
			requireOne(t, seen, func() ledger.Entry { return of(merchant, "X", in) })
		}
		for _, of := range []func(string, *pay.Transfer) ledger.Entry{ledger.TreasuryFunded, ledger.TreasuryUndone, ledger.UnclaimedHeld,
			ledger.UnclaimedUndone} {
			requireOne(t, seen, func() ledger.Entry { return of("X", in) })
		}
	}
}

func requireOne(t *testing.T, seen map[ledger.Reference]bool, of func() ledger.Entry) {
	t.Helper()
	e := of()
	require.Equal(t, e, of())
	require.NotEmpty(t, e.Postings)
	require.False(t, seen[e.Reference], e.Reference)
	seen[e.Reference] = true
}
