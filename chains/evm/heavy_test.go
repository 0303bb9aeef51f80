package evm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/sirupsen/logrus"
	logrustest "github.com/sirupsen/logrus/hooks/test"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/internal/dev/anvil"
)

var (
	heavy    = common.HexToAddress("0x00000000000000000000000000000000000f0001")
	forwards = common.HexToAddress("0x00000000000000000000000000000000000f0002")
)

const (
	// Calls an empty address as often as the byte before it says, each time with the same 100 KB of memory.
	calls = "5b" + "6000" + "6000" + "62019000" + "6000" + "6000" + "611234" + "6000" + "f1" + "50" + "60019003" + "80" + "6002" + "57" + "00"
	often = "0x60fa" + calls // 250 times
	twice = "0x6002" + calls
	// Writes 100 KB of memory as a log, 19 times.
	logsMuch = "0x6013" + "5b" + "62019000" + "6000" + "a0" + "60019003" + "80" + "6002" + "57" + "00"
	// Sends its value to the address in its calldata.
	forwardsValue = "0x600060006000600034600035" + "5af1" + "00"
)

// TestAHeavyTrace: an almost free transaction has a trace of 50 MB. The transfers of its block are seen all the same.
func TestAHeavyTrace(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{change: func(c *evm.Config) { c.Traces, c.Timeout = true, 10*time.Second }})
	to := l.mineTraces(t, often)
	l.want(t, to, "ETH 1 2", "USDT 0 1")
}

// mineTraces mines one block with a transaction to run code, a token transfer and a coin sent by a contract.
func (l *launched) mineTraces(t *testing.T, code string) common.Address {
	t.Helper()
	l.node.Call(t, nil, "anvil_setCode", heavy, code)
	l.node.Call(t, nil, "anvil_setCode", forwards, forwardsValue)
	to := l.deposit(t, 0)
	txid := l.node.Send(t, anvil.Rich, heavy, new(big.Int), nil)
	l.tokens["USDT"].Transfer(t, l.node.Accounts[1], to, whole(1, 6))
	l.node.Send(t, l.node.Accounts[2], forwards, whole(2, 18), common.LeftPadBytes(to[:], 32))
	l.node.Mine(t, 1)
	var receipt struct {
		Status  string
		GasUsed hexutil.Uint64
	}
	l.node.Call(t, &receipt, "eth_getTransactionReceipt", txid)
	if receipt.Status != "0x1" || receipt.GasUsed > 100_000 {
		t.Fatalf("the heavy transaction is not what it should be: %+v", receipt)
	}
	return to
}

// TestATraceThatNoNodeGives: if the traces of a block are too large for one answer, each transaction is asked for. One with too
// large a trace of its own counts as without calls, and an operator is told once.
//
// Covers operator §Settings: traces
func TestATraceThatNoNodeGives(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	to := l.mineTraces(t, twice)
	height := l.node.Height(t)
	tooLarge := func(q asked, _ answer) *answer {
		if q.Method == "debug_traceBlockByHash" {
			return refuses(-32003, "response too large")
		}
		return nil
	}
	m.set(tooLarge)
	l.want(t, to, "ETH 1 2", "USDT 0 1")
	heaviest := l.sentTo(t, heavy, height)
	m.set(func(q asked, node answer) *answer {
		if q.Method == "debug_traceTransaction" && strings.Contains(string(q.Params[0]), heaviest) {
			return refuses(-32003, "response too large")
		}
		return tooLarge(q, node)
	})
	log, lines := logrustest.NewNullLogger()
	told, err := evm.Open(t.Context(), l.config, log)
	check(t, err)
	t.Cleanup(told.Close)
	lines.Reset()
	for range 2 {
		blocks, err := told.Blocks(t.Context(), height, 1)
		check(t, err)
		if len(blocks) != 1 || len(blocks[0].Transfers) != 3 { // the coin went to the contract, and on
			t.Errorf("%+v", blocks)
		}
	}
	if e := lines.AllEntries(); len(e) != 1 || e[0].Level != logrus.WarnLevel || e[0].Data["txid"] != heaviest ||
		fmt.Sprint(e[0].Data["block"]) != fmt.Sprint(height) || !strings.Contains(e[0].Message, "ETH that contracts sent in it is not seen") {
		t.Errorf("%d lines: %+v", len(e), e)
	}
}

// TestTracesOfAnotherFork: traces of single transactions are believed only while the chain has their block, and any other error but
// the size is one.
func TestTracesOfAnotherFork(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	l.mineTraces(t, twice)
	height := l.node.Height(t)
	for name, change := range map[string]func(q asked, node answer) *answer{
		"another block": func(q asked, node answer) *answer {
			if q.Method == "eth_getBlockByNumber" && string(q.Params[1]) == "false" {
				var block map[string]any
				_ = json.Unmarshal(node.Result, &block)
				block["hash"] = common.Hash{9}.Hex()
				out, _ := json.Marshal(block)
				return says(string(out))
			}
			return nil
		},
		"no transaction": func(q asked, _ answer) *answer {
			if q.Method == "debug_traceTransaction" {
				return refuses(-32000, "transaction not found")
			}
			return nil
		},
		"no trace": func(q asked, _ answer) *answer {
			if q.Method == "debug_traceTransaction" {
				return says("null")
			}
			return nil
		},
	} {
		m.set(func(q asked, node answer) *answer {
			if q.Method == "debug_traceBlockByHash" {
				return refuses(-32003, "response too large")
			}
			return change(q, node)
		})
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %+v, %v: want ErrDown", name, blocks, err)
		}
	}
}

// TestHeavyReceipts: the receipts of a block may have more than 32 MB of logs. If a node itself says they are too large, only
// those of transactions with a move of the coin are asked for.
func TestHeavyReceipts(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Timeout = 10 * time.Second }})
	l.node.Call(t, nil, "evm_setBlockGasLimit", hexutil.Uint64(300_000_000))
	l.node.Call(t, nil, "anvil_setCode", heavy, logsMuch)
	to := l.deposit(t, 0)
	for i := range 10 {
		l.node.Call(t, nil, "eth_sendTransaction", map[string]any{"from": l.node.Accounts[i%9], "to": heavy, "gas": hexutil.Uint64(16_700_000)})
	}
	l.node.Send(t, l.node.Accounts[9], to, whole(1, 18), nil)
	l.node.Mine(t, 1)
	if n := len(l.node.Transactions(t, l.node.Height(t))); n != 11 {
		t.Fatalf("%d transactions, want 11 in one block", n)
	}
	l.want(t, to, "ETH 0 1")
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getBlockReceipts" {
			return refuses(-32003, "response too large")
		}
		return nil
	})
	l.want(t, to, "ETH 0 1")
}

// TestLogsThatNoNodeGives: a block may have more transfers of our tokens than a node gives at once, however little it is asked for. They
// are taken from the receipts, of the block or of each transaction.
func TestLogsThatNoNodeGives(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	to := l.deposit(t, 0)
	for i := range int64(3) {
		l.tokens["USDT"].Transfer(t, l.node.Accounts[i], to, whole(i+1, 6))
	}
	l.node.Mine(t, 2)
	tooMany := refuses(-32005, "query returned more than 10000 results")
	refused := func(with ...string) func(asked, answer) *answer {
		return func(q asked, _ answer) *answer {
			switch {
			case q.Method == "eth_getLogs" && strings.Contains(string(q.Params[0]), "blockHash"):
				return tooMany
			case q.Method == "eth_getLogs" && !slices.Contains(with, "range"):
				return tooMany
			case q.Method == "eth_getLogs":
				return says("[]") // not indexed yet
			case q.Method == "eth_getBlockReceipts" && slices.Contains(with, "large"):
				return refuses(-32003, "response too large")
			case q.Method == "eth_getBlockReceipts" && slices.Contains(with, "unknown"):
				return refuses(-32601, "the method eth_getBlockReceipts does not exist")
			}
			return nil
		}
	}
	for _, with := range [][]string{nil, {"large"}, {"unknown"}, {"range"}, {"range", "large"}} {
		m.set(refused(with...))
		l.want(t, to, "USDT 0 1", "USDT 0 2", "USDT 0 3")
	}
	m.set(func(asked, answer) *answer { return nil })
	fine, err := l.Blocks(t.Context(), l.node.Height(t)-1, 1)
	check(t, err)
	hash := fine[0].Hash
	for name, odd := range map[string]string{
		"fewer":        `[]`,
		"null":         `null`,
		"of nothing":   `[null,null,null]`,
		"without logs": `[{"blockHash":"BLOCK"},{"blockHash":"BLOCK"},{"blockHash":"BLOCK"}]`,
		"forked":       `[{"blockHash":"0x01","logs":[]},{"blockHash":"0x01","logs":[]},{"blockHash":"0x01","logs":[]}]`,
	} {
		m.set(func(q asked, node answer) *answer {
			if q.Method == "eth_getBlockReceipts" {
				return says(strings.ReplaceAll(strings.ReplaceAll(odd, "0x01", common.Hash{9}.Hex()), "BLOCK", hash))
			}
			return refused()(q, node)
		})
		if blocks, err := l.Blocks(t.Context(), l.node.Height(t)-1, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %+v, %v: want ErrDown", name, blocks, err)
		}
	}
}
