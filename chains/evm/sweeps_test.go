package evm_test

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm"
)

// sweep is the spend of an amount, all that a deposit address holds of a token.
func (l *launched) sweep(t *testing.T, index uint32, token, amount string) chains.Spend {
	t.Helper()
	from := &chains.Wallet{Address: l.Match(l.deposit(t, index).Hex()), Index: index}
	return chains.Spend{From: from, Most: true,
		Orders: []chains.Order{{To: l.Hot(), Token: token, Amount: decimal.RequireFromString(amount)}}}
}

// missing is the coin missing to a spend.
func (l *launched) missing(t *testing.T, spend chains.Spend) decimal.Decimal {
	t.Helper()
	_, err := l.sender.Prepare(t.Context(), spend)
	var short *chains.Short
	if !errors.As(err, &short) || short.Token != "ETH" {
		t.Fatalf("%v, want that ETH is missing", err)
	}
	return short.Missing
}

// sweeps gives an address the missing coin and sends its spend.
func (l *launched) sweeps(t *testing.T, spend chains.Spend, missing decimal.Decimal) {
	t.Helper()
	l.node.SetBalance(t, common.HexToAddress(spend.From.Address), missing.Shift(18).BigInt())
	draft, err := l.sender.Prepare(t.Context(), spend)
	check(t, err)
	signed := sign(t, draft, 0)
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	if got := l.state(t, signed.Txid); got.State != chains.TxMined || signed.Fee.GreaterThan(missing) {
		t.Errorf("%+v for at most %s of %s", got, signed.Fee, missing)
	}
}

// TestGasOfASweepOnEveryNode: a node that wants the gas of a trial paid is asked with coin lent to the address, so the missing coin
// is known all the same. A node that lends nothing leaves the sweep short.
func TestGasOfASweepOnEveryNode(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	l.tokens["USDT"].Mint(t, l.deposit(t, 3), whole(7, 6))
	l.node.Mine(t, 1)
	spend := l.sweep(t, 3, "USDT", "7")
	usual := l.missing(t, spend)
	tries := func(q asked) bool {
		var call struct{ From string }
		return (q.Method == "eth_call" || q.Method == "eth_estimateGas") && json.Unmarshal(q.Params[0], &call) == nil && call.From != ""
	}
	wantsGas := refuses(-32000, "insufficient funds for gas * price + value")
	m.set(func(q asked, _ answer) *answer {
		if tries(q) && len(q.Params) < 3 {
			return wantsGas
		}
		return nil
	})
	lent := l.missing(t, spend)
	if !lent.Equal(usual) {
		t.Errorf("%s are missing by a trial with lent coin, %s by a plain one", lent, usual)
	}
	m.set(func(q asked, _ answer) *answer {
		if tries(q) && len(q.Params) < 3 {
			return wantsGas
		}
		if tries(q) {
			return refuses(-32602, "too many arguments, want at most 2")
		}
		return nil
	})
	var short *chains.Short
	if _, err := l.sender.Prepare(t.Context(), spend); !errors.Is(err, chains.ErrShort) || errors.As(err, &short) {
		t.Errorf("a node that lends nothing: %v, want ErrShort without an amount", err)
	}
	m.set(func(asked, answer) *answer { return nil })
	l.sweeps(t, spend, lent)
}

// TestGasRisesBeforeASweep: the coin that was missing for a sweep is enough while the price of gas rises, up to where the next block
// asks for more. Then the rest is missing.
func TestGasRisesBeforeASweep(t *testing.T) {
	t.Parallel()
	for _, legacy := range []bool{false, true} {
		l := launch(t, launchOptions{change: func(c *evm.Config) { c.Legacy = legacy }})
		price := func(gwei int64) {
			t.Helper()
			l.node.Call(t, nil, "anvil_setNextBlockBaseFeePerGas", (*hexutil.Big)(whole(gwei, 9)))
			l.node.Mine(t, 1)
		}
		l.tokens["USDT"].Mint(t, l.deposit(t, 3), whole(7, 6))
		l.node.Mine(t, 1)
		price(20)
		spend := l.sweep(t, 3, "USDT", "7")
		first := l.missing(t, spend)
		l.node.SetBalance(t, l.deposit(t, 3), first.Shift(18).BigInt())
		price(22)
		draft, err := l.sender.Prepare(t.Context(), spend)
		check(t, err)
		if fee := sign(t, draft, 0).Fee; fee.GreaterThan(first) {
			t.Errorf("at most %s of %s", fee, first)
		}
		price(45)
		if more := l.missing(t, spend); more.LessThan(decimal.New(1, -4)) || more.GreaterThan(first.Mul(decimal.NewFromInt(2))) {
			t.Errorf("%s more at more than twice the price of %s", more, first)
		}
		price(22)
		l.sweeps(t, spend, first)
	}
}

// TestL1FeeOfASweep: the missing coin has the fee for data in it, and of a sweep of the coin exactly the amount less the highest
// cost is moved.
func TestL1FeeOfASweep(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Xlayer"})
	l.tokens["USDT"].Mint(t, l.deposit(t, 3), whole(7, 6))
	l.node.SetBalance(t, l.deposit(t, 4), whole(500, 18))
	oracle := common.HexToAddress("0x420000000000000000000000000000000000000F")
	// Answers 100 ether, and reverts a question for the operator's fee.
	l.node.Call(t, nil, "anvil_setCode", oracle, "0x60003560e01c63"+hex.EncodeToString(crypto.Keccak256([]byte("getOperatorFee(uint256)"))[:4])+
		"1460215768056bc75e2d6310000060005260206000f35b60006000fd")
	l.node.Mine(t, 1)
	spend := l.sweep(t, 3, "USDT", "7")
	_, err := l.sender.Prepare(t.Context(), spend)
	var short *chains.Short
	if !errors.As(err, &short) || short.Token != "OKB" || short.Missing.LessThan(decimal.NewFromInt(150)) || short.Missing.GreaterThan(decimal.NewFromInt(151)) {
		t.Fatalf("%v, want some 150 OKB missing", err)
	}
	l.sweeps(t, spend, short.Missing)
	draft, err := l.sender.Prepare(t.Context(), l.sweep(t, 4, "OKB", "500"))
	check(t, err)
	signed := sign(t, draft, 0)
	l.outcome(t, signed.Raw, chains.Accepted, "")
	l.node.Mine(t, 1)
	for _, moved := range l.transfers(t) {
		if moved.Txid == signed.Txid && !moved.Amount.Equal(decimal.NewFromInt(500).Sub(signed.Fee)) {
			t.Errorf("%s moved of 500 at a cost of at most %s", moved.Amount, signed.Fee)
		}
	}
	if signed.Fee.LessThan(decimal.NewFromInt(150)) {
		t.Errorf("at most %s, want the fee for data in it", signed.Fee)
	}
	if _, err := l.sender.Prepare(t.Context(), l.sweep(t, 4, "OKB", "100")); !errors.As(err, &short) || !short.Missing.IsPositive() {
		t.Errorf("100 of which the fee is 150: %v, want Short", err)
	}
}
