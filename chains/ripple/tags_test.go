package ripple_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/ripple"
	"causeway/internal/dev/rippled"
)

// TestPaymentsWithoutATagAreWarnedOf: at the start, while the shared address has an account that takes them.
//
// Covers operator §Settings: If the shared address takes payments
func TestPaymentsWithoutATagAreWarnedOf(t *testing.T) {
	t.Parallel()
	l := launch(t)
	warned := func() bool {
		var said bytes.Buffer
		log := logrus.New()
		log.SetOutput(&said)
		c, err := ripple.Open(t.Context(), l.config, log)
		check(t, err)
		c.Close()
		return strings.Contains(said.String(), "RequireDest")
	}
	if warned() {
		t.Error("there is no account yet")
	}
	l.pay(t, l.deposit(t), "", decimal.NewFromInt(2))
	l.node.Close(1)
	if !warned() {
		t.Error("nobody is warned")
	}
	secret, err := addresses.PrivateFromSeed(seed, ripple.AccountPath+"/0/0")
	check(t, err)
	_, err = l.node.Set(rippled.KeyFromBytes(secret), 1)
	check(t, err)
	l.node.Close(1)
	if warned() {
		t.Error("the address wants tags, and there is a warning")
	}
}

// act is the spend that prepares the shared address.
func (l *launched) act(t testing.TB, over ...[]byte) chains.Spend {
	t.Helper()
	return chains.Spend{From: &chains.Wallet{Address: l.deposit(t)}, Act: chains.ActPrepare, Over: over}
}

// TestTheSharedAddressIsPrepared: it wants destination tags from then on. One whose last ledger is over is signed again for its number, and does
// the same.
func TestTheSharedAddressIsPrepared(t *testing.T) {
	t.Parallel()
	l := launch(t)
	if _, err := l.Unprepared(t.Context()); !errors.Is(err, chains.ErrShort) {
		t.Errorf("there is no account: %v", err)
	}
	l.deposited(t, 0, "20")
	if lacks, err := l.Unprepared(t.Context()); err != nil || !strings.Contains(lacks, "destination tag") {
		t.Errorf("%q, %v", lacks, err)
	}
	number, err := l.NextNonce(t.Context(), l.deposit(t))
	check(t, err)
	sign := func(over ...[]byte) chains.Signed {
		draft, err := l.sender.Prepare(t.Context(), l.act(t, over...))
		check(t, err)
		signed, err := draft.Sign(chains.Slot{Number: number})
		check(t, err)
		return signed
	}
	first := sign()
	l.node.Close(ripple.Life + 1)
	l.outcome(t, first.Raw, chains.Expired)
	second := sign(first.Raw)
	before := l.held(t, l.deposit(t))
	l.outcome(t, second.Raw, chains.Accepted)
	l.node.Close(1)
	if lacks, err := l.Unprepared(t.Context()); err != nil || lacks != "" {
		t.Errorf("%q, %v", lacks, err)
	}
	if cost := before.Sub(l.held(t, l.deposit(t))); !cost.IsPositive() || cost.GreaterThan(second.Fee) {
		t.Errorf("it has cost %s", cost)
	}
	untagged := l.pay(t, l.deposit(t), "", decimal.NewFromInt(5))
	l.node.Close(1)
	for _, move := range l.newest(t).Transfers {
		if move.Txid == untagged {
			t.Errorf("a payment without a tag has arrived: %+v", move)
		}
	}
	if _, err := l.sender.Prepare(t.Context(), l.act(t)); !errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("once more: %v", err)
	}
}

// TestNothingElseIsPrepared: an act of the hot wallet, with an order, or of another kind is none.
func TestNothingElseIsPrepared(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 0, "20")
	for name, spend := range map[string]chains.Spend{
		"the hot wallet": {Act: chains.ActPrepare},
		"an order":       {From: from, Act: chains.ActPrepare, Orders: l.sweepOf(from, "5").Orders},
		"a stake":        {From: from, Act: chains.ActStake, Orders: l.sweepOf(from, "5").Orders},
	} {
		if _, err := l.sender.Prepare(t.Context(), spend); !says(err, "not an act") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
