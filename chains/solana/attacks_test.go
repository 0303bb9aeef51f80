package solana_test

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/internal/dev/solananode"
)

// The program of associated accounts, and the mint of SOL in accounts of tokens.
const (
	associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
	wrapped    = "So11111111111111111111111111111111111111112"
)

// coins is a transfer of lamports by the faucet.
func (l *launched) coins(t *testing.T, to string, lamports uint64) solananode.Instruction {
	t.Helper()
	return solananode.Instruction{Program: system, Data: slices.Concat([]byte{2, 0, 0, 0}, u64(lamports)),
		Accounts: []solananode.Account{{Key: l.keyOf(t, "faucet"), Signer: true, Writable: true}, {Key: to, Writable: true}}}
}

// run sends instructions that have to succeed.
func (l *launched) run(t *testing.T, instructions []solananode.Instruction, by ...string) {
	t.Helper()
	id, err := l.node.Run(instructions, by...)
	check(t, err)
	l.mine(t, 1)
	l.wantState(t, id, chains.TxMined)
}

// TestAnAccountOfTwoTokensStopsNothing: an account of a stranger is closed and opened again with another mint, in the transaction of a payment.
// The payment counts, and the network goes on.
func TestAnAccountOfTwoTokensStopsNothing(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 1)
	mine, err := l.node.Associated(to, solananode.USDC)
	check(t, err)
	l.pay(t, "USDC", to, decimal.NewFromInt(1))
	at, owner := l.holder(t, "reborn", l.keyOf(t, "faucet")), l.keyOf(t, "faucet")
	_, create := l.created(t, "reborn", 165, tokens)
	l.run(t, []solananode.Instruction{
		{Program: tokens, Data: []byte{9}, Accounts: []solananode.Account{{Key: at, Writable: true}, {Key: owner, Writable: true}, {Key: owner, Signer: true}}},
		create,
		{Program: tokens, Data: append([]byte{18}, bytesOf(owner)...), Accounts: []solananode.Account{{Key: at, Writable: true}, {Key: solananode.USDT}}},
		l.send(t, "faucet", mine, 5_000_000),
	}, "faucet", "reborn")
	l.wantArrived(t, to, map[string]string{"USDC": "6"})
}

// TestAnAccountThatChangesHandsPaysNobody: a stranger gives an account full of tokens to our owner. It is not the one that we take money from.
func TestAnAccountThatChangesHandsPaysNobody(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 2)
	at := l.holder(t, "gift", l.keyOf(t, "faucet"))
	l.run(t, []solananode.Instruction{l.send(t, "faucet", at, 50_000_000),
		{Program: tokens, Data: slices.Concat([]byte{6, 2, 1}, bytesOf(to)), Accounts: []solananode.Account{{Key: at, Writable: true}, {Key: l.keyOf(t, "faucet"), Signer: true}}},
		l.coins(t, to, 1_000_000)}, "faucet")
	l.wantArrived(t, to, map[string]string{"SOL": "0.001"})
}

// TestWrappedSOLIsNoSOL: it lies in an account of a token, from where no sweep takes it. As a token it is refused.
func TestWrappedSOLIsNoSOL(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 3)
	check(t, l.node.Order(nil, "dev_mint", wrapped, 9, "0"))
	at, err := l.node.Associated(to, wrapped)
	check(t, err)
	l.run(t, []solananode.Instruction{
		{Program: associated, Data: []byte{1}, Accounts: []solananode.Account{{Key: l.keyOf(t, "faucet"), Signer: true, Writable: true}, {Key: at, Writable: true}, {Key: to}, {Key: wrapped},
			{Key: system}, {Key: tokens}}},
		l.coins(t, at, 7_000_000_000),
		{Program: tokens, Data: []byte{17}, Accounts: []solananode.Account{{Key: at, Writable: true}}},
		l.coins(t, to, 1_000_000),
	}, "faucet")
	l.wantArrived(t, to, map[string]string{"SOL": "0.001"})
	facts, err := l.Inspect(t.Context(), wrapped, "")
	if err != nil || !facts.Harms || !strings.Contains(strings.Join(facts.Habits, ", "), "wrapped SOL") {
		t.Errorf("%+v, %v", facts, err)
	}
	check(t, l.Watch(chains.Token{Symbol: "WSOL", Contract: wrapped, Decimals: 9}))
	l.refused(t, order("WSOL", stranger, "1"), chains.ErrUnpayable, "wrapped SOL")
	l.wantArrived(t, to, map[string]string{"SOL": "0.001"})
}

// TestOnePaymentToTwoAddresses: one transaction pays two addresses of ours, one of them twice.
func TestOnePaymentToTwoAddresses(t *testing.T) {
	t.Parallel()
	l := launch(t)
	one, two := l.derive(t, 4), l.derive(t, 5)
	l.pay(t, "USDC", one, decimal.NewFromInt(1))
	l.mine(t, 1)
	mine, err := l.node.Associated(one, solananode.USDC)
	check(t, err)
	l.run(t, []solananode.Instruction{l.send(t, "faucet", mine, 2_000_000), l.coins(t, one, 3_000_000), l.coins(t, two, 4_000_000), l.coins(t, one, 5_000_000),
		l.send(t, "faucet", mine, 6_000_000)}, "faucet")
	l.wantArrived(t, one, map[string]string{"USDC": "9", "SOL": "0.008"})
	l.wantArrived(t, two, map[string]string{"SOL": "0.004"})
}

// TestAFloodIsToldInParts: a block of ours with more transactions than one step tells, and more than two answers list, is told alone. What comes
// behind it is told next. So nobody stops the network by dust, and a process that was down for long catches up.
func TestAFloodIsToldInParts(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to, from := l.derive(t, 6), l.tip(t)
	const flood = 2_050
	for range flood {
		_, err := l.node.Fund(to, 1_000_000)
		check(t, err)
	}
	l.mine(t, 1)
	l.pay(t, "USDC", to, decimal.NewFromInt(2))
	l.mine(t, 3)
	first, err := l.Blocks(t.Context(), from+1, 100)
	check(t, err)
	if len(first) != 1 || len(first[0].Transfers) != flood {
		t.Fatalf("%d blocks", len(first))
	}
	rest, err := l.Blocks(t.Context(), from+2, 100)
	check(t, err)
	if len(rest) != 3 || len(rest[0].Transfers) != 1 || rest[0].Transfers[0].Token != "USDC" {
		t.Errorf("%+v", rest)
	}
}

// TestAnAccountThatIsFilledAgainWithinABlock: a sweep takes all, closes the account, and another payment of the same amount comes in the same
// block. The balance is what it was before, and the payment is told.
func TestAnAccountThatIsFilledAgainWithinABlock(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 7)
	l.pay(t, "USDC", to, decimal.NewFromInt(5))
	l.mine(t, 1)
	from := l.tip(t)
	_, err := l.Blocks(t.Context(), from, 1)
	check(t, err)
	l.swept(t, 7, "USDC", "5", 1)
	l.pay(t, "USDC", to, decimal.NewFromInt(5))
	l.mine(t, 1)
	blocks, err := l.Blocks(t.Context(), from+1, 1)
	check(t, err)
	sums := map[string]decimal.Decimal{}
	for _, x := range blocks[0].Transfers {
		sums[x.To+x.Token] = sums[x.To+x.Token].Add(x.Amount)
	}
	if !sums[to+"USDC"].Equal(decimal.NewFromInt(5)) || !sums[l.Hot()+"USDC"].Equal(decimal.NewFromInt(5)) {
		t.Errorf("%+v", blocks[0].Transfers)
	}
}

// swept signs and sends a move of a deposit address to the hot wallet.
func (l *launched) swept(t *testing.T, index uint32, token, amount string, slot uint64) chains.Signed {
	t.Helper()
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{From: &chains.Wallet{Index: index, Address: l.derive(t, index)}, Most: true,
		Orders: []chains.Order{order(token, l.Hot(), amount)}})
	check(t, err)
	signed, err := draft.Sign(chains.Slot{Number: slot})
	check(t, err)
	if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Fatalf("outcome %d: %s", outcome, why)
	}
	return signed
}

// TestRentIsBookedOnce: what the hot wallet's SOL changes by is what came, less what its transactions have cost, also if a sweep makes its
// account of the token, and closes that of the address, in one transaction.
func TestRentIsBookedOnce(t *testing.T) {
	t.Parallel()
	l := launch(t)
	mint := l.minted(t, "plain", 6)
	check(t, l.Watch(chains.Token{Symbol: "PLAIN", Contract: mint, Decimals: 6}))
	for _, index := range []uint32{1, 2, 3} {
		_, err := l.node.Pay(mint, l.derive(t, index), 9_000_000)
		check(t, err)
	}
	l.mine(t, 1)
	from := l.tip(t)
	for i, step := range []func() chains.Signed{
		func() chains.Signed { return l.swept(t, 1, "PLAIN", "9", 1) },
		func() chains.Signed { return l.swept(t, 2, "PLAIN", "9", 2) },
		func() chains.Signed { return l.swept(t, 3, "PLAIN", "8", 3) },
		func() chains.Signed { return l.paid(t, order("PLAIN", stranger, "1"), 4) },
		func() chains.Signed { return l.paid(t, order("PLAIN", stranger, "1"), 5) },
		func() chains.Signed { return l.paid(t, order("SOL", stranger, "1"), 6) },
	} {
		before, err := l.Holdings(t.Context(), "SOL", []string{l.Hot()}, from)
		check(t, err)
		signed := step()
		l.mine(t, 1)
		from++
		after, err := l.Holdings(t.Context(), "SOL", []string{l.Hot()}, from)
		check(t, err)
		blocks, err := l.Blocks(t.Context(), from, 1)
		check(t, err)
		want := before[0].Sub(l.cost(t, signed.Txid))
		for _, x := range blocks[0].Transfers {
			switch {
			case x.Token != "SOL":
			case x.To == l.Hot():
				want = want.Add(x.Amount)
			case x.From == l.Hot():
				want = want.Sub(x.Amount)
			}
		}
		if !after[0].Equal(want) {
			t.Errorf("step %d: the hot wallet holds %s, and the books %s", i, after[0], want)
		}
	}
}

// TestAFalseBalanceIsForgotten: a node tells a process that starts a false balance of an account. The true one is explained by the transaction
// before it, and the network goes on.
func TestAFalseBalanceIsForgotten(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 1)
	to := l.derive(t, 8)
	l.pay(t, "SOL", to, decimal.NewFromInt(3))
	l.mine(t, 1)
	l.AskFor(func(context.Context) ([]string, error) { return nil, nil })
	_, err := l.Blocks(t.Context(), l.tip(t), 1) // and knows the tokens
	check(t, err)
	l.AskFor(func(context.Context) ([]string, error) { return []string{to}, nil })
	names := []string{l.Hot(), to}
	for _, mint := range []string{solananode.USDC, solananode.USDT} { // in the order of the question
		for _, owner := range names[:2] {
			at, err := l.node.Associated(owner, mint)
			check(t, err)
			names = append(names, at)
		}
	}
	var answer map[string]any
	check(t, l.node.Order(&answer, "getMultipleAccounts", names, map[string]string{"encoding": "base64"}))
	answer["value"].([]any)[1].(map[string]any)["lamports"] = 4_000_000_000
	gates[0].set(func(g *gate) { g.method, g.says = "getMultipleAccounts", `"result":`+text(t, answer) })
	from := l.tip(t)
	l.mine(t, 1)
	answer["context"].(map[string]any)["slot"] = (from+2)*slots - 1
	gates[0].set(func(g *gate) { g.says = `"result":` + text(t, answer) })
	if _, err := l.Blocks(t.Context(), from+1, 1); err != nil {
		t.Fatalf("the false balance was not believed, and there is nothing to forget: %v", err)
	}
	gates[0].set(func(g *gate) { g.method = "" })
	l.pay(t, "SOL", to, decimal.NewFromInt(2))
	l.mine(t, 1)
	blocks, err := l.Blocks(t.Context(), from+2, 1)
	if err != nil || len(blocks) != 1 || len(blocks[0].Transfers) != 1 || !blocks[0].Transfers[0].Amount.Equal(decimal.NewFromInt(2)) {
		t.Errorf("%+v, %v", blocks, err)
	}
}

// TestAWalletWithoutAPastIsBelieved: a node that keeps a short history has forgotten the last transaction of the hot wallet. A process starts
// all the same.
func TestAWalletWithoutAPastIsBelieved(t *testing.T) {
	t.Parallel()
	l := launch(t)
	l.mine(t, 5)
	kept, from := int(l.tip(t)-2)*slots, l.tip(t)
	check(t, l.node.Trouble(solananode.Trouble{First: &kept}))
	l.open(t)
	l.pay(t, "SOL", l.derive(t, 9), decimal.NewFromInt(2))
	l.mine(t, 1)
	blocks, err := l.Blocks(t.Context(), from, 10)
	if err != nil || len(blocks) != 2 || len(blocks[1].Transfers) != 1 {
		t.Errorf("%+v, %v", blocks, err)
	}
}

// TestMintsThatDoHarm: the extensions of a mint by which a payment could be less, be hidden or be taken back, and one that nobody knows.
func TestMintsThatDoHarm(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 1)
	mint := l.minted(t, "plain", 6)
	var answer struct {
		Context any
		Value   []map[string]any
	}
	check(t, l.node.Order(&answer, "getMultipleAccounts", []string{mint}, map[string]string{"encoding": "base64"}))
	for kind, harms := range map[uint16]bool{1: true, 3: false, 4: true, 6: true, 9: true, 10: true, 12: true, 14: true, 16: true, 18: false, 19: false, 25: true, 26: true, 99: true} {
		plain := make([]byte, 82)
		plain[44], plain[45] = 6, 1
		data := slices.Concat(plain, make([]byte, 83), []byte{1}, binary.LittleEndian.AppendUint16(nil, kind), []byte{2, 0, 7, 7})
		answer.Value[0]["data"] = [][]byte{data, nil}
		raw := text(t, map[string]any{"context": answer.Context, "value": answer.Value})
		gates[0].set(func(g *gate) {
			g.method, g.says = "getMultipleAccounts", `"result":`+strings.Replace(raw, "null]", `"base64"]`, 1)
		})
		facts, err := l.Inspect(t.Context(), mint, "")
		if err != nil || facts.Harms != harms {
			t.Errorf("extension %d: %+v, %v", kind, facts, err)
		}
	}
	gates[0].set(func(g *gate) { g.says = `"result":{"context":{"slot":1},"value":[null]}` })
	if _, err := l.Inspect(t.Context(), mint, ""); !errors.Is(err, chains.ErrNoToken) {
		t.Errorf("%v", err)
	}
}
