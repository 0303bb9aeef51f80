package evm

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
)

const multicallABI = `[{"type":"function","name":"aggregate3","stateMutability":"payable",
	"inputs":[{"name":"calls","type":"tuple[]","components":[{"name":"target","type":"address"},{"name":"allowFailure","type":"bool"},{"name":"callData","type":"bytes"}]}],
	"outputs":[{"name":"returnData","type":"tuple[]","components":[{"name":"success","type":"bool"},{"name":"returnData","type":"bytes"}]}]}]`

// TestMulticallIsSpoken: the call equals the library's for Multicall3's interface, its answer is read, and other texts are no
// answer.
func TestMulticallIsSpoken(t *testing.T) {
	t.Parallel()
	spoken, err := abi.JSON(strings.NewReader(multicallABI))
	if err != nil {
		t.Fatal(err)
	}
	owners := []common.Address{{1}, {2}, {3}}
	type call struct {
		Target       common.Address
		AllowFailure bool
		CallData     []byte
	}
	type result struct {
		Success    bool
		ReturnData []byte
	}
	var calls []call
	var results []result
	for i, owner := range owners {
		calls = append(calls, call{multicall, false, append(bytes.Clone(selectorEthBalance), word(owner[:])...)})
		results = append(results, result{true, word(big.NewInt(int64(7 + i)).Bytes())})
	}
	want, err := spoken.Pack("aggregate3", calls)
	if err != nil || !bytes.Equal(want, balancesCall(owners)) {
		t.Errorf("%x, want %x, %v", balancesCall(owners), want, err)
	}
	answer, err := spoken.Methods["aggregate3"].Outputs.Pack(results)
	if err != nil {
		t.Fatal(err)
	}
	units, ok := readBalances(answer, len(owners))
	if !ok || len(units) != 3 || units[0].Int64() != 7 || units[2].Int64() != 9 {
		t.Errorf("%v, %v", units, ok)
	}
	for cut := range answer {
		if _, ok := readBalances(answer[:cut], len(owners)); ok {
			t.Errorf("%d bytes of it are read", cut)
		}
	}
	results[1].Success = false
	failed, _ := spoken.Methods["aggregate3"].Outputs.Pack(results)
	if _, ok := readBalances(failed, len(owners)); ok {
		t.Error("a call that failed is a balance")
	}
	if _, ok := readBalances(answer, 2); ok {
		t.Error("three balances for two owners")
	}
}
