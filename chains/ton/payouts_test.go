package ton_test

import (
	"errors"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/internal/dev/tonnode"
)

func order(token, amount, to, memo string) chains.Order {
	return chains.Order{To: to, Token: token, Memo: memo, Amount: decimal.RequireFromString(amount)}
}

func (l *launched) signed(t testing.TB, number uint64, o chains.Order, over ...[]byte) chains.Signed {
	t.Helper()
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{o}, Over: over})
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: number})
	check(t, err)
	if l.all == nil {
		l.all = map[string]chains.Order{}
	}
	l.all[signed.Txid] = o
	return signed
}

func (l *launched) outcome(t testing.TB, raw []byte, want chains.Outcome) {
	t.Helper()
	if got, reason := l.sender.Broadcast(t.Context(), raw); got != want || (want != chains.Accepted) != (reason != "") {
		t.Errorf("outcome %d (%q), want %d", got, reason, want)
	}
}

func (l *launched) status(t testing.TB, txid string) chains.TxStatus {
	t.Helper()
	all, err := l.Status(t.Context(), []string{txid})
	check(t, err)
	return all[txid]
}

// sent signs, sends and mines, and returns the state.
func (l *launched) sent(t testing.TB, number uint64, o chains.Order) (chains.Signed, chains.TxStatus) {
	t.Helper()
	signed := l.signed(t, number, o)
	l.outcome(t, signed.Raw, chains.Accepted)
	check(t, l.node.Mine(1))
	return signed, l.status(t, signed.Txid)
}

func (l *launched) stranger(t testing.TB, name string) string {
	t.Helper()
	raw, err := l.node.Stranger(name)
	check(t, err)
	canonical, err := l.Validate(raw)
	check(t, err)
	return canonical
}

func (l *launched) holds(t testing.TB, token, address string, height int64) decimal.Decimal {
	t.Helper()
	held, err := l.Holdings(t.Context(), token, []string{address}, height)
	check(t, err)
	return held[0]
}

func (l *launched) height(t testing.TB) int64 {
	t.Helper()
	head, err := l.Head(t.Context(), -1)
	check(t, err)
	return head.Height
}

func wantState(t testing.TB, got chains.TxStatus, state chains.TxState, final bool) {
	t.Helper()
	if got.State != state || got.Final != final {
		t.Errorf("%+v, want state %d, final %v", got, state, final)
	}
}

// TestASeqnoProvesNothing: a wallet that holds too little by then uses the number and pays nothing. Its own transaction has succeeded.
func TestASeqnoProvesNothing(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.stranger(t, "payee")
	first, second := l.signed(t, 0, order("TON", "60000", payee, "")), l.signed(t, 1, order("TON", "60000", payee, ""))
	for _, s := range []chains.Signed{first, second} {
		l.outcome(t, s.Raw, chains.Accepted)
		check(t, l.node.Mine(1))
	}
	wantState(t, l.status(t, first.Txid), chains.TxMined, true)
	failed := l.status(t, second.Txid)
	wantState(t, failed, chains.TxReverted, true)
	if !failed.Fee.IsPositive() {
		t.Error("it has cost nothing")
	}
	if next, err := l.NextNonce(t.Context(), l.Hot()); err != nil || next != 2 {
		t.Errorf("the next number is %d, %v", next, err)
	}
	if got := l.holds(t, "TON", payee, l.height(t)); !got.Equal(decimal.NewFromInt(60_000)) {
		t.Errorf("the payee has %s", got)
	}
}

// TestWhatComesBackHasNotPaid: a contract that does not take coins sends them back, less what that costs.
func TestWhatComesBackHasNotPaid(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	contract, err := l.Validate(refusing(t, l))
	check(t, err)
	start := l.height(t)
	signed, now := l.sent(t, 0, order("TON", "5", contract, "hello"))
	wantState(t, now, chains.TxMined, false) // the contract has not received it yet
	check(t, l.node.Mine(1))
	now = l.status(t, signed.Txid)
	wantState(t, now, chains.TxReverted, true)
	check(t, l.node.Mine(1))
	l.explained(t, start)
	if now.Fee.LessThan(decimal.NewFromInt(5)) {
		t.Errorf("it cost %s, and what comes back is told by itself", now.Fee)
	}
}

// refusing deploys a contract that takes no coins of others: the master of another jetton.
func refusing(t testing.TB, l *launched) string {
	t.Helper()
	master, err := l.node.Jetton("one that refuses")
	check(t, err)
	check(t, l.node.Mine(2))
	return master
}

// TestJettonsArriveOrComeBack: an order is done when the recipient's jetton wallet has the units.
func TestJettonsArriveOrComeBack(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	payee := l.stranger(t, "payee")
	start := l.height(t)
	signed, now := l.sent(t, 0, order("USDT", "7.5", payee, "12345678"))
	wantState(t, now, chains.TxMined, false)
	check(t, l.node.Mine(1)) // our jetton wallet
	wantState(t, l.status(t, signed.Txid), chains.TxMined, false)
	check(t, l.node.Mine(1)) // the recipient's
	wantState(t, l.status(t, signed.Txid), chains.TxMined, true)
	check(t, l.node.Mine(2))
	l.explained(t, start)
	if got := l.holds(t, "USDT", payee, l.height(t)); !got.Equal(decimal.RequireFromString("7.5")) {
		t.Errorf("the payee has %s", got)
	}
	for h := start; h <= l.height(t); h++ { // what is ordered is gone at once
		want := decimal.NewFromInt(100_000)
		if h > start {
			want = want.Sub(decimal.RequireFromString("7.5"))
		}
		if got := l.holds(t, "USDT", l.Hot(), h); !got.Equal(want) {
			t.Errorf("after block %d the hot wallet holds %s USDT, want %s", h, got, want)
		}
	}
	// Two orders that one balance covers alone: the second moves nothing, and its coins are a cost.
	one, two := l.signed(t, 1, order("USDT", "60000", payee, "")), l.signed(t, 2, order("USDT", "60000", payee, ""))
	for _, s := range []chains.Signed{one, two} {
		l.outcome(t, s.Raw, chains.Accepted)
		check(t, l.node.Mine(5))
	}
	wantState(t, l.status(t, one.Txid), chains.TxMined, true)
	wantState(t, l.status(t, two.Txid), chains.TxReverted, true)
	check(t, l.node.Mine(5))
	l.explained(t, l.height(t)-4)
	if got := l.holds(t, "USDT", l.Hot(), l.height(t)); !got.Equal(decimal.RequireFromString("39992.5")) {
		t.Errorf("the hot wallet holds %s USDT", got)
	}
}

// TestNumbersInTheirTurn: a wallet carries out one number after the other, and few are signed for ahead.
//
// Covers operator §Settings: Payouts leave one after the other
func TestNumbersInTheirTurn(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.stranger(t, "payee")
	first, second := l.signed(t, 0, order("TON", "1", payee, "")), l.signed(t, 1, order("TON", "2", payee, ""))
	l.outcome(t, second.Raw, chains.NotTaken)
	l.outcome(t, first.Raw, chains.Accepted)
	l.outcome(t, l.signed(t, 0, order("TON", "3", payee, "")).Raw, chains.NotTaken) // both might be carried out
	check(t, l.node.Mine(1))
	l.outcome(t, second.Raw, chains.Accepted)
	check(t, l.node.Mine(1))
	l.outcome(t, l.signed(t, 1, order("TON", "3", payee, "")).Raw, chains.SlotTaken)
	l.outcome(t, second.Raw, chains.Accepted)
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order("TON", "1", payee, "")}})
	check(t, err)
	if _, err := draft.Sign(chains.Slot{Number: 40}); !errors.Is(err, chains.ErrDown) {
		t.Errorf("a number far ahead: %v", err)
	}
	if got := l.holds(t, "TON", payee, l.height(t)); got.LessThan(decimal.RequireFromString("2.999999")) || got.GreaterThan(decimal.NewFromInt(3)) {
		t.Errorf("the payee has %s, want 3 less what storing it costs", got)
	}
}

// TestAnExpiredNumberIsSignedForAgain: by the clock of blocks, and only then.
//
// Covers operator §Settings: A payout that no block has within
func TestAnExpiredNumberIsSignedForAgain(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.stranger(t, "payee")
	o := order("TON", "1", payee, "")
	first := l.signed(t, 0, o)
	check(t, l.node.Hold(true))
	l.outcome(t, first.Raw, chains.Accepted)
	check(t, l.node.Mine(10))
	wantState(t, l.status(t, first.Txid), chains.TxPending, false)
	check(t, l.node.Pass(120))
	check(t, l.node.Mine(1))
	check(t, l.node.Hold(false))
	wantState(t, l.status(t, first.Txid), chains.TxMissing, false)
	l.outcome(t, first.Raw, chains.Expired)
	again := l.signed(t, 0, o, first.Raw)
	l.outcome(t, again.Raw, chains.Accepted)
	check(t, l.node.Mine(1))
	wantState(t, l.status(t, again.Txid), chains.TxMined, true)
	l.outcome(t, first.Raw, chains.SlotTaken)
}

// TestAnotherProcessFindsWhatWasSent: after a restart nothing is remembered, and all is read from the chain.
func TestAnotherProcessFindsWhatWasSent(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.stranger(t, "payee")
	var all []chains.Signed
	for number := range uint64(4) {
		signed, _ := l.sent(t, number, order("TON", "1", payee, ""))
		all = append(all, signed)
		l.pay(t, chaintest.Payment{Token: "TON", To: l.Hot(), Amount: decimal.NewFromInt(1)})
	}
	check(t, l.node.Mine(30))
	other := reopened(t, l)
	for _, s := range all {
		got, err := other.Status(t.Context(), []string{s.Txid})
		check(t, err)
		if want := l.status(t, s.Txid); got[s.Txid] != want && !got[s.Txid].Fee.Equal(want.Fee) {
			t.Errorf("%+v, and before %+v", got[s.Txid], want)
		}
		wantState(t, got[s.Txid], chains.TxMined, true)
	}
}

// TestTroubleOnTheWay: no lost answer, swallowed message or busy node is a proof of anything.
func TestTroubleOnTheWay(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.stranger(t, "payee")
	first := l.signed(t, 0, order("TON", "1", payee, ""))
	check(t, l.node.Trouble(tonnode.Trouble{Mute: new(1)}))
	l.outcome(t, first.Raw, chains.Unknown)
	check(t, l.node.Mine(1))
	l.outcome(t, first.Raw, chains.Accepted) // it was taken after all
	second := l.signed(t, 1, order("TON", "1", payee, ""))
	check(t, l.node.Trouble(tonnode.Trouble{Swallow: new(1)}))
	l.outcome(t, second.Raw, chains.Accepted)
	check(t, l.node.Mine(1))
	wantState(t, l.status(t, second.Txid), chains.TxPending, false)
	l.outcome(t, second.Raw, chains.Accepted)
	check(t, l.node.Mine(1))
	wantState(t, l.status(t, second.Txid), chains.TxMined, true)
	check(t, l.node.Trouble(tonnode.Trouble{Throttle: new(2)}))
	l.outcome(t, second.Raw, chains.Unknown)
	check(t, l.node.Trouble(tonnode.Trouble{Throttle: new(0), Refuse: &tonnode.Refuse{Method: "sendBocReturnHash", Code: 500, Message: "LITE_SERVER_NETWORK: timeout"}}))
	third := l.signed(t, 2, order("TON", "1", payee, ""))
	l.outcome(t, third.Raw, chains.NotTaken)
	wantState(t, l.status(t, third.Txid), chains.TxMissing, false)
}

// TestWhoCannotBePaid: what is found out before anything is signed.
func TestWhoCannotBePaid(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.stranger(t, "payee")
	for _, c := range []struct {
		order chains.Order
		want  error
	}{
		{order("TON", "99999.99", payee, ""), chains.ErrShort},
		{order("USDT", "100000.000001", payee, ""), chains.ErrShort},
		{order("TON", "1", l.Hot(), ""), chains.ErrUnpayable},
		{order("TON", "1", l.usdt, ""), nil}, // it bounces: only what the API is asked for is checked as an address
		{order("USDT", "1", payee, string(make([]byte, 200))), chains.ErrUnpayable},
		{order("TON", "0.0000000001", payee, ""), chains.ErrUnpayable},
	} {
		_, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{c.order}})
		if !errors.Is(err, c.want) {
			t.Errorf("%s %s: %v, want %v", c.order.Amount, c.order.Token, err, c.want)
		}
	}
	for _, address := range []string{l.Hot(), l.usdt} {
		if _, err := l.Validate(address); !errors.Is(err, chains.ErrNotPayable) {
			t.Errorf("%s: %v, want ErrNotPayable", address, err)
		}
	}
}
