package ripple_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/dev/rippled"
)

// tag is of a payin in these tests.
const tag = "87654321"

// wantTransfers fails unless the newest ledger has exactly these transfers to an address: amounts with their memos.
func (l *launched) wantTransfers(t *testing.T, to string, want ...string) {
	t.Helper()
	var got []string
	for _, m := range l.newest(t).Transfers {
		if m.To == to {
			got = append(got, m.Amount.String()+" "+m.Memo)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%q came, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q came, want %q", got, want)
		}
	}
}

// funded is launch with an account at the shared deposit address.
func funded(t *testing.T) (*launched, string) {
	t.Helper()
	l := launch(t)
	to := l.deposit(t)
	l.pay(t, to, tag, decimal.NewFromInt(5))
	l.node.Close(1)
	l.wantTransfers(t, to, "5 "+tag)
	return l, to
}

// TestAPartialPaymentBringsWhatItDelivers: its amount says anything at all. Exchanges have credited this amount, and paid it out.
//
// Covers operator §Settings: What a payment delivered is credited
func TestAPartialPaymentBringsWhatItDelivers(t *testing.T) {
	t.Parallel()
	l, to := funded(t)
	_, err := l.node.PayPartly(to, tagOf(t, tag), 1_000_000*xrp, 7)
	check(t, err)
	l.node.Close(1)
	l.wantTransfers(t, to, "0.000007 "+tag)
}

// TestAnIssuedCurrencyIsNoXRP: anybody issues as much as they like of it.
func TestAnIssuedCurrencyIsNoXRP(t *testing.T) {
	t.Parallel()
	l, to := funded(t)
	_, err := l.node.PayIssued(to, tagOf(t, tag), 1_000_000)
	check(t, err)
	l.node.Close(1)
	l.wantTransfers(t, to)
}

// TestAFailedPaymentBringsNothing: it is in a validated ledger, with its whole amount and the tag.
func TestAFailedPaymentBringsNothing(t *testing.T) {
	t.Parallel()
	l, to := funded(t)
	_, err := l.node.PayInVain(to, tagOf(t, tag), 1_000*xrp)
	check(t, err)
	poor := rippled.KeyOf("poor")
	_, err = l.node.Fund(poor.Text(), nil, 2*xrp)
	check(t, err)
	_, err = l.node.Send(poor, to, tagOf(t, tag), 100*xrp)
	check(t, err)
	l.node.Close(1)
	if all := l.newest(t); len(all.Transfers) != 1 || all.Transfers[0].To != poor.Text() {
		t.Errorf("%+v", all.Transfers)
	}
	l.wantTransfers(t, to)
}

// TestTagsAreAsTheyAre: without a tag, and with another or zero, a payment is nobody's.
func TestTagsAreAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, memo := range []string{"", "0", "87654322", "4294967295"} {
		l, to := funded(t)
		l.pay(t, to, memo, decimal.NewFromInt(3))
		l.node.Close(1)
		l.wantTransfers(t, to, "3 "+memo)
	}
}

// TestUnvalidatedPaymentsAreNotSeen: what waits for its ledger is in no block, and a ledger that is not validated is none.
func TestUnvalidatedPaymentsAreNotSeen(t *testing.T) {
	t.Parallel()
	l, to := funded(t)
	height := l.node.Height()
	txid := l.pay(t, to, tag, decimal.NewFromInt(3))
	for _, from := range []int64{height, height + 1} {
		blocks, err := l.Blocks(t.Context(), from, 10)
		check(t, err)
		for _, b := range blocks {
			for _, m := range b.Transfers {
				if m.Txid == txid {
					t.Errorf("ledger %d has what waits", b.Height)
				}
			}
		}
	}
	if n := l.Network(); n.Mempool != nil {
		t.Error("a payment is told before it is validated")
	}
}

// TestOtherMoneyArrivesToo: an account that is deleted gives all it has, with its tag, and so does an escrow, without any.
//
// Covers operator §Settings: XRP that comes by another transaction
func TestOtherMoneyArrivesToo(t *testing.T) {
	t.Parallel()
	l, to := funded(t)
	leaver := rippled.KeyOf("leaver")
	_, err := l.node.Fund(leaver.Text(), nil, 20*xrp)
	check(t, err)
	l.node.Close(1)
	_, err = l.node.Leave(leaver, to, tagOf(t, tag))
	check(t, err)
	l.node.Close(1)
	l.wantTransfers(t, to, "19.8 "+tag)
	_, err = l.node.FinishEscrow(to, 4*xrp)
	check(t, err)
	l.node.Close(1)
	l.wantTransfers(t, to, "4 ")
}

// TestLedgersThatAreLostAreNotPassedOver: a node that lacks a ledger is down, until it has it.
//
// Covers operator §Settings: Validated ledgers alone
func TestLedgersThatAreLostAreNotPassedOver(t *testing.T) {
	t.Parallel()
	l, to := funded(t)
	from := l.node.Height()
	l.node.Close(6)
	l.node.Lose(from+2, from+3)
	blocks, err := l.Blocks(t.Context(), from, 20)
	if !errors.Is(err, chains.ErrDown) || !says(err, "lacks ledger") {
		t.Errorf("%d ledgers, %v", len(blocks), err)
	}
	if hash, err := l.Hash(t.Context(), from+2); err == nil {
		t.Errorf("a lost ledger is %q", hash)
	}
	if _, err := l.Holdings(t.Context(), "XRP", []string{to}, from+2); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v", err)
	}
	if _, err := l.NonceAt(t.Context(), l.Hot(), from+2); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v", err)
	}
	l.node.Lose(0, 0)
	if blocks, err := l.Blocks(t.Context(), from, 20); err != nil || len(blocks) != 7 {
		t.Errorf("%d ledgers, %v", len(blocks), err)
	}
	l.node.Unsync(true)
	if _, err := l.Head(t.Context(), from); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v", err)
	}
}
