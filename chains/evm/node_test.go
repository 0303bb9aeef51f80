package evm_test

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/internal/dev/anvil"
)

// meddled launches a chain behind a proxy.
func meddled(t *testing.T, o launchOptions) (*launched, *meddling) {
	t.Helper()
	m := &meddling{}
	o.proxy = m.proxy(t)
	return launch(t, o), m
}

// TestSmallRanges: a node refusing wide questions for logs is asked in smaller ones, and nothing is lost.
func TestSmallRanges(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	to := l.deposit(t, 0)
	for range 12 {
		l.tokens["USDT"].Transfer(t, anvil.Rich, to, whole(1, 6))
		l.node.Mine(t, 1)
	}
	var questions, refused atomic.Int64
	m.set(func(q asked, _ answer) *answer {
		if q.Method != "eth_getLogs" {
			return nil
		}
		var filter struct{ FromBlock, ToBlock hexutil.Uint64 }
		_ = json.Unmarshal(q.Params[0], &filter)
		questions.Add(1)
		if filter.ToBlock-filter.FromBlock >= 3 {
			refused.Add(1)
			return refuses(-32005, "query returned more than 10000 results")
		}
		return nil
	})
	if got := len(l.to(t, to)); got != 12 {
		t.Errorf("%d of 12 transfers arrived", got)
	}
	if refused.Load() == 0 || questions.Load() > 40 {
		t.Errorf("asked %d times, refused %d times", questions.Load(), refused.Load())
	}
}

// TestFullBlocksAreReadFewAtATime: a step holds the transfers of some full blocks alone, and the next one has the rest.
func TestFullBlocksAreReadFewAtATime(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	to := l.deposit(t, 0)
	const blocks, each = 30, 1000
	first := l.node.Height(t) + 1
	for range blocks {
		l.tokens["USDT"].Transfer(t, anvil.Rich, to, whole(1, 6))
		l.node.Mine(t, 1)
	}
	m.set(func(q asked, node answer) *answer {
		var logs []map[string]any
		if q.Method != "eth_getLogs" || json.Unmarshal(node.Result, &logs) != nil {
			return nil
		}
		var many []map[string]any
		for _, one := range logs {
			for i := range each {
				other := maps.Clone(one)
				other["logIndex"] = hexutil.Uint64(i)
				many = append(many, other)
			}
		}
		text, _ := json.Marshal(many)
		return says(string(text))
	})
	read := 0
	for _, want := range []int{20, 10} { // 20 are asked for together
		got, err := l.Blocks(t.Context(), first+int64(read), 100)
		if err != nil || len(got) != want || len(got[0].Transfers) != each {
			t.Fatalf("%d blocks from %d on, want %d: %v", len(got), read, want, err)
		}
		read += len(got)
	}
}

// TestLateLogs: a node with a block, but not yet its logs, answers with none. They are asked for by the block's hash.
func TestLateLogs(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	to := l.deposit(t, 0)
	l.tokens["USDT"].Transfer(t, anvil.Rich, to, whole(1, 6))
	l.node.Mine(t, 1)
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getLogs" && !strings.Contains(string(q.Params[0]), "blockHash") {
			return says(`[]`)
		}
		return nil
	})
	l.want(t, to, "USDT 0 1")
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getLogs" && !strings.Contains(string(q.Params[0]), "blockHash") {
			return says(`[]`)
		}
		if q.Method == "eth_getLogs" {
			return refuses(-32000, "unknown block")
		}
		return nil
	})
	if _, err := l.Blocks(t.Context(), l.node.Height(t), 1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("logs that nobody has: %v, want ErrDown", err)
	}
}

// TestForks: logs and receipts of another fork than the block are never mixed with it.
func TestForks(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	to := l.deposit(t, 0)
	l.tokens["USDT"].Transfer(t, l.node.Accounts[1], to, whole(1, 6))
	l.node.Send(t, anvil.Rich, to, whole(1, 18), nil)
	l.node.Mine(t, 1)
	height := l.node.Height(t)
	for _, method := range []string{"eth_getLogs", "eth_getBlockReceipts"} {
		var left atomic.Int64
		forked := func(q asked, node answer) *answer {
			if q.Method != method || left.Add(-1) < 0 {
				return nil
			}
			return says(strings.ReplaceAll(string(node.Result), blockHashOf(t, node.Result), common.Hash{7}.Hex()))
		}
		left.Store(1)
		m.set(forked)
		blocks, err := l.Blocks(t.Context(), height, 1)
		if err != nil || len(blocks) != 1 || len(blocks[0].Transfers) != 2 {
			t.Errorf("%s of another fork once: %+v, %v", method, blocks, err)
		}
		left.Store(100)
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s of another fork for ever: %+v, %v", method, blocks, err)
		}
	}
}

// TestUnlinkedBlocksAreRefused: blocks without links to each other are not returned together.
func TestUnlinkedBlocksAreRefused(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	l.node.Mine(t, 5)
	m.set(func(q asked, node answer) *answer {
		if q.Method == "eth_getBlockByNumber" && string(q.Params[0]) == `"0x3"` {
			var block map[string]any
			_ = json.Unmarshal(node.Result, &block)
			block["parentHash"] = common.Hash{9}.Hex()
			out, _ := json.Marshal(block)
			return says(string(out))
		}
		return nil
	})
	if blocks, err := l.Blocks(t.Context(), 1, 5); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%d blocks, %v: want ErrDown", len(blocks), err)
	}
}

// TestBlocksBeforeAFailureAreReturned: when the node fails half way, the blocks before the failure are returned, and the next call fails.
func TestBlocksBeforeAFailureAreReturned(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Batch = 2 }})
	l.node.Mine(t, 8)
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getBlockByNumber" && string(q.Params[0]) == `"0x6"` {
			return refuses(-32603, "internal error")
		}
		return nil
	})
	blocks, err := l.Blocks(t.Context(), 1, 8)
	if err != nil || len(blocks) != 4 || blocks[3].Height != 4 {
		t.Fatalf("%d blocks, %v: want the 4 before the failure", len(blocks), err)
	}
	if blocks, err = l.Blocks(t.Context(), 5, 8); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%d blocks, %v: want ErrDown", len(blocks), err)
	}
}

func blockHashOf(t *testing.T, list json.RawMessage) string {
	t.Helper()
	var items []struct{ BlockHash string }
	if err := json.Unmarshal(list, &items); err != nil || len(items) == 0 {
		t.Errorf("nothing to fork in %s", list)
		return "nothing"
	}
	return items[0].BlockHash
}

// TestRemovedLogsAreNoTransfers: a removed log is no transfer, a doubled one is one.
func TestRemovedLogsAreNoTransfers(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	to := l.deposit(t, 0)
	l.tokens["USDT"].Transfer(t, anvil.Rich, to, whole(1, 6))
	l.node.Mine(t, 1)
	m.set(func(q asked, node answer) *answer {
		if q.Method != "eth_getLogs" || string(node.Result) == "[]" {
			return nil
		}
		return says(strings.Replace(string(node.Result), "[", "["+strings.Trim(string(node.Result), "[]")+",", 1))
	})
	l.want(t, to, "USDT 0 1")
	m.set(func(q asked, node answer) *answer {
		if q.Method == "eth_getLogs" {
			return says(strings.ReplaceAll(string(node.Result), `"removed":false`, `"removed":true`))
		}
		return nil
	})
	l.want(t, to)
}

// TestPoorNodes: nodes without batches, or without receipts of whole blocks.
func TestPoorNodes(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Batch = 1 }})
	to := l.deposit(t, 0)
	l.node.Send(t, anvil.Rich, to, whole(1, 18), nil)
	l.node.Send(t, l.node.Accounts[1], l.tokens["USDT"].Address, whole(1, 18), nil)
	l.node.Mine(t, 1)
	l.want(t, to, "ETH 0 1")
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_getBlockReceipts" {
			return refuses(-32601, "the method eth_getBlockReceipts does not exist/is not available")
		}
		return nil
	})
	l.want(t, to, "ETH 0 1")
	for _, tr := range l.transfers(t) {
		if tr.To == l.Match(l.tokens["USDT"].Address.Hex()) {
			t.Errorf("a reverted transaction moved something: %+v", tr)
		}
	}
}

// TestNoTip: a node without a suggested tip still has a gas price.
func TestNoTip(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_maxPriorityFeePerGas" {
			return refuses(-32601, "the method eth_maxPriorityFeePerGas does not exist/is not available")
		}
		return nil
	})
	l.pay(t, order("ETH", "1"))
	l.want(t, payee, "ETH 0 1")
}

// TestOrphaned: a receipt counts only while its block does.
func TestOrphaned(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	paid := l.pay(t, order("ETH", "1"))
	m.set(func(q asked, node answer) *answer {
		if q.Method == "eth_getTransactionReceipt" {
			return says(forged(node.Result))
		}
		return nil
	})
	if got := l.state(t, paid.Txid).State; got != chains.TxMissing {
		t.Errorf("state %d of an orphaned transaction, want missing", got)
	}
}

func forged(receipt json.RawMessage) string {
	var fields map[string]any
	_ = json.Unmarshal(receipt, &fields)
	fields["blockHash"] = common.Hash{9}.Hex()
	out, _ := json.Marshal(fields)
	return string(out)
}

// declining returns a function to check the outcome of an answer: the node does not take a transaction, with these words.
func (l *launched) declining(t *testing.T, m *meddling, signed chains.Signed) func(words string, want chains.Outcome) {
	t.Helper()
	return func(words string, want chains.Outcome) {
		t.Helper()
		m.set(func(q asked, _ answer) *answer {
			switch q.Method {
			case "eth_sendRawTransaction":
				return refuses(-32000, words)
			case "eth_getTransactionByHash":
				return says("null")
			}
			return nil
		})
		l.outcome(t, signed.Raw, want, words)
	}
}

// TestUnderpriced: a transaction is signed again if its fee is the reason, or may be, since fees have risen.
func TestUnderpriced(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	declines := l.declining(t, m, l.signed(t, order("ETH", "1")))
	l.node.Call(t, nil, "anvil_setNextBlockBaseFeePerGas", "0xba43b7400") // 50 gwei
	l.node.Mine(t, 1)
	declines("txpool is full", chains.Underpriced) // for no known reason, and fees have risen
	declines("insufficient funds for gas * price + value", chains.NotTaken)
	declines("nonce too low", chains.SlotTaken)
	l.node.Call(t, nil, "anvil_setNextBlockBaseFeePerGas", "0xba43b740000") // 12,800 gwei, over the ceiling
	l.node.Mine(t, 1)
	declines("txpool is full", chains.NotTaken)
}

// TestBytesThatMayBeTakenAreNeverRejected: no answer makes bytes possibly taken by the node count as rejected.
func TestBytesThatMayBeTakenAreNeverRejected(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	signed := l.signed(t, order("ETH", "1"))
	declines := l.declining(t, m, signed)
	for _, words := range []string{
		"insufficient funds for gas * price + value", "txpool is full", "invalid sender", "intrinsic gas too low", "rate limited",
		"internal error", "",
	} {
		declines(words, chains.NotTaken)
	}
	declines("transaction underpriced", chains.Underpriced)
	declines("replacement transaction underpriced", chains.Underpriced)
	declines("nonce too low", chains.SlotTaken)
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_sendRawTransaction" {
			return says(`"` + common.Hash{1}.Hex() + `"`)
		}
		return nil
	})
	l.outcome(t, signed.Raw, chains.Unknown, "id")
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "eth_sendRawTransaction" {
			return refuses(-32000, "insufficient funds")
		}
		return nil
	})
	l.outcome(t, signed.Raw, chains.Accepted, "") // the node has it since the first time
	l.node.Mine(t, 1)
	l.want(t, payee, "ETH 0 1")
}
