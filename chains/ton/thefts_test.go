package ton_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/xssnick/tonutils-go/tvm/cell"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/ton"
	"causeway/internal/dev/tonnode"
)

// seen returns the transfers to the shared wallet after a height: those that pay, and those that pay nobody.
func (l *launched) seen(t testing.TB, from int64) (pay, beside []chains.Transfer) {
	t.Helper()
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	blocks, err := l.Blocks(t.Context(), from+1, 100)
	check(t, err)
	for _, b := range blocks {
		for _, move := range b.Transfers {
			switch {
			case move.To != deposit:
			case move.Beside:
				beside = append(beside, move)
			default:
				pay = append(pay, move)
			}
		}
	}
	return pay, beside
}

func text(body *cell.Builder) string {
	return base64.StdEncoding.EncodeToString(body.EndCell().ToBOC())
}

// TestForgedNotices: anybody can send what looks like a notice, and make a jetton of the same name. Only the own wallet of the pinned master counts.
//
// Covers operator §Settings: A jetton counts when
func TestForgedNotices(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	forged := cell.BeginCell().MustStoreUInt(0x7362d09c, 32).MustStoreUInt(0, 64).MustStoreBigCoins(big.NewInt(1_000_000_000_000)).MustStoreAddr(nil).
		MustStoreBoolBit(true).MustStoreRef(cell.BeginCell().MustStoreUInt(0, 32).MustStoreStringSnake("12345678").EndCell())
	_, err = l.node.Send(tonnode.Message{From: "a thief", To: deposit, Units: 10_000_000, Body: text(forged)})
	check(t, err)
	fake, err := l.node.Jetton("USDT by a thief")
	check(t, err)
	check(t, l.node.Mine(1))
	_, err = l.node.Pay(tonnode.JettonPayment{Master: fake, Owner: deposit, Units: 1_000_000_000, Comment: "12345678"})
	check(t, err)
	check(t, l.node.Mine(1))
	pay, beside := l.seen(t, start)
	if len(pay) != 0 {
		t.Errorf("a forged notice has paid: %+v", pay)
	}
	if len(beside) != 2 {
		t.Errorf("the coins of two notices are not told: %+v", beside)
	}
	l.explained(t, start)
}

// TestCommentsAsWalletsWriteThem: in one cell or in several, in a notice itself or beside it. Nothing else is a memo.
func TestCommentsAsWalletsWriteThem(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	long := "123456789012345"
	split := cell.BeginCell().MustStoreUInt(0, 32).MustStoreSlice([]byte(long[:4]), 32).
		MustStoreRef(cell.BeginCell().MustStoreSlice([]byte(long[4:]), uint(8*len(long[4:]))).EndCell())
	secret := cell.BeginCell().MustStoreUInt(0x2167da4b, 32).MustStoreStringSnake("12345678") // an encrypted comment
	for _, m := range []tonnode.Message{{Comment: "11111111"}, {Body: text(split)}, {Body: text(secret)}, {}, {Body: text(cell.BeginCell())},
		{Body: text(cell.BeginCell().MustStoreUInt(0, 32).MustStoreSlice([]byte{0xff, 0xfe}, 16))}, {Comment: "12345678\x00"}, {Comment: "\x0012345678"}} {
		m.To, m.Units = deposit, 1_000_000_000
		_, err := l.node.Send(m)
		check(t, err)
	}
	for _, p := range []tonnode.JettonPayment{{Comment: "22222222"}, {Comment: "33333333", Inline: true}, {}, {Comment: "22222222\x00"}} {
		p.Master, p.Owner, p.Units = l.usdt, deposit, 1_000_000
		_, err := l.node.Pay(p)
		check(t, err)
	}
	check(t, l.node.Mine(1))
	pay, _ := l.seen(t, start)
	got := map[string]int{}
	for _, move := range pay {
		got[move.Token+" "+move.Memo]++
	}
	want := map[string]int{"TON 11111111": 1, "TON " + long: 1, "TON ": 6, "USDT 22222222": 1, "USDT 33333333": 1, "USDT ": 2}
	for memo, times := range want {
		if got[memo] != times {
			t.Errorf("%q came %d times, want %d: %v", memo, got[memo], times, got)
		}
	}
}

// TestAWalletWithoutCodeIsPaid: the shared wallet needs no code to receive. What goes back to its sender has not been received.
func TestAWalletWithoutCodeIsPaid(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	_, err = l.node.Send(tonnode.Message{To: deposit, Units: 2_000_000_000, Comment: "12345678"})
	check(t, err)
	_, err = l.node.Send(tonnode.Message{To: deposit, Units: 5_000_000_000, Comment: "87654321", Bounce: true})
	check(t, err)
	check(t, l.node.Mine(2))
	pay, beside := l.seen(t, start)
	if len(pay) != 1 || pay[0].Memo != "12345678" || !pay[0].Amount.Equal(decimal.NewFromInt(2)) || len(beside) != 0 {
		t.Errorf("%+v, %+v", pay, beside)
	}
	l.explained(t, start)
}

// TestWhatIsBouncedToUsPaysNobody: coins that come back carry the body that they went with.
func TestWhatIsBouncedToUsPaysNobody(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	bounced := cell.BeginCell().MustStoreUInt(0xffffffff, 32).MustStoreUInt(0, 32).MustStoreStringSnake("12345678")
	excess := cell.BeginCell().MustStoreUInt(0xd53276db, 32).MustStoreUInt(0, 64)
	for _, body := range []*cell.Builder{bounced, excess} {
		_, err := l.node.Send(tonnode.Message{To: deposit, Units: 1_000_000_000, Body: text(body)})
		check(t, err)
	}
	check(t, l.node.Mine(1))
	if pay, beside := l.seen(t, start); len(pay) != 0 || len(beside) != 2 {
		t.Errorf("%+v, %+v", pay, beside)
	}
}

// TestANodeThatLies: a transaction that is left out, one of another account, and a state of another block are refused, and nothing is credited.
//
// Covers operator §Settings: A node must tell the state
func TestANodeThatLies(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	for range 3 {
		l.pay(t, chaintest.Payment{Token: "TON", To: deposit, Memo: "12345678", Amount: decimal.NewFromInt(1)})
		check(t, l.node.Mine(1))
	}
	refused := func(what string, trouble tonnode.Trouble, mended tonnode.Trouble) {
		t.Helper()
		check(t, l.node.Trouble(trouble))
		if _, err := l.Blocks(t.Context(), start+1, 100); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %v, want ErrDown", what, err)
		}
		check(t, l.node.Trouble(mended))
	}
	for hidden := 1; hidden <= 2; hidden++ {
		refused("a transaction is left out", tonnode.Trouble{Hide: new(hidden)}, tonnode.Trouble{Hide: new(0)})
	}
	refused("states of the newest block", tonnode.Trouble{Forgetful: new(true)}, tonnode.Trouble{Forgetful: new(false)})
	var others json.RawMessage
	check(t, l.node.Order(&others, "getTransactions", map[string]any{"address": l.Hot(), "limit": 3}))
	refused("transactions of another account", tonnode.Trouble{Answer: map[string]json.RawMessage{"getTransactions": others}}, tonnode.Trouble{Answer: map[string]json.RawMessage{}})
	for _, method := range []string{"getMasterchainInfo", "getBlockHeader", "getAddressInformation", "getTransactions"} {
		for _, answer := range []string{`null`, `{}`, `[]`, `[{"data":"AAAA"}]`, `"x"`, `{"last":{"workchain":-1,"seqno":-5}}`} {
			if method == "getTransactions" || answer != `null` && answer != `{}` {
				refused(method+" "+answer, tonnode.Trouble{Answer: map[string]json.RawMessage{method: json.RawMessage(answer)}}, tonnode.Trouble{Answer: map[string]json.RawMessage{}})
			}
		}
	}
	if pay, _ := l.seen(t, start); len(pay) != 3 {
		t.Errorf("%d payments after all", len(pay))
	}
}

// TestAnotherChainIsRefused: a node of the test network behind TON is never used.
//
// Covers operator §Settings: A node of the test network
func TestAnotherChainIsRefused(t *testing.T) {
	t.Parallel()
	node := tonnode.Start(t, tonnode.Options{Name: "test network"})
	cfg := settings(t, node, "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs")
	cfg.Genesis = ton.Mainnet
	if _, err := ton.Open(t.Context(), cfg, nil); !errors.Is(err, ton.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
}

// TestANodeThatGoesBack: a block that was followed is final, and a node without it is down.
func TestANodeThatGoesBack(t *testing.T) {
	t.Parallel()
	l := launch(t)
	height := l.height(t)
	if _, err := l.Head(t.Context(), height); err != nil {
		t.Fatal(err)
	}
	check(t, l.node.Trouble(tonnode.Trouble{Behind: new(2)}))
	if _, err := l.Head(t.Context(), -1); !says(err, "went back") {
		t.Errorf("%v", err)
	}
}

// TestTheSeedIsTheKeys: a seed of other keys signs nothing.
func TestTheSeedIsTheKeys(t *testing.T) {
	t.Parallel()
	l := launch(t)
	if _, err := ton.NewSender(l.Connector, []byte("another seed")); !errors.Is(err, ton.ErrKey) {
		t.Errorf("%v, want ErrKey", err)
	}
}
