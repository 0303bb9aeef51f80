package ripple_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/ripple"
)

// deposited is a deposit address with money of a stranger.
func (l *launched) deposited(t testing.TB, index uint32, amount string) *chains.Wallet {
	t.Helper()
	address, err := l.Derive(t.Context(), index)
	check(t, err)
	l.pay(t, address, "12345678", decimal.RequireFromString(amount))
	l.node.Close(1)
	return &chains.Wallet{Address: address, Index: index}
}

// sweepOf is the spend of an amount of a deposit address.
func (l *launched) sweepOf(from *chains.Wallet, amount string) chains.Spend {
	return chains.Spend{From: from, Most: true, Orders: []chains.Order{{To: l.Hot(), Token: "XRP", Amount: decimal.RequireFromString(amount)}}}
}

func (l *launched) keeps(t testing.TB) decimal.Decimal {
	t.Helper()
	kept, err := l.Keeps(t.Context())
	check(t, err)
	return kept
}

// held is what an address holds in the newest ledger.
func (l *launched) held(t testing.TB, address string) decimal.Decimal {
	t.Helper()
	held, err := l.Holdings(t.Context(), "XRP", []string{address}, l.node.Height())
	check(t, err)
	return held[0]
}

// TestASweepKeepsTheReserve: an address gives up all but its reserve. One drop more is short, before anything is signed.
//
// Covers operator §Settings: A deposit address on Ripple keeps
func TestASweepKeepsTheReserve(t *testing.T) {
	t.Parallel()
	l := launch(t)
	for _, index := range []uint32{0, 7} { // the shared one, and one of a fixed wallet
		from := l.deposited(t, index, "20")
		most := decimal.NewFromInt(20).Sub(l.keeps(t))
		var short *chains.Short
		_, err := l.sender.Prepare(t.Context(), l.sweepOf(from, most.Add(decimal.New(1, -6)).String()))
		if !errors.As(err, &short) || !short.Missing.Equal(decimal.New(1, -6)) {
			t.Errorf("%v, want that a drop is missing", err)
		}
		before := l.held(t, l.Hot())
		draft, err := l.sender.Prepare(t.Context(), l.sweepOf(from, most.String()))
		check(t, err)
		number, err := l.NextNonce(t.Context(), from.Address)
		check(t, err)
		signed, err := draft.Sign(chains.Slot{Number: number})
		check(t, err)
		l.outcome(t, signed.Raw, chains.Accepted)
		l.node.Close(1)
		if got := l.held(t, from.Address); !got.Equal(l.keeps(t)) {
			t.Errorf("%s are left, and %s stay", got, l.keeps(t))
		}
		if got := l.held(t, l.Hot()).Sub(before); !got.Equal(most.Sub(signed.Fee)) {
			t.Errorf("%s have arrived of %s, for a fee of %s", got, most, signed.Fee)
		}
	}
}

// TestADepositAddressPaysTheHotWalletAlone: it pays nobody else, whatever is ordered, and its bytes are of no other account.
//
// Covers operator §Settings: A deposit address on Ripple pays
func TestADepositAddressPaysTheHotWalletAlone(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 0, "20")
	other, err := l.Derive(t.Context(), 1)
	check(t, err)
	for _, to := range []string{stranger("thief"), from.Address, other} {
		spend := l.sweepOf(from, "5")
		spend.Orders[0].To = to
		if _, err := l.sender.Prepare(t.Context(), spend); !errors.Is(err, chains.ErrUnpayable) {
			t.Errorf("a deposit address pays %s: %v", to, err)
		}
	}
}

// TestASweepIsSignedForItsOwnNumber: the number of a deposit address is its own, whatever the hot wallet's is, and is spent once.
func TestASweepIsSignedForItsOwnNumber(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 0, "20")
	number, err := l.NextNonce(t.Context(), from.Address)
	check(t, err)
	draft, err := l.sender.Prepare(t.Context(), l.sweepOf(from, "5"))
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: number})
	check(t, err)
	l.node.Close(ripple.Life + 1)
	l.outcome(t, signed.Raw, chains.Expired)
	again := l.sweepOf(from, "5")
	again.Over = [][]byte{signed.Raw}
	draft, err = l.sender.Prepare(t.Context(), again)
	check(t, err)
	if _, err := draft.Sign(chains.Slot{Number: number + 1}); err == nil {
		t.Error("a replacement for another number")
	}
	second, err := draft.Sign(chains.Slot{Number: number})
	check(t, err)
	l.outcome(t, second.Raw, chains.Accepted)
	l.node.Close(1)
	l.outcome(t, second.Raw, chains.Accepted)
	l.outcome(t, signed.Raw, chains.SlotTaken)
	if next, err := l.NextNonce(t.Context(), from.Address); err != nil || next != number+1 {
		t.Errorf("the next number is %d, %v", next, err)
	}
}
