package solana_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mr-tron/base58"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
)

const (
	system    = "11111111111111111111111111111111"
	tokens    = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
)

func bytesOf(account string) []byte {
	out, err := base58.Decode(account)
	if err != nil {
		panic(err)
	}
	return out
}

func u64(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }

// created makes an account of a program, of some size, at a key that everyone knows.
func (l *launched) created(t *testing.T, name string, size uint64, program string) (string, solananode.Instruction) {
	t.Helper()
	at := l.keyOf(t, name)
	data := slices.Concat([]byte{0, 0, 0, 0}, u64(10_000_000), u64(size), bytesOf(program))
	return at, solananode.Instruction{Program: system, Data: data,
		Accounts: []solananode.Account{{Key: l.keyOf(t, "faucet"), Signer: true, Writable: true}, {Key: at, Signer: true, Writable: true}}}
}

func (l *launched) keyOf(t *testing.T, name string) string {
	t.Helper()
	at, err := l.node.Key(name)
	check(t, err)
	return at
}

// holder makes an account of USDC that belongs to an owner, and is not the one that wallets pay to.
func (l *launched) holder(t *testing.T, name, owner string) string {
	t.Helper()
	at, create := l.created(t, name, 165, tokens)
	_, err := l.node.Run([]solananode.Instruction{create, {Program: tokens, Data: append([]byte{18}, bytesOf(owner)...),
		Accounts: []solananode.Account{{Key: at, Writable: true}, {Key: solananode.USDC}}}}, "faucet", name)
	check(t, err)
	l.mine(t, 1)
	return at
}

// send is a transferChecked of USDC by a key that everyone knows.
func (l *launched) send(t *testing.T, from, to string, units uint64) solananode.Instruction {
	t.Helper()
	owner := l.keyOf(t, from)
	source, err := l.node.Associated(owner, solananode.USDC)
	check(t, err)
	return solananode.Instruction{Program: tokens, Data: slices.Concat([]byte{12}, u64(units), []byte{6}), Accounts: []solananode.Account{
		{Key: source, Writable: true}, {Key: solananode.USDC}, {Key: to, Writable: true}, {Key: owner, Signer: true}}}
}

// followed are all transfers up to now that go to an address or a token's account of it, and all that was sent.
func (l *launched) followed(t *testing.T) (all []chains.Transfer, sent []string) {
	t.Helper()
	for from := int64(0); ; {
		blocks, err := l.Blocks(t.Context(), from, 50)
		check(t, err)
		if len(blocks) == 0 {
			return all, sent
		}
		for _, b := range blocks {
			all = append(all, b.Transfers...)
			for _, s := range b.Sent {
				if s.From == l.Hot() {
					sent = append(sent, s.Txid)
				}
			}
			from = b.Height + 1
		}
	}
}

// arrived is what came to an address, by token.
func (l *launched) arrived(t *testing.T, address string) map[string]string {
	t.Helper()
	sums := map[string]decimal.Decimal{}
	all, _ := l.followed(t)
	for _, x := range all {
		if x.To == address {
			sums[x.Token] = sums[x.Token].Add(x.Amount)
		}
	}
	out := map[string]string{}
	for token, sum := range sums {
		out[token] = sum.String()
	}
	return out
}

func (l *launched) wantArrived(t *testing.T, address string, want map[string]string) {
	t.Helper()
	got := l.arrived(t, address)
	if len(got) != len(want) {
		t.Errorf("%s got %v, want %v", address, got, want)
	}
	for token, sum := range want {
		if got[token] != sum {
			t.Errorf("%s got %s %s, want %s", address, got[token], token, sum)
		}
	}
}

// TestMoneyInOtherAccountsIsNoPayment: an account of a token can be made in the name of anybody. What comes there is not where sweeps and
// payouts take it from, so it is nobody's payment, also in one transaction with a payment.
//
// Covers operator §Settings: SOL and tokens are credited by what the address holds more
func TestMoneyInOtherAccountsIsNoPayment(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 3)
	other := l.holder(t, "other", to)
	l.pay(t, "USDC", to, decimal.NewFromInt(2))
	l.mine(t, 1)
	mine, err := l.node.Associated(to, solananode.USDC)
	check(t, err)
	_, err = l.node.Run([]solananode.Instruction{l.send(t, "faucet", other, 50_000_000), l.send(t, "faucet", mine, 1_000_000)}, "faucet")
	check(t, err)
	l.mine(t, 1)
	l.wantArrived(t, to, map[string]string{"USDC": "3"})
}

// TestAFalseTokenIsNoPayment: another mint with the same number of decimals, and money of nobody's catalogue.
func TestAFalseTokenIsNoPayment(t *testing.T) {
	t.Parallel()
	l := launch(t)
	false_ := l.keyOf(t, "false")
	for _, program := range []string{"token", "token2022"} {
		check(t, l.node.Order(nil, "dev_mint", false_, 6, "1000000000000", program))
		_, err := l.node.Pay(false_, l.derive(t, 4), 50_000_000)
		check(t, err)
		l.mine(t, 1)
		l.wantArrived(t, l.derive(t, 4), map[string]string{})
		false_ = l.keyOf(t, "false 2")
	}
}

// TestWhatFailsPaysNobody: a transaction that fails is in a block with all its words, and moves nothing. So it is when its last call fails.
func TestWhatFailsPaysNobody(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 5)
	l.pay(t, "USDC", to, decimal.NewFromInt(1))
	l.mine(t, 1)
	mine, err := l.node.Associated(to, solananode.USDC)
	check(t, err)
	id, err := l.node.Run([]solananode.Instruction{l.send(t, "faucet", mine, 5_000_000), l.send(t, "faucet", mine, 1<<62)}, "faucet")
	check(t, err)
	l.mine(t, 1)
	if now, err := l.Status(t.Context(), []string{id}); err != nil || now[id].State != chains.TxReverted {
		t.Fatalf("%+v, %v", now[id], err)
	}
	l.wantArrived(t, to, map[string]string{"USDC": "1"})
}

// TestNothingIsSeenBeforeItIsFinal: what is confirmed can be rolled back, and was.
//
// Covers operator §Settings: Blocks are ours: 16 slots of the finalized chain each
func TestNothingIsSeenBeforeItIsFinal(t *testing.T) {
	t.Parallel()
	l := on(t, solananode.Start(t, solananode.Options{}))
	check(t, l.node.Finalise())
	check(t, l.node.Mine(slots))
	to := l.derive(t, 6)
	gone := l.pay(t, "SOL", to, decimal.NewFromInt(5))
	check(t, l.node.Mine(2))
	if now, err := l.Status(t.Context(), []string{gone}); err != nil || now[gone].State != chains.TxPending {
		t.Errorf("confirmed, and not final: %+v, %v", now[gone], err)
	}
	l.wantArrived(t, to, map[string]string{})
	check(t, l.node.Fork(2, gone))
	stays := l.pay(t, "SOL", to, decimal.NewFromInt(3))
	check(t, l.node.Mine(64))
	if now, err := l.Status(t.Context(), []string{gone, stays}); err != nil || now[gone].State != chains.TxMissing || now[stays].State != chains.TxMined {
		t.Errorf("%+v, %v", now, err)
	}
	l.wantArrived(t, to, map[string]string{"SOL": "3"})
}

// TestPoisonIsNoPayment: payments of nothing, and dust of a look-alike, change nothing but what they bring.
func TestPoisonIsNoPayment(t *testing.T) {
	t.Parallel()
	l := launch(t)
	to := l.derive(t, 7)
	l.pay(t, "USDC", to, decimal.NewFromInt(1))
	l.mine(t, 1)
	mine, err := l.node.Associated(to, solananode.USDC)
	check(t, err)
	for range 3 {
		_, err := l.node.Run([]solananode.Instruction{l.send(t, "faucet", mine, 0)}, "faucet")
		check(t, err)
	}
	_, err = l.node.Fund(to, 1_000_000)
	check(t, err)
	l.mine(t, 1)
	l.wantArrived(t, to, map[string]string{"USDC": "1", "SOL": "0.001"})
}

// TestTokensThatTakeAPartAreRefused: a mint with a transfer fee is neither followed nor paid with, and its inspection says why.
//
// Covers operator §Settings: SOL and tokens are credited by what the address holds more
func TestTokensThatTakeAPartAreRefused(t *testing.T) {
	t.Parallel()
	l := launch(t)
	fee, create := l.created(t, "fee", 278, token2022)
	authority := bytesOf(l.keyOf(t, "faucet"))
	_, err := l.node.Run([]solananode.Instruction{create,
		{Program: token2022, Data: slices.Concat([]byte{26, 0, 1}, authority, []byte{1}, authority, []byte{100, 0}, u64(1_000_000)),
			Accounts: []solananode.Account{{Key: fee, Writable: true}}},
		{Program: token2022, Data: slices.Concat([]byte{20, 6}, authority, []byte{0}), Accounts: []solananode.Account{{Key: fee, Writable: true}}},
	}, "faucet", "fee")
	check(t, err)
	l.mine(t, 1)
	facts, err := l.Inspect(t.Context(), fee, "")
	if err != nil || !facts.Harms || facts.Decimals != 6 || !strings.Contains(strings.Join(facts.Habits, ", "), "fee") {
		t.Errorf("%+v, %v", facts, err)
	}
	check(t, l.Watch(chains.Token{Symbol: "FEE", Contract: fee, Decimals: 6}))
	if _, err := l.Blocks(t.Context(), 0, 1); err != nil {
		t.Errorf("one bad token stops the network: %v", err)
	}
	_, err = l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: l.derive(t, 1), Token: "FEE", Amount: decimal.NewFromInt(1)}}})
	if !errors.Is(err, chains.ErrUnpayable) {
		t.Errorf("paid with a token that keeps a part: %v", err)
	}
	plain, err := l.Inspect(t.Context(), l.minted(t, "plain", 9), "")
	if err != nil || plain.Harms || plain.Decimals != 9 || len(plain.Habits) != 2 {
		t.Errorf("%+v, %v", plain, err)
	}
	for _, none := range []string{l.keyOf(t, "faucet"), l.derive(t, 9), tokens} {
		if _, err := l.Inspect(t.Context(), none, ""); !errors.Is(err, chains.ErrNoToken) {
			t.Errorf("%s: %v, want that it is no token", none, err)
		}
	}
}

// minted puts a plain mint of the newer program at a key that everyone knows.
func (l *launched) minted(t *testing.T, name string, decimals int) string {
	t.Helper()
	at := l.keyOf(t, name)
	check(t, l.node.Order(nil, "dev_mint", at, decimals, "1000000000000", "token2022"))
	return at
}

// TestWrongDecimalsAreRefused: a catalogue that has other decimals than the mint would credit a thousandfold.
func TestWrongDecimalsAreRefused(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *solana.Config) { c.Tokens["USDC"] = solana.Token{Contract: solananode.USDC, Decimals: 3} })
	l.pay(t, "USDC", l.derive(t, 2), decimal.NewFromInt(1))
	l.mine(t, 1)
	l.wantArrived(t, l.derive(t, 2), map[string]string{})
}

// TestPlainTokensOfTheNewerProgram are followed and paid with as others.
func TestPlainTokensOfTheNewerProgram(t *testing.T) {
	t.Parallel()
	l := launch(t)
	mint := l.minted(t, "plain", 9)
	check(t, l.Watch(chains.Token{Symbol: "PLAIN", Contract: mint, Decimals: 9}))
	_, err := l.node.Pay(mint, l.Hot(), 5_000_000_000)
	check(t, err)
	_, err = l.node.Pay(mint, l.derive(t, 1), 2_000_000_000)
	check(t, err)
	l.mine(t, 1)
	l.wantArrived(t, l.derive(t, 1), map[string]string{"PLAIN": "2"})
	signed := l.paid(t, chains.Order{To: l.derive(t, 2), Token: "PLAIN", Amount: decimal.NewFromInt(3)}, 1)
	l.mine(t, 1)
	l.wantArrived(t, l.derive(t, 2), map[string]string{"PLAIN": "3"})
	cost := l.cost(t, signed.Txid)
	if want := decimal.New(2_074_080+5_000, -9); !cost.Equal(want) {
		t.Errorf("a new account of 170 bytes and the fee cost %s, want %s", cost, want)
	}
}
