package anvil

import (
	"math/big"
	"slices"
	"strconv"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Rich is the first of every node's Accounts.
var Rich = common.HexToAddress("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266")

// Height returns the newest block.
func (n *Node) Height(t testing.TB) int64 {
	t.Helper()
	var height hexutil.Uint64
	n.Call(t, &height, "eth_blockNumber")
	return int64(height)
}

// Mine adds blocks; the first takes the mempool.
func (n *Node) Mine(t testing.TB, blocks int) {
	t.Helper()
	n.Call(t, nil, "anvil_mine", quantity(int64(blocks)))
}

// SetBalance gives an address this much of the native coin, in wei.
func (n *Node) SetBalance(t testing.TB, address common.Address, wei *big.Int) {
	t.Helper()
	n.Call(t, nil, "anvil_setBalance", address, (*hexutil.Big)(wei))
}

// Send sends value and calldata from an account into the mempool, and returns the id. The account may be anybody's, but
// only transactions of Accounts are signed, for Reorg to mine again.
func (n *Node) Send(t testing.TB, from, to common.Address, wei *big.Int, data []byte) string {
	t.Helper()
	if !slices.Contains(n.Accounts, from) {
		n.Call(t, nil, "anvil_impersonateAccount", from)
	}
	var txid common.Hash
	n.Call(t, &txid, "eth_sendTransaction", map[string]any{
		"from": from, "to": to, "value": (*hexutil.Big)(wei), "data": hexutil.Bytes(data), "gas": hexutil.Uint64(500_000),
	})
	return txid.Hex()
}

// Drop takes a transaction out of the mempool.
func (n *Node) Drop(t testing.TB, txid string) {
	t.Helper()
	n.Call(t, nil, "anvil_dropTransaction", txid)
}

// Reorg replaces the newest depth blocks by as many others and adds one more. The transactions of the old blocks are
// mined again in the first of the new ones, except those in drop: these are gone.
func (n *Node) Reorg(t testing.TB, depth int, drop ...string) {
	t.Helper()
	height := n.Height(t)
	pairs := [][]any{}
	for h := height - int64(depth) + 1; h <= height; h++ {
		for _, txid := range n.Transactions(t, h) {
			if !slices.Contains(drop, txid) {
				pairs = append(pairs, []any{n.raw(t, txid), 0})
			}
		}
	}
	n.Call(t, nil, "anvil_reorg", depth, pairs)
	for _, txid := range drop {
		_ = n.Try(nil, "anvil_dropTransaction", txid)
	}
	n.Mine(t, 1)
}

// Transactions returns the ids of a block.
func (n *Node) Transactions(t testing.TB, height int64) []string {
	t.Helper()
	var block struct{ Transactions []string }
	n.Call(t, &block, "eth_getBlockByNumber", quantity(height), false)
	return block.Transactions
}

func quantity(n int64) string { return "0x" + strconv.FormatInt(n, 16) }

func (n *Node) raw(t testing.TB, txid string) any {
	t.Helper()
	var raw hexutil.Bytes
	n.Call(t, &raw, "eth_getRawTransactionByHash", txid)
	return raw
}

// Balance returns what an address holds of the native coin, in wei.
func (n *Node) Balance(t testing.TB, address common.Address) *big.Int {
	t.Helper()
	var wei hexutil.Big
	n.Call(t, &wei, "eth_getBalance", address, "latest")
	return wei.ToInt()
}

// GasUsed returns the gas of a mined transaction.
func (n *Node) GasUsed(t testing.TB, txid string) int64 {
	t.Helper()
	var receipt struct{ GasUsed hexutil.Uint64 }
	n.Call(t, &receipt, "eth_getTransactionReceipt", txid)
	return int64(receipt.GasUsed) //nolint:gosec // gas is far below 2^63
}

// BaseFee gives the next block this base fee, in wei. Empty blocks lower it otherwise.
func (n *Node) BaseFee(t testing.TB, wei int64) {
	t.Helper()
	n.Call(t, nil, "anvil_setNextBlockBaseFeePerGas", quantity(wei))
}
