package solana_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
)

func (l *launched) derive(t *testing.T, index uint32) string {
	t.Helper()
	address, err := l.Derive(t.Context(), index)
	check(t, err)
	return address
}

// signed prepares and signs an order in a slot.
func (l *launched) signed(t *testing.T, order chains.Order, slot uint64) chains.Signed {
	t.Helper()
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order}})
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: slot})
	check(t, err)
	return signed
}

// paid is signed, and sent.
func (l *launched) paid(t *testing.T, order chains.Order, slot uint64) chains.Signed {
	t.Helper()
	signed := l.signed(t, order, slot)
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Fatalf("outcome %d: %s", outcome, reason)
	}
	return signed
}

// cost is the cost of a mined transaction.
func (l *launched) cost(t *testing.T, txid string) decimal.Decimal {
	t.Helper()
	now, err := l.Status(t.Context(), []string{txid})
	check(t, err)
	if now[txid].State != chains.TxMined {
		t.Fatalf("%s: %+v", txid, now[txid])
	}
	return now[txid].Fee
}

// refused fails unless an order cannot be paid, for a reason.
func (l *launched) refused(t *testing.T, order chains.Order, want error, why string) {
	t.Helper()
	_, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order}})
	if !errors.Is(err, want) || !strings.Contains(err.Error(), why) {
		t.Errorf("%+v: %v, want %v: %s", order, err, want, why)
	}
}

// stranger is a wallet without a past.
const stranger = "GsbwXfJraMomNxBcjYLcG3mxkBUiyWXAB32fGbSMQRdW"

func order(token, to, amount string) chains.Order {
	return chains.Order{To: to, Token: token, Amount: decimal.RequireFromString(amount)}
}

// TestRecipientsThatTakeNothing are refused before anything is signed.
func TestRecipientsThatTakeNothing(t *testing.T) {
	t.Parallel()
	l := launch(t)
	l.refused(t, order("SOL", stranger, "0.0008"), chains.ErrUnpayable, "0.00089088")
	l.signed(t, order("SOL", stranger, "0.00089088"), 1)
	holder := l.holder(t, "holder", stranger)
	l.refused(t, order("USDC", holder, "1"), chains.ErrUnpayable, "not a wallet")
	l.refused(t, order("SOL", holder, "1"), chains.ErrUnpayable, "not a wallet")
	off, err := l.node.Associated(stranger, solananode.USDT)
	check(t, err)
	l.refused(t, order("SOL", off, "1"), chains.ErrUnpayable, "program")
	l.refused(t, order("USDC", solananode.USDT, "1"), chains.ErrUnpayable, "")
	l.refused(t, order("USDC", l.Hot(), "1"), chains.ErrUnpayable, "hot wallet")

	giver := l.keyOf(t, "giver")
	_, err = l.node.Pay(solananode.USDC, giver, 1_000_000)
	check(t, err)
	_, err = l.node.Pay(solananode.USDC, stranger, 1_000_000)
	check(t, err)
	l.mine(t, 1)
	given, err := l.node.Associated(giver, solananode.USDC)
	check(t, err)
	_, err = l.node.Run([]solananode.Instruction{{Program: tokens, Data: append([]byte{6, 2, 1}, bytesOf(stranger)...),
		Accounts: []solananode.Account{{Key: given, Writable: true}, {Key: giver, Signer: true}}}}, "faucet", "giver")
	check(t, err)
	_, err = l.node.Freeze(solananode.USDC, stranger)
	check(t, err)
	l.mine(t, 1)
	l.refused(t, order("USDC", giver, "1"), chains.ErrUnpayable, "given its account")
	l.refused(t, order("USDC", stranger, "1"), chains.ErrUnpayable, "frozen")
	l.signed(t, order("USDT", stranger, "1"), 2)
}

// TestTheHotWalletKeepsTheLeastBalance: the chain takes no transaction of a payer that would hold less. All but that can be paid.
func TestTheHotWalletKeepsTheLeastBalance(t *testing.T) {
	t.Parallel()
	l := launch(t)
	held, err := l.Holdings(t.Context(), "SOL", []string{l.Hot()}, l.tip(t))
	check(t, err)
	var short *chains.Short
	_, err = l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: stranger, Token: "SOL", Amount: held[0]}}})
	if !errors.As(err, &short) || short.Token != "SOL" || !short.Missing.Equal(decimal.New(890_880+5_000, -9)) {
		t.Fatalf("all of it: %v", err)
	}
	signed := l.paid(t, chains.Order{To: stranger, Token: "SOL", Amount: held[0].Sub(short.Missing)}, 1)
	l.mine(t, 1)
	if cost := l.cost(t, signed.Txid); !cost.Equal(decimal.New(5_000, -9)) {
		t.Errorf("it cost %s", cost)
	}
	l.refused(t, order("USDC", stranger, "1"), chains.ErrShort, "SOL")
	l.refused(t, order("USDC", stranger, "100000.000001"), chains.ErrShort, "0.000001 USDC")
}

// TestPriorityFees: three quarters of recent offers, up to the bound of the settings. The cost is never above what was signed.
func TestPriorityFees(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *solana.Config) { c.MaxPriorityFee = decimal.New(20_000, -9) })
	for price, want := range map[int64]bool{0: false, 40_000: true, 1 << 40: true} {
		check(t, l.node.Trouble(solananode.Trouble{Prices: []int64{0, 0, price, price}}))
		signed := l.paid(t, order("SOL", stranger, "0.01"), uint64(price%7919))
		l.mine(t, 1)
		cost := l.cost(t, signed.Txid)
		over := cost.Sub(decimal.New(5_000, -9))
		if over.IsPositive() != want || cost.GreaterThan(signed.Fee) || over.GreaterThan(decimal.New(20_000, -9)) {
			t.Errorf("%d a unit: it cost %s, and %s was signed", price, cost, signed.Fee)
		}
	}
}

// TestTroubleWithANode: what a node says of a transaction is not believed, and nothing is paid twice.
func TestTroubleWithANode(t *testing.T) {
	t.Parallel()
	l := launch(t)
	signed := l.signed(t, order("SOL", stranger, "0.5"), 1)
	one := 1
	want := func(want chains.Outcome, raw []byte) {
		t.Helper()
		if got, reason := l.sender.Broadcast(t.Context(), raw); got != want {
			t.Fatalf("outcome %d (%s), want %d", got, reason, want)
		}
	}
	check(t, l.node.Trouble(solananode.Trouble{Swallow: &one}))
	want(chains.Accepted, signed.Raw)
	l.mine(t, 1)
	l.wantState(t, signed.Txid, chains.TxMissing)
	check(t, l.node.Trouble(solananode.Trouble{Throttle: &one}))
	want(chains.Unknown, signed.Raw)
	check(t, l.node.Trouble(solananode.Trouble{Mute: &one}))
	want(chains.Unknown, signed.Raw)
	want(chains.Accepted, signed.Raw)
	l.mine(t, 1)
	l.wantState(t, signed.Txid, chains.TxMined)
	want(chains.Accepted, signed.Raw)
	broken := slices.Clone(signed.Raw)
	broken[20]++
	want(chains.Rejected, broken)
	want(chains.Rejected, signed.Raw[:100])
	want(chains.Rejected, nil)
	var held struct{ Value *struct{ Lamports int64 } }
	check(t, l.node.Order(&held, "getAccountInfo", stranger, map[string]string{"encoding": "base64"}))
	if held.Value == nil || held.Value.Lamports != 500_000_000 {
		t.Errorf("paid once, and it holds %+v", held.Value)
	}
}

func (l *launched) wantState(t *testing.T, txid string, want chains.TxState) {
	t.Helper()
	now, err := l.Status(t.Context(), []string{txid})
	if err != nil || now[txid].State != want {
		t.Fatalf("%s: %+v, %v, want state %d", txid, now[txid], err, want)
	}
}

func (l *launched) tip(t *testing.T) int64 {
	t.Helper()
	head, err := l.Head(t.Context(), -1)
	check(t, err)
	return head.Height
}

// TestALostNodeIsNoDeath: a node that does not list a transaction of the hot wallet is caught by the wallet's balance, and tells no blocks.
//
// Covers operator §Settings: If no node's list of transactions explains a change of a balance
func TestALostNodeIsNoDeath(t *testing.T) {
	t.Parallel()
	l := launch(t)
	from := l.tip(t)
	if _, err := l.Blocks(t.Context(), from, 1); err != nil {
		t.Fatal(err)
	}
	signed := l.paid(t, order("SOL", stranger, "0.5"), 1)
	to := l.derive(t, 8)
	l.pay(t, "USDC", to, decimal.NewFromInt(4))
	l.mine(t, 1)
	hidden, none := 3*slots, 0
	check(t, l.node.Trouble(solananode.Trouble{HideIndex: &hidden}))
	for range 3 {
		if blocks, err := l.Blocks(t.Context(), from+1, 10); !errors.Is(err, chains.ErrDown) || len(blocks) > 0 {
			t.Fatalf("%+v, %v", blocks, err)
		}
	}
	lost := slots
	check(t, l.node.Trouble(solananode.Trouble{HideIndex: &lost}))
	l.open(t) // a process that starts knows no balance: it goes by the list, which does not lead to the balance
	if blocks, err := l.Blocks(t.Context(), 0, 10); !errors.Is(err, chains.ErrDown) || len(blocks) > 0 {
		t.Fatalf("%+v, %v", blocks, err)
	}
	check(t, l.node.Trouble(solananode.Trouble{HideIndex: &none, IndexLag: &hidden})) // and by what is written
	l.open(t)
	if blocks, err := l.Blocks(t.Context(), from+1, 10); !errors.Is(err, chains.ErrDown) || len(blocks) > 0 {
		t.Fatalf("%+v, %v", blocks, err)
	}
	forgets, no := true, false
	check(t, l.node.Trouble(solananode.Trouble{IndexLag: &none, Forgets: &forgets}))
	if blocks, err := l.Blocks(t.Context(), from+1, 10); !errors.Is(err, chains.ErrDown) || len(blocks) > 0 {
		t.Fatalf("%+v, %v", blocks, err)
	}
	check(t, l.node.Trouble(solananode.Trouble{Forgets: &no}))
	if _, sent := l.followed(t); !slices.Equal(sent, []string{signed.Txid}) {
		t.Errorf("%v were sent, want %s", sent, signed.Txid)
	}
	l.wantArrived(t, to, map[string]string{"USDC": "4"})
}

// TestSlotsWithoutBlocks: a stretch of slots without any block makes blocks of ours without one, each with a hash of its own. The clock
// stands still meanwhile.
func TestSlotsWithoutBlocks(t *testing.T) {
	t.Parallel()
	l := launch(t)
	before, err := l.Head(t.Context(), -1)
	check(t, err)
	check(t, l.node.Skip(5*slots+3))
	to := l.derive(t, 1)
	l.pay(t, "SOL", to, decimal.NewFromInt(1))
	check(t, l.node.Mine(2*slots))
	head, err := l.Head(t.Context(), before.Height)
	check(t, err)
	if grown := head.Clock - before.Clock; grown > 2*slots || head.Height < before.Height+6 {
		t.Errorf("from %+v to %+v", before, head)
	}
	seen := map[string]bool{}
	blocks, err := l.Blocks(t.Context(), before.Height, 20)
	check(t, err)
	for i, b := range blocks {
		if hash, err := l.Hash(t.Context(), b.Height); err != nil || seen[b.Hash] || hash != b.Hash || i > 0 && b.Parent != blocks[i-1].Hash {
			t.Errorf("%+v, %s, %v", b, hash, err)
		}
		seen[b.Hash] = true
	}
	l.wantArrived(t, to, map[string]string{"SOL": "1"})
}

// TestAnotherChainIsRefused, at start and later.
//
// Covers operator §Settings: A node of another cluster is refused
func TestAnotherChainIsRefused(t *testing.T) {
	t.Parallel()
	node := solananode.Start(t, solananode.Options{Lag: 1, Name: "devnet"})
	if _, err := solana.Open(t.Context(), settings(t, node.URL, solana.Mainnet), nil); !errors.Is(err, solana.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
	l := on(t, node)
	other, err := solana.Open(t.Context(), l.config, nil)
	check(t, err)
	defer other.Close()
	if _, err := solana.NewSender(other, []byte("another seed of thirty-two bytes")); !errors.Is(err, solana.ErrKey) {
		t.Errorf("another seed: %v", err)
	}
}

// TestEqualOrdersAreTwoTransactions, by the numbers of their slots. A draft of another slot is never the same bytes.
func TestEqualOrdersAreTwoTransactions(t *testing.T) {
	t.Parallel()
	l := launch(t)
	seen := map[string]bool{}
	for slot := range uint64(5) {
		signed := l.paid(t, order("USDC", stranger, "1"), slot)
		if seen[signed.Txid] {
			t.Fatalf("slot %d: %s again", slot, signed.Txid)
		}
		seen[signed.Txid] = true
	}
	l.mine(t, 1)
	_, units, err := l.node.Held(stranger, solananode.USDC)
	if err != nil || units != 5_000_000 {
		t.Errorf("five of 1 USDC make %d, %v", units, err)
	}
	if _, sent := l.followed(t); len(sent) != 5 {
		t.Errorf("%d were sent", len(sent))
	}
}
