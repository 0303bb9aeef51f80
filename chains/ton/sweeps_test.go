package ton_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/internal/dev/tonnode"
)

// deposited is a deposit address with money of a stranger.
func (l *launched) deposited(t testing.TB, index uint32, paid map[string]string) *chains.Wallet {
	t.Helper()
	address, err := l.Derive(t.Context(), index)
	check(t, err)
	for token, amount := range paid {
		l.pay(t, chaintest.Payment{Token: token, To: address, Memo: "12345678", Amount: decimal.RequireFromString(amount)})
	}
	check(t, l.node.Mine(5))
	return &chains.Wallet{Address: address, Index: index}
}

// sweep signs and sends a sweep of an amount.
func (l *launched) sweep(t testing.TB, from *chains.Wallet, token, amount string) chains.Signed {
	t.Helper()
	o := order(token, amount, l.Hot(), "")
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{From: from, Most: true, Orders: []chains.Order{o}})
	check(t, err)
	number, err := l.NextNonce(t.Context(), from.Address)
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: number})
	check(t, err)
	if token == "TON" {
		o.Amount = o.Amount.Sub(signed.Fee)
	}
	if l.all == nil {
		l.all = map[string]chains.Order{}
	}
	l.all[signed.Txid] = o
	l.outcome(t, signed.Raw, chains.Accepted)
	return signed
}

// arrives mines until a sweep is final. Until then the two wallets hold less, by exactly what is on its way after each block.
func (l *launched) arrives(t testing.TB, signed chains.Signed, from *chains.Wallet, token string) chains.TxStatus {
	t.Helper()
	start := l.height(t)
	for range 10 {
		check(t, l.node.Mine(1))
		if l.status(t, signed.Txid).Final {
			break
		}
	}
	now := l.status(t, signed.Txid)
	if now.State != chains.TxMined || !now.Final || now.Way == nil || now.Way.Arrives == 0 {
		t.Fatalf("%+v, want a sweep that has arrived", now)
	}
	if token == "TON" {
		return now
	}
	all := func(height int64) decimal.Decimal {
		return l.holds(t, token, l.Hot(), height).Add(l.holds(t, token, from.Address, height))
	}
	for h := start; h <= l.height(t); h++ {
		held := all(h)
		if h >= now.Height && now.Way.On(h) {
			held = held.Add(now.Way.Amount)
		}
		if !held.Equal(all(start)) {
			t.Errorf("after block %d %s %s are held or on their way, want %s", h, held, token, all(start))
		}
	}
	return now
}

// TestSweepsOnTheirWay: a sweep leaves in one block and arrives in a later one. It is final then, the address keeps what stays, and every block
// is explained. The first message deploys the wallet.
//
// Covers operator §Settings: A deposit address on TON keeps
// Covers operator §Settings: A sweep on TON leaves
func TestSweepsOnTheirWay(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	from := l.deposited(t, 0, map[string]string{"TON": "12", "USDT": "25"})
	start := l.height(t)
	units := l.sweep(t, from, "USDT", "25")
	now := l.arrives(t, units, from, "USDT")
	if now.Way.Arrives < now.Height+3 || !now.Way.Amount.Equal(decimal.NewFromInt(25)) {
		t.Errorf("%+v: two jetton wallets are on the way to the hot wallet", now.Way)
	}
	check(t, l.node.Mine(3)) // what is left of the coins comes back
	kept, err := l.Keeps(t.Context())
	check(t, err)
	amount := l.holds(t, "TON", from.Address, l.height(t)).Sub(kept)
	coins := l.sweep(t, from, "TON", amount.String())
	if now = l.arrives(t, coins, from, "TON"); now.Way.Arrives != now.Height+1 || !now.Way.Amount.Equal(amount.Sub(coins.Fee)) {
		t.Errorf("%+v of %s less %s in block %d", now.Way, amount, coins.Fee, now.Height)
	}
	if left := l.holds(t, "TON", from.Address, l.height(t)); left.LessThan(kept) || left.GreaterThan(kept.Add(coins.Fee)) {
		t.Errorf("%s TON are left, and %s stay", left, kept)
	}
	l.explained(t, start)
}

// TestTheSharedWalletIsPrepared: it brings its code itself, by a message that moves nothing, once it has been paid enough. Then payments that may
// bounce stay.
//
// Covers operator §Settings: A shared wallet on TON without code
func TestTheSharedWalletIsPrepared(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	var missing *chains.Short
	if _, err := l.Unprepared(t.Context()); !errors.As(err, &missing) || missing.Token != "TON" {
		t.Errorf("there is no coin: %v", err)
	}
	from := l.deposited(t, 0, map[string]string{"TON": missing.Missing.String()})
	if lacks, err := l.Unprepared(t.Context()); err != nil || !strings.Contains(lacks, "no code") {
		t.Errorf("%q, %v", lacks, err)
	}
	start := l.height(t)
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{From: from, Act: chains.ActPrepare})
	check(t, err)
	signed, err := draft.Sign(chains.Slot{})
	check(t, err)
	l.outcome(t, signed.Raw, chains.Accepted)
	check(t, l.node.Mine(1))
	now := l.status(t, signed.Txid)
	if wantState(t, now, chains.TxMined, true); !now.Fee.IsPositive() || now.Fee.GreaterThan(signed.Fee) || now.Way != nil {
		t.Errorf("%+v", now)
	}
	if lacks, err := l.Unprepared(t.Context()); err != nil || lacks != "" {
		t.Errorf("%q, %v", lacks, err)
	}
	_, err = l.node.Send(tonnode.Message{To: deposit, Units: 2_000_000_000, Comment: "87654321", Bounce: true})
	check(t, err)
	check(t, l.node.Mine(1))
	if pay, _ := l.seen(t, start); len(pay) != 1 || pay[0].Memo != "87654321" {
		t.Errorf("%+v", pay)
	}
	l.all = map[string]chains.Order{signed.Txid: order("TON", "0", l.Hot(), "")}
	l.explained(t, start)
}

// TestADepositAddressPaysTheHotWalletAlone: it pays nobody else, whatever is ordered, and its number is not the hot wallet's.
//
// Covers operator §Settings: A deposit address on TON pays
func TestADepositAddressPaysTheHotWalletAlone(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 0, map[string]string{"TON": "12", "USDT": "25"})
	other, err := l.Derive(t.Context(), 1)
	check(t, err)
	for _, token := range []string{"TON", "USDT"} {
		for _, to := range []string{l.stranger(t, "thief"), from.Address, other} {
			spend := chains.Spend{From: from, Most: true, Orders: []chains.Order{order(token, "5", to, "")}}
			if _, err := l.sender.Prepare(t.Context(), spend); !errors.Is(err, chains.ErrUnpayable) {
				t.Errorf("a deposit address pays %s %s: %v", token, to, err)
			}
		}
	}
	l.sent(t, 0, order("TON", "1", l.stranger(t, "payee"), ""))
	if next, err := l.NextNonce(t.Context(), from.Address); err != nil || next != 0 {
		t.Errorf("the next number of the deposit address is %d, %v", next, err)
	}
}

// TestAnotherProcessFindsASweep: of a wallet that it follows, though it has sent nothing and read no block.
func TestAnotherProcessFindsASweep(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.deposited(t, 7, map[string]string{"TON": "12"})
	signed := l.sweep(t, from, "TON", "5")
	check(t, l.node.Mine(3))
	other := reopened(t, l)
	other.AskFor(l.askedFor)
	got, err := other.Status(t.Context(), []string{signed.Txid})
	check(t, err)
	wantState(t, got[signed.Txid], chains.TxMined, true)
	from7, err := other.Origin(t.Context(), signed.Txid)
	check(t, err)
	if from7 != (chains.Origin{Txid: signed.Txid, From: from.Address}) {
		t.Errorf("%+v", from7)
	}
}

// TestASweepThatFails: units that are not there come to nothing, and its coins come back beside payments.
func TestASweepThatFails(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	from := l.deposited(t, 0, map[string]string{"TON": "12", "USDT": "25"})
	one := l.sweep(t, from, "USDT", "20")
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{From: from, Most: true, Orders: []chains.Order{order("USDT", "20", l.Hot(), "")}})
	check(t, err)
	two, err := draft.Sign(chains.Slot{Number: 1}) // both were prepared before either was carried out
	check(t, err)
	l.all[two.Txid] = order("USDT", "20", l.Hot(), "")
	l.arrives(t, one, from, "USDT")
	l.outcome(t, two.Raw, chains.Accepted)
	check(t, l.node.Mine(5))
	wantState(t, l.status(t, two.Txid), chains.TxReverted, true)
	if got := l.holds(t, "USDT", from.Address, l.height(t)); !got.Equal(decimal.NewFromInt(5)) {
		t.Errorf("%s USDT are left", got)
	}
	l.explained(t, l.height(t)-1)
}
