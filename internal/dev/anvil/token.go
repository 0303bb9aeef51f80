package anvil

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"causeway/internal/dev/repo"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Token is an ERC-20 contract on a node; see TestToken.sol for its functions. Its calls come from Rich unless said
// otherwise, and wait in the mempool for a block.
type Token struct {
	Address common.Address
	node    *Node
	abi     abi.ABI
}

// Deploy puts a token on the chain, and mines a block.
func (n *Node) Deploy(t testing.TB, symbol string, decimals uint8) *Token {
	t.Helper()
	contract, bytecode := artefact(t)
	arguments, err := contract.Pack("", symbol, decimals)
	if err != nil {
		t.Fatal(err)
	}
	var txid common.Hash
	n.Call(t, &txid, "eth_sendTransaction", map[string]any{
		"from": Rich, "data": hexutil.Bytes(append(bytecode, arguments...)), "gas": hexutil.Uint64(5_000_000),
	})
	n.Mine(t, 1)
	var receipt struct {
		ContractAddress *common.Address
		Status          hexutil.Uint64
	}
	n.Call(t, &receipt, "eth_getTransactionReceipt", txid)
	if receipt.ContractAddress == nil || receipt.Status != 1 {
		t.Fatalf("token %s was not deployed: %+v", symbol, receipt)
	}
	return &Token{*receipt.ContractAddress, n, contract}
}

// Call sends a call of the token from an account and returns the id.
func (k *Token) Call(t testing.TB, from common.Address, method string, arguments ...any) string {
	t.Helper()
	data, err := k.abi.Pack(method, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	return k.node.Send(t, from, k.Address, new(big.Int), data)
}

// Mint makes units for an address.
func (k *Token) Mint(t testing.TB, to common.Address, units *big.Int) string {
	t.Helper()
	return k.Call(t, Rich, "mint", to, units)
}

// Transfer sends units from an account.
func (k *Token) Transfer(t testing.TB, from, to common.Address, units *big.Int) string {
	t.Helper()
	return k.Call(t, from, "transfer", to, units)
}

// Balance returns the units of an address.
func (k *Token) Balance(t testing.TB, of common.Address) *big.Int {
	t.Helper()
	data, err := k.abi.Pack("balanceOf", of)
	if err != nil {
		t.Fatal(err)
	}
	var word hexutil.Bytes
	k.node.Call(t, &word, "eth_call", map[string]any{"to": k.Address, "data": hexutil.Bytes(data)}, "latest")
	return new(big.Int).SetBytes(word)
}

// AnswerNothing gives the token the habit of Ethereum's USDT: its transfer returns no value. The token's code moves to another
// address, and forwarding code takes its place.
func (k *Token) AnswerNothing(t testing.TB) {
	t.Helper()
	var code hexutil.Bytes
	k.node.Call(t, &code, "eth_getCode", k.Address, "latest")
	behind := k.Address
	behind[0] ^= 0xff
	k.node.Call(t, nil, "anvil_setCode", behind, code)
	k.node.Call(t, nil, "anvil_setCode", k.Address, forwarding(behind))
}

// forwarding is code that runs the code of another address on its own storage. It returns that code's answer, except transfer's.
func forwarding(behind common.Address) hexutil.Bytes {
	call := "36600060003760006000366000" + "73" + behind.Hex()[2:] + "5af4" // delegatecall with the calldata
	answer := "3d600060003e" + "603157" + "3d6000fd"                        // a failure reverts with its reason
	return common.FromHex(call + answer + "5b" + "60003560e01c63a9059cbb14604557" + "3d6000f3" + "5b00")
}

func artefact(t testing.TB) (contract abi.ABI, bytecode []byte) {
	t.Helper()
	dir, err := repo.Dir()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "chains", "evm", "testdata", "token", "TestToken.json"))
	if err != nil {
		t.Fatal(err)
	}
	var parts struct {
		ABI      json.RawMessage
		Bytecode hexutil.Bytes
	}
	if err := json.Unmarshal(file, &parts); err != nil {
		t.Fatal(err)
	}
	if contract, err = abi.JSON(strings.NewReader(string(parts.ABI))); err != nil {
		t.Fatal(err)
	}
	return contract, parts.Bytecode
}

// At returns the same contract at another address, where a test has put its code.
func (k *Token) At(address common.Address) *Token { return &Token{address, k.node, k.abi} }
