package evm_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/internal/dev/anvil"
)

func (l *launched) deposit(t *testing.T, index uint32) common.Address {
	t.Helper()
	address, err := l.Derive(t.Context(), index)
	check(t, err)
	return common.HexToAddress(address)
}

// to lists the transfers to an address in the whole chain, as "token position amount".
func (l *launched) to(t *testing.T, address common.Address) (found []string) {
	t.Helper()
	for _, tr := range l.transfers(t) {
		if tr.To == l.Match(address.Hex()) {
			found = append(found, fmt.Sprintf("%s %d %s", tr.Token, tr.Position, tr.Amount))
		}
	}
	return found
}

func (l *launched) transfers(t *testing.T) (all []chains.Transfer) {
	t.Helper()
	blocks, err := l.Blocks(t.Context(), 1, 1000)
	check(t, err)
	for _, b := range blocks {
		all = append(all, b.Transfers...)
	}
	return all
}

func (l *launched) want(t *testing.T, address common.Address, want ...string) {
	t.Helper()
	if got := l.to(t, address); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v arrived, want %v", got, want)
	}
}

func TestDecimals(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{tokens: map[string]uint8{"D0": 0, "D6": 6, "D18": 18, "D30": 30}})
	for i, c := range []struct {
		symbol, units, want string
	}{
		{"D0", "7", "D0 0 7"},
		{"D6", "1", "D6 0 0.000001"},
		{"D18", "1000000000000000001", "D18 0 1.000000000000000001"},
		{"D30", "1000000000000000000000000000001", "D30 0 1.000000000000000000000000000001"},
	} {
		units, _ := new(big.Int).SetString(c.units, 10)
		to := l.deposit(t, uint32(i))
		l.tokens[c.symbol].Transfer(t, anvil.Rich, to, units)
		l.node.Mine(t, 1)
		l.want(t, to, c.want)

		order := chains.Order{To: to.Hex(), Token: c.symbol, Amount: decimal.NewFromInt(5)}
		l.pay(t, order)
		l.want(t, to, c.want, c.symbol+" 0 5")
	}
}

// TestNotDeposits is everything that looks like money and is none.
func TestNotDeposits(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	usdt, to := l.tokens["USDT"], l.deposit(t, 0)
	l.node.SetBalance(t, to, whole(1, 18))
	fake := l.node.Deploy(t, "USDT", 6)
	fake.Mint(t, to, whole(1_000_000, 6))
	usdt.Transfer(t, anvil.Rich, to, new(big.Int))
	usdt.Transfer(t, to, to, new(big.Int))
	l.node.Send(t, anvil.Rich, to, new(big.Int), nil)
	failed := usdt.Transfer(t, anvil.Rich, to, whole(1_000_000, 6))
	l.node.Send(t, anvil.Rich, usdt.Address, whole(1, 18), nil) // reverts: it takes no money
	l.node.Mine(t, 1)
	l.want(t, to)
	for _, tr := range l.transfers(t) {
		if tr.Txid == failed || tr.To == l.Match(usdt.Address.Hex()) {
			t.Errorf("a reverted transaction moved something: %+v", tr)
		}
	}
	usdt.Mint(t, to, whole(3, 6))
	l.node.Mine(t, 1)
	l.want(t, to, "USDT 0 3")
	usdt.Transfer(t, to, to, whole(3, 6)) // to itself: nothing arrives
	l.node.Mine(t, 1)
	l.want(t, to, "USDT 0 3")
}

func TestFeeOnTransfer(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	to, collector := l.deposit(t, 0), common.HexToAddress("0x00000000000000000000000000000000000000fe")
	l.tokens["USDT"].Call(t, anvil.Rich, "setFee", big.NewInt(250), collector)
	l.tokens["USDT"].Transfer(t, l.node.Accounts[1], to, whole(100, 6))
	l.node.Mine(t, 1)
	l.want(t, to, "USDT 1 97.5")
	l.want(t, collector, "USDT 0 2.5")
}

// TestPositionsSurviveAReorganisation: several transfers in one transaction keep their places when their log indexes move in another block.
func TestPositionsSurviveAReorganisation(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	usdt, one, two := l.tokens["USDT"], l.deposit(t, 1), l.deposit(t, 2)
	before := usdt.Transfer(t, l.node.Accounts[4], l.deposit(t, 3), whole(1, 6))
	scattered := usdt.Call(t, l.node.Accounts[3], "scatter", []common.Address{one, two, one}, whole(4, 6))
	l.node.Mine(t, 1)
	index := l.logIndex(t, scattered)
	l.want(t, one, "USDT 0 4", "USDT 2 4")
	l.want(t, two, "USDT 1 4")

	l.node.Reorg(t, 1, before)
	if moved := l.logIndex(t, scattered); moved == index {
		t.Fatalf("the first log stayed at %s: nothing is shown", moved)
	}
	l.want(t, one, "USDT 0 4", "USDT 2 4")
	l.want(t, two, "USDT 1 4")
}

func (l *launched) logIndex(t *testing.T, txid string) string {
	t.Helper()
	var receipt struct{ Logs []struct{ LogIndex string } }
	l.node.Call(t, &receipt, "eth_getTransactionReceipt", txid)
	if len(receipt.Logs) == 0 {
		t.Fatalf("%s has no logs", txid)
	}
	return receipt.Logs[0].LogIndex
}

// TestNativeLogs: a chain shows its coin as a token too. A move by the contract alone is a deposit.
func TestNativeLogs(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Celo", tokens: map[string]uint8{"cUSD": 18}})
	alias := common.HexToAddress(evm.Defaults("Celo").NativeLogs)
	var code string
	l.node.Call(t, &code, "eth_getCode", l.tokens["cUSD"].Address, "latest")
	l.node.Call(t, nil, "anvil_setCode", alias, code)
	to, contract := l.deposit(t, 0), l.tokens["cUSD"].At(alias)
	contract.Mint(t, anvil.Rich, whole(10, 18))
	l.node.Mine(t, 1)
	contract.Transfer(t, anvil.Rich, to, whole(2, 18))
	l.node.Mine(t, 1)
	l.node.Send(t, anvil.Rich, to, whole(3, 18), nil)
	l.node.Mine(t, 1)
	l.want(t, to, "CELO 0 2", "CELO 0 3")
	if _, err := l.Validate(alias.Hex()); err == nil {
		t.Error("the coin's own contract can be paid to")
	}
}

// TestTraces: coin sent by a contract arrives if traces are on, and coin taken back does not.
func TestTraces(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	forwards := common.HexToAddress("0x00000000000000000000000000000000000f0001")
	undoes := common.HexToAddress("0x00000000000000000000000000000000000f0002")
	const forward = "0x600060006000600034600035" + "5af1" // sends its value to the address in its calldata
	l.node.Call(t, nil, "anvil_setCode", forwards, forward+"00")
	l.node.Call(t, nil, "anvil_setCode", undoes, forward+"60006000fd")
	to := l.deposit(t, 0)
	l.node.Send(t, anvil.Rich, forwards, whole(2, 18), common.LeftPadBytes(to[:], 32))
	l.node.Send(t, l.node.Accounts[1], undoes, whole(3, 18), common.LeftPadBytes(to[:], 32))
	l.node.Send(t, l.node.Accounts[2], to, whole(4, 18), nil)
	tries := common.HexToAddress("0x00000000000000000000000000000000000f0003") // calls undoes, and goes on
	const hand = "0x600035600052" + "6000600060206000" + "34"                  // its calldata in memory; out, in, value
	l.node.Call(t, nil, "anvil_setCode", tries, hand+"73"+undoes.Hex()[2:]+"5af100")
	l.node.Send(t, l.node.Accounts[3], tries, whole(5, 18), common.LeftPadBytes(to[:], 32))
	l.node.Mine(t, 1)
	got := l.to(t, to)
	slices.Sort(got)
	if fmt.Sprint(got) != "[ETH 0 4 ETH 1 2]" {
		t.Errorf("%v arrived, want 4 and, by a contract, 2", got)
	}
	var native decimal.Decimal
	for _, tr := range l.transfers(t) {
		if tr.To == l.Match(to.Hex()) {
			native = native.Add(tr.Amount)
		}
	}
	held, err := l.Holdings(t.Context(), "ETH", []string{to.Hex()}, l.node.Height(t))
	if err != nil || !held[0].Equal(native) {
		t.Errorf("it holds %s, %s arrived: %v", held, native, err)
	}
}
