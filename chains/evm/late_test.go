package evm_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/sirupsen/logrus"
	logrustest "github.com/sirupsen/logrus/hooks/test"

	"causeway/chains"
	"causeway/chains/evm"
)

// hanging is a proxy without an answer to some requests.
type hanging struct {
	now atomic.Pointer[func(body string) bool]
}

func (h *hanging) set(hangs func(body string) bool) { h.now.Store(&hangs) }

func (h *hanging) proxy(t *testing.T) func(node string) string {
	return func(node string) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if f := h.now.Load(); f != nil && (*f)(string(body)) {
				<-r.Context().Done()
				return
			}
			resp, err := http.Post(node, "application/json", bytes.NewReader(body))
			if err != nil {
				http.Error(w, "the node is away", http.StatusBadGateway)
				return
			}
			defer func() { _ = resp.Body.Close() }()
			_, _ = io.Copy(w, resp.Body)
		}))
		t.Cleanup(server.Close)
		return server.URL
	}
}

// slowTraces launches a chain with traces, a node able to take for ever, and a log.
func slowTraces(t *testing.T) (*launched, *hanging, *logrustest.Hook) {
	t.Helper()
	h := &hanging{}
	l := launch(t, launchOptions{proxy: h.proxy(t), change: func(c *evm.Config) { c.Traces, c.Timeout = true, 4*time.Second }})
	log, lines := logrustest.NewNullLogger()
	var err error
	l.Connector, err = evm.Open(t.Context(), l.config, log)
	check(t, err)
	t.Cleanup(l.Close)
	lines.Reset()
	return l, h, lines
}

// TestATraceThatTakesTooLong: a transaction traced for too long counts as one without calls. Before that its block was asked
// for alone twice, and its own trace in two steps with another's in time. The others of the block are seen.
//
// Covers operator §Settings: traces
func TestATraceThatTakesTooLong(t *testing.T) {
	t.Parallel()
	l, h, lines := slowTraces(t)
	l.mineTraces(t, twice)
	height := l.node.Height(t)
	slow := l.sentTo(t, heavy, height)
	h.set(func(body string) bool {
		return strings.Contains(body, "debug_traceBlockByHash") || strings.Contains(body, "debug_traceTransaction") && strings.Contains(body, slow)
	})
	for range 4 { // its block twice; then it comes before the others, whose traces come in time; then once more
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Fatalf("%+v, %v: want ErrDown", blocks, err)
		}
	}
	l.seesAll(t, height)
	if e := lines.AllEntries(); len(e) != 1 || e[0].Level != logrus.WarnLevel || e[0].Data["txid"] != slow {
		t.Errorf("%d lines: %+v", len(e), e)
	}
}

// TestReceiptsThatTakeTooLong: if the receipts of one block alone do not come in time, those of transactions with a move of the
// coin are asked for.
func TestReceiptsThatTakeTooLong(t *testing.T) {
	t.Parallel()
	l, h, _ := slowTraces(t)
	l.mineTraces(t, twice)
	var asked atomic.Int64
	h.set(func(body string) bool { return strings.Contains(body, "eth_getBlockReceipts") && asked.Add(1) > 0 })
	l.seesAll(t, l.node.Height(t))
	l.seesAll(t, l.node.Height(t)) // and then they are not waited for again
	if n := asked.Load(); n != 1 {
		t.Errorf("asked for %d times", n)
	}
}

// TestTracesThatAreLateForAWhile: a payment by a contract is seen after an outage of the node's traces, at any length of it,
// any place in a block, and any time of a step.
//
// Covers operator §Settings: traces
func TestTracesThatAreLateForAWhile(t *testing.T) {
	t.Parallel()
	for name, comes := range map[string]int64{"no trace": 0, "the first trace": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, h, lines := slowTraces(t)
			l.mineTraces(t, twice)
			height := l.node.Height(t)
			var alone atomic.Int64
			h.set(func(body string) bool {
				return strings.Contains(body, "debug_trace") &&
					(strings.HasPrefix(body, "[") || strings.Contains(body, "ByHash") || alone.Add(1) > comes)
			})
			for range 2 {
				if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
					t.Fatalf("%+v, %v: want ErrDown", blocks, err)
				}
			}
			step, cancel := context.WithTimeout(t.Context(), 7*time.Second)
			defer cancel()
			if blocks, err := l.Blocks(step, height, 1); !errors.Is(err, chains.ErrDown) {
				t.Fatalf("%+v, %v: want ErrDown", blocks, err)
			}
			h.set(func(string) bool { return false })
			l.seesAll(t, height)
			if e := lines.AllEntries(); len(e) != 0 {
				t.Errorf("%d lines: %+v", len(e), e)
			}
		})
	}
}

// TestTracesThatOneStepHasNoTimeFor: traces received in a step are not asked for again by the next, however short steps are.
func TestTracesThatOneStepHasNoTimeFor(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces, c.Batch = true, 1 }})
	l.mineTraces(t, twice)
	height := l.node.Height(t)
	var asks atomic.Int64
	var end atomic.Pointer[context.CancelFunc]
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "debug_traceBlockByHash" {
			return refuses(-32002, "request timed out")
		}
		if q.Method == "debug_traceTransaction" && asks.Add(1)%2 == 0 {
			(*end.Load())()
			return refuses(-32603, "too late") // should it come before the end is noticed
		}
		return nil
	})
	step := func() ([]chains.Block, error) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		end.Store(&cancel)
		return l.Blocks(ctx, height, 1)
	}
	var blocks []chains.Block
	for range 5 { // two late ones, and one for each trace
		blocks, _ = step()
	}
	if len(blocks) != 1 || len(blocks[0].Transfers) != 3 || asks.Load() != 5 {
		t.Errorf("%d traces were asked for: %+v", asks.Load(), blocks)
	}
}

// TestANodeThatEndsABatch: a trace is given up for being late by itself alone, not for an ended batch.
func TestANodeThatEndsABatch(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	l.mineTraces(t, twice)
	height := l.node.Height(t)
	var single atomic.Int64
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "debug_traceBlockByHash" || q.Method == "debug_traceTransaction" && single.Add(1) > 1 && single.Load() <= 3 {
			return refuses(-32002, "request timed out")
		}
		return nil
	})
	for range 2 {
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%+v, %v: want ErrDown", blocks, err)
		}
	}
	l.seesAll(t, height)
}

// TestANodeThatTracesNothing: a node without any trace in time is down, however often it is asked, and no transaction is given
// up.
//
// Covers operator §Settings: traces
func TestANodeThatTracesNothing(t *testing.T) {
	t.Parallel()
	l, h, lines := slowTraces(t)
	to := l.mineTraces(t, twice)
	height := l.node.Height(t)
	h.set(func(body string) bool { return strings.Contains(body, "debug_trace") })
	for range 3 {
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%+v, %v: want ErrDown", blocks, err)
		}
	}
	h.set(func(string) bool { return false })
	l.want(t, to, "ETH 1 2", "USDT 0 1")
	if e := lines.AllEntries(); len(e) != 0 {
		t.Errorf("%d lines: %+v", len(e), e)
	}
}

// TestANodeThatEndsATrace: a node's own limit of time is no other than ours, for a block and for one of its transactions.
func TestANodeThatEndsATrace(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	l.mineTraces(t, twice)
	height := l.node.Height(t)
	slow := l.sentTo(t, heavy, height)
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "debug_traceBlockByHash" || q.Method == "debug_traceTransaction" && strings.Contains(string(q.Params[0]), slow) {
			return refuses(-32000, "execution timeout")
		}
		return nil
	})
	for range 3 {
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%+v, %v: want ErrDown", blocks, err)
		}
	}
	l.seesAll(t, height)
	m.set(func(q asked, _ answer) *answer {
		if q.Method == "debug_traceBlockByHash" {
			return says(`[{"error":"execution timeout"},{"error":"execution timeout"},{"error":"execution timeout"}]`)
		}
		return nil
	})
	l.seesAll(t, height)
}

// TestFewerBlocksAtOnce: where a node is too slow for many blocks in one request, fewer are asked for.
func TestFewerBlocksAtOnce(t *testing.T) {
	t.Parallel()
	l, h, _ := slowTraces(t)
	to := l.deposit(t, 0)
	for range 12 {
		l.tokens["USDT"].Transfer(t, l.stranger(), to, whole(1, 6))
		l.node.Mine(t, 1)
	}
	h.set(func(body string) bool { return strings.Count(body, "debug_traceBlockByHash") > 6 })
	height := l.node.Height(t)
	next, late := height-11, 0
	for next <= height && late < 3 {
		blocks, err := l.Blocks(t.Context(), next, 100)
		if err != nil {
			late++
		}
		next += int64(len(blocks))
	}
	if next <= height || late == 0 {
		t.Errorf("%d of %d was reached, too late %d times", next-1, height, late)
	}
}

// sentTo returns the transaction of a block to an address.
func (l *launched) sentTo(t *testing.T, to common.Address, height int64) string {
	t.Helper()
	for _, txid := range l.node.Transactions(t, height) {
		var tx struct{ To common.Address }
		l.node.Call(t, &tx, "eth_getTransactionByHash", txid)
		if tx.To == to {
			return txid
		}
	}
	t.Fatalf("nothing was sent to %s", to)
	return ""
}

// seesAll wants the transfers of mineTraces in a block: a coin sent to a contract and on, and a token.
func (l *launched) seesAll(t *testing.T, height int64) {
	t.Helper()
	if blocks, err := l.Blocks(t.Context(), height, 1); err != nil || len(blocks) != 1 || len(blocks[0].Transfers) != 3 {
		t.Errorf("%+v, %v: want three transfers", blocks, err)
	}
}
