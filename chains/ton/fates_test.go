package ton_test

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/xssnick/tonutils-go/address"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/ton"
)

// spoilt is a payee with a jetton wallet that then has another code.
func (l *launched) spoilt(t testing.TB, name, how string) string {
	t.Helper()
	payee := l.stranger(t, name)
	l.pay(t, chaintest.Payment{Token: "USDT", To: payee, Amount: decimal.NewFromInt(1)})
	check(t, l.node.Mine(5))
	check(t, l.node.Spoil(l.usdt, payee, how))
	return payee
}

// TestUnitsThatComeBackAreAway: a recipient's jetton wallet refuses them. Until our own has them again nobody holds them, and the payout is not final.
func TestUnitsThatComeBackAreAway(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	payee := l.spoilt(t, "locked", "refuses")
	start := l.height(t)
	signed, now := l.sent(t, 0, order("USDT", "7", payee, ""))
	for now.State == chains.TxMined {
		if now.Final {
			t.Fatalf("%+v is paid", now)
		}
		check(t, l.node.Mine(1))
		now = l.status(t, signed.Txid)
	}
	wantState(t, now, chains.TxReverted, true)
	if now.Way == nil || now.Way.Arrives != now.Height+3 || !now.Way.Amount.Equal(decimal.NewFromInt(7)) {
		t.Errorf("%+v", now.Way)
	}
	check(t, l.node.Mine(3))
	for h := start; h <= l.height(t); h++ {
		held := l.holds(t, "USDT", l.Hot(), h)
		if h >= now.Height && now.Way.On(h) {
			held = held.Add(now.Way.Amount)
		}
		if !held.Equal(decimal.NewFromInt(100_000)) {
			t.Errorf("after block %d %s USDT are held or on their way", h, held)
		}
	}
}

// TestUnitsTakenInVainAreNotPaid: a recipient's jetton wallet runs, orders what cannot be sent, and keeps nothing. The units are gone: the payout is
// neither paid nor refunded.
func TestUnitsTakenInVainAreNotPaid(t *testing.T) {
	t.Parallel()
	l := launch(t)
	payee := l.spoilt(t, "in vain", "vain")
	signed, _ := l.sent(t, 0, order("USDT", "7", payee, ""))
	check(t, l.node.Mine(3))
	now := l.status(t, signed.Txid)
	wantState(t, now, chains.TxMined, true)
	if now.Amiss == nil || !now.Amiss.Arrived.IsZero() || !now.Amiss.Spent.Equal(decimal.NewFromInt(7)) {
		t.Errorf("%+v, want 7 spent and none arrived", now.Amiss)
	}
	if got := l.holds(t, "USDT", l.Hot(), l.height(t)); !got.Equal(decimal.NewFromInt(99_993)) {
		t.Errorf("the hot wallet holds %s USDT", got)
	}
}

// TestUnitsThatComeBackInVain: our own jetton wallet cannot take them again. They are gone, and nobody is refunded.
func TestUnitsThatComeBackInVain(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	payee := l.spoilt(t, "locked", "refuses")
	signed, _ := l.sent(t, 0, order("USDT", "7", payee, ""))
	check(t, l.node.Mine(2)) // our jetton wallet, and the recipient's
	wantState(t, l.status(t, signed.Txid), chains.TxMined, false)
	check(t, l.node.Spoil(l.usdt, l.Hot(), "refuses"))
	check(t, l.node.Mine(1))
	now := l.status(t, signed.Txid)
	wantState(t, now, chains.TxMined, true)
	if now.Amiss == nil || !now.Amiss.Arrived.IsZero() || !now.Amiss.Spent.Equal(decimal.NewFromInt(7)) {
		t.Errorf("%+v, want 7 spent and none arrived", now.Amiss)
	}
}

// walletOf is the jetton wallet of an owner.
func (l *launched) walletOf(t testing.TB, owner string) string {
	t.Helper()
	a, err := address.ParseAddr(owner)
	check(t, err)
	asked := base64.StdEncoding.EncodeToString(cell.BeginCell().MustStoreAddr(a).EndCell().ToBOC())
	var told struct{ Stack [][]json.RawMessage }
	check(t, l.node.Order(&told, "runGetMethod", map[string]any{"address": l.usdt, "method": "get_wallet_address", "stack": [][2]string{{"tvm.Slice", asked}}}))
	var found struct{ Bytes []byte }
	check(t, json.Unmarshal(told.Stack[0][1], &found))
	root, err := cell.FromBOC(found.Bytes)
	check(t, err)
	wallet, err := l.Validate(root.BeginParse().MustLoadAddr().String())
	check(t, err)
	return wallet
}

// TestCoinsForOurOwnJettonWallet: it keeps coins without a comment, so they are paid as to anybody, and sends others back. Nobody is refunded what has
// left.
func TestCoinsForOurOwnJettonWallet(t *testing.T) {
	t.Parallel()
	l := launch(t)
	start := l.height(t)
	wallet := l.walletOf(t, l.Hot())
	kept, _ := l.sent(t, 0, order("TON", "5", wallet, ""))
	sentBack, _ := l.sent(t, 1, order("TON", "5", wallet, "hello"))
	check(t, l.node.Mine(3))
	now := l.status(t, kept.Txid)
	if wantState(t, now, chains.TxMined, true); now.Fee.GreaterThan(kept.Fee) || now.Amiss != nil {
		t.Errorf("%+v", now)
	}
	wantState(t, l.status(t, sentBack.Txid), chains.TxReverted, true)
	l.explained(t, start)
	told := decimal.Zero
	blocks, err := l.Blocks(t.Context(), start+1, 100)
	check(t, err)
	for _, b := range blocks {
		for _, move := range b.Transfers {
			if move.From == l.Hot() && move.To == wallet {
				told = told.Add(move.Amount)
			}
		}
	}
	if !told.Equal(decimal.NewFromInt(10)) {
		t.Errorf("%s TON are told to have left", told)
	}
}

// TestAMessageThatWaitsLong: what is under way longer than a node's own search looks is found nevertheless, also by another process.
func TestAMessageThatWaitsLong(t *testing.T) {
	t.Parallel()
	l := launch(t)
	contract, err := l.Validate(refusing(t, l))
	check(t, err)
	payee := l.stranger(t, "payee")
	l.pay(t, chaintest.Payment{Token: "USDT", To: payee, Amount: decimal.NewFromInt(1)})
	check(t, l.node.Mine(1))
	check(t, l.node.Jam(true))
	coins, _ := l.sent(t, 0, order("TON", "5", contract, "hello"))
	units, _ := l.sent(t, 1, order("USDT", "7", payee, ""))
	for _, s := range []chains.Signed{coins, units} {
		wantState(t, l.status(t, s.Txid), chains.TxMined, false)
	}
	check(t, l.node.Mine(12))
	check(t, l.node.Jam(false))
	for number := range 60 {
		l.pay(t, chaintest.Payment{Token: "USDT", To: payee, Amount: decimal.NewFromInt(int64(number + 1))})
	}
	check(t, l.node.Mine(2))
	for name, c := range map[string]*ton.Connector{"the same process": l.Connector, "another one": reopened(t, l)} {
		all, err := c.Status(t.Context(), []string{coins.Txid, units.Txid})
		check(t, err)
		t.Log(name)
		wantState(t, all[coins.Txid], chains.TxReverted, true)
		wantState(t, all[units.Txid], chains.TxMined, true)
		if all[units.Txid].Amiss != nil {
			t.Errorf("%+v", all[units.Txid].Amiss)
		}
	}
}
