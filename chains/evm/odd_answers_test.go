package evm_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"

	"causeway/chains"
	"causeway/chains/evm"
)

// TestAnOddAnswerIsNoAnswer: a question with a senseless part in its answer is asked again later. The part is neither a balance
// of nothing, nor a nonce, nor a block without payments, nor a payment without a move.
func TestAnOddAnswerIsNoAnswer(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{})
	l.tokens["USDT"].Transfer(t, l.node.Accounts[2], l.deposit(t, 0), whole(1, 6))
	signed := l.pay(t, order("ETH", "1"))
	l.node.Mine(t, 1)
	height := l.node.Height(t)
	prepare := func() error { _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1"))); return err }
	nonce := func() error { _, err := l.sender.NextNonce(t.Context(), l.sender.Hot()); return err }
	used := func() error { _, err := l.NonceAt(t.Context(), l.sender.Hot(), height); return err }
	blocks := func() error { _, err := l.Blocks(t.Context(), height-1, 2); return err }
	status := func() error { _, err := l.Status(t.Context(), []string{signed.Txid}); return err }
	holdings := func() error {
		_, err := l.Holdings(t.Context(), "ETH", []string{l.Hot()}, height)
		return err
	}
	for _, c := range []struct {
		method, result string // "": another status in the receipts
		status         string
		asks           func() error
	}{
		{"eth_getBalance", "7", "", prepare},
		{"eth_getBalance", `"0x1` + strings.Repeat("f", 64) + `"`, "", prepare},
		{"eth_getBalance", `""`, "", prepare},
		{"eth_getBalance", `""`, "", holdings},
		{"eth_getTransactionCount", "-1", "", prepare},
		{"eth_getTransactionCount", `""`, "", nonce},
		{"eth_getTransactionCount", `"0x20000000000000"`, "", nonce},
		{"eth_getTransactionCount", `"0xffffffffffffffff"`, "", nonce},
		{"eth_getTransactionCount", `"0xffffffffffffffff"`, "", prepare},
		{"eth_getTransactionCount", `"0xffffffffffffffff"`, "", used},
		{"eth_getLogs", "null", "", blocks},
		{"eth_getBlockReceipts", "", "", blocks},
		{"eth_getBlockReceipts", "", "0x2", blocks},
		{"eth_getTransactionReceipt", "", "", status},
		{"eth_getTransactionReceipt", "", "0x2", status},
	} {
		m.set(func(asked, answer) *answer { return nil })
		check(t, c.asks())
		m.set(func(q asked, node answer) *answer {
			switch {
			case q.Method != c.method:
				return nil
			case c.result != "":
				return says(c.result)
			default:
				return says(withStatus(node.Result, c.status))
			}
		})
		if err := c.asks(); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s answers %s, status %q: %v, want ErrDown", c.method, c.result, c.status, err)
		}
	}
}

// withStatus puts a status into a receipt, or into each of a list.
func withStatus(result json.RawMessage, status string) string {
	var one map[string]any
	var many []map[string]any
	if json.Unmarshal(result, &one) == nil {
		many = append(many, one)
	} else {
		_ = json.Unmarshal(result, &many)
	}
	for _, receipt := range many {
		receipt["status"] = status
	}
	var out any = many
	if one != nil {
		out = one
	}
	text, _ := json.Marshal(out)
	return string(text)
}

// TestAnEmptyTextIsNoQuantity: in place of any read member, an empty text is no answer, and never zero or nothing. An unread
// member may be anything.
func TestAnEmptyTextIsNoQuantity(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	l.node.Call(t, nil, "anvil_setCode", forwards, forwardsValue)
	to := l.deposit(t, 0)
	l.tokens["USDT"].Transfer(t, l.node.Accounts[2], to, whole(1, 6))
	l.node.Send(t, l.node.Accounts[3], forwards, whole(2, 18), common.LeftPadBytes(to[:], 32))
	signed := l.pay(t, order("ETH", "1"))
	l.node.Mine(t, 1)
	height := l.node.Height(t)
	head := func() error { _, err := l.Head(t.Context(), -1); return err }
	blocks := func() error { _, err := l.Blocks(t.Context(), height-1, 2); return err }
	status := func() error { _, err := l.Status(t.Context(), []string{signed.Txid}); return err }
	origin := func() error { _, err := l.Origin(t.Context(), signed.Txid); return err }
	prepare := func() error { _, err := l.sender.Prepare(t.Context(), single(order("ETH", "1"))); return err }
	for _, c := range []struct {
		method, member string
		asks           func() error
		free           bool
	}{
		{"eth_getBlockByNumber", "number", head, false},
		{"eth_getBlockByNumber", "timestamp", head, false},
		{"eth_getBlockByNumber", "baseFeePerGas", prepare, false},
		{"eth_getBlockByNumber", "logsBloom", blocks, false},
		{"eth_getBlockByNumber", "value", blocks, false},
		{"eth_getBlockByNumber", "gasPrice", blocks, true},
		{"eth_getBlockByNumber", "difficulty", blocks, true},
		{"eth_getLogs", "data", blocks, false},
		{"eth_getLogs", "logIndex", blocks, false},
		{"eth_getLogs", "blockNumber", blocks, false},
		{"eth_getLogs", "transactionIndex", blocks, true},
		{"eth_getBlockReceipts", "status", blocks, false},
		{"eth_getBlockReceipts", "gasUsed", blocks, true},
		{"eth_getBlockReceipts", "effectiveGasPrice", blocks, true},
		{"debug_traceBlockByHash", "value", blocks, false},
		{"debug_traceBlockByHash", "gasUsed", blocks, true},
		{"eth_getTransactionReceipt", "blockNumber", status, false},
		{"eth_getTransactionReceipt", "gasUsed", status, false},
		{"eth_getTransactionReceipt", "effectiveGasPrice", status, false},
		{"eth_getTransactionReceipt", "cumulativeGasUsed", status, true},
		{"eth_getTransactionByHash", "gasPrice", status, false},
		{"eth_getTransactionByHash", "value", status, true},
		{"eth_getTransactionByHash", "nonce", origin, false},
	} {
		met := false
		m.set(func(q asked, node answer) *answer {
			if q.Method != c.method {
				return nil
			}
			var value any
			_ = json.Unmarshal(node.Result, &value)
			met = emptied(value, c.member) || met
			out, _ := json.Marshal(value)
			return says(string(out))
		})
		err := c.asks()
		if !met || c.free && err != nil || !c.free && !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s with an empty %s (met: %v): %v, want an error: %v", c.method, c.member, met, err, !c.free)
		}
	}
}

// emptied makes a member empty wherever it is in a JSON value, and reports whether it is anywhere.
func emptied(value any, member string) (met bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			met = emptied(item, member) || met
		}
	case map[string]any:
		for name, item := range v {
			if name == member {
				v[name], met = "", true
				continue
			}
			met = emptied(item, member) || met
		}
	}
	return met
}
