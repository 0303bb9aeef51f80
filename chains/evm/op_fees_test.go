package evm_test

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm"
)

// TestL1Fee: an OP chain's fee for data is in the highest cost of a payout, and must be there.
func TestL1Fee(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Base", change: func(c *evm.Config) { c.L1Fee = true }})
	oracle := common.HexToAddress("0x420000000000000000000000000000000000000F")
	if _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1"))); !errors.Is(err, chains.ErrDown) {
		t.Fatalf("without the oracle: %v, want ErrDown", err)
	}
	// Answers 100 ether, and whoever asks for the operator's fee by the code after it.
	oracleCode := "0x60003560e01c63" + hex.EncodeToString(crypto.Keccak256([]byte("getOperatorFee(uint256)"))[:4]) + "1460215768056bc75e2d6310000060005260206000f35b"
	l.node.Call(t, nil, "anvil_setCode", oracle, oracleCode+"68056bc75e2d6310000060005260206000f3")
	if fee := l.signed(t, order("ETH", "1")).Fee; fee.LessThan(decimal.NewFromInt(300)) {
		t.Errorf("at most %s with the operator's, want at least 300", fee)
	}
	l.node.Call(t, nil, "anvil_setCode", oracle, oracleCode+"60006000f3")
	if _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1"))); !errors.Is(err, chains.ErrDown) {
		t.Errorf("a fee of the operator that is no number: %v, want ErrDown", err)
	}
	l.node.Call(t, nil, "anvil_setCode", oracle, oracleCode+"60006000fd") // as before there was such a fee
	if fee := l.signed(t, order("ETH", "1")).Fee; fee.LessThan(decimal.NewFromInt(150)) {
		t.Errorf("at most %s, want at least 150", fee)
	}
	if _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1900"))); !errors.Is(err, chains.ErrShort) {
		t.Errorf("1,900 and 150 of 2,000: %v, want ErrShort", err)
	}
}

// TestL1FeeOfXlayer: it is asked for as on OP chains, and nothing is added while the chain lacks the contract for it.
//
// Covers operator §Settings: Xlayer is asked
func TestL1FeeOfXlayer(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{network: "Xlayer"})
	if fee := l.signed(t, order("OKB", "1")).Fee; fee.GreaterThan(decimal.NewFromInt(1)) {
		t.Errorf("at most %s without the oracle", fee)
	}
	oracle := common.HexToAddress("0x420000000000000000000000000000000000000F")
	l.node.Call(t, nil, "anvil_setCode", oracle, "0x68056bc75e2d6310000060005260206000f3") // 100 ether to every question
	if fee := l.signed(t, order("OKB", "1")).Fee; fee.LessThan(decimal.NewFromInt(300)) {
		t.Errorf("at most %s, want at least 300", fee)
	}
}

// TestOperatorFee: the fee of an OP chain's operator is in the cost of a transaction.
func TestOperatorFee(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	signed := l.pay(t, order("ETH", "1"))
	l.node.Mine(t, 1)
	cost := func(fields string) decimal.Decimal {
		m.set(func(q asked, node answer) *answer {
			if q.Method != "eth_getTransactionReceipt" {
				return nil
			}
			return says(strings.Replace(string(node.Result), "{", "{"+fields, 1))
		})
		found, err := l.Status(t.Context(), []string{signed.Txid})
		check(t, err)
		return found[signed.Txid].Fee
	}
	without := cost("")
	for fields, wei := range map[string]int64{ // 21,000 gas
		`"operatorFeeScalar":"0x7d0","operatorFeeConstant":"0x7",`:                              42 + 7,
		`"operatorFeeScalar":"0x2f","operatorFeeConstant":"0x0",`:                               0,
		`"operatorFeeScalar":"0x2","operatorFeeConstant":"0x7","daFootprintGasScalar":"0x190",`: 2*21_000*100 + 7,
		`"operatorFeeScalar":null,"operatorFeeConstant":null,"daFootprintGasScalar":"0x190",`:   0,
	} {
		if more := cost(fields).Sub(without); !more.Equal(decimal.New(wei, -18)) {
			t.Errorf("%s: %s more, want %d wei", fields, more, wei)
		}
	}
}
