package solana_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
)

// liar is a node between the connector and another node. It changes the results of one method.
type liar struct {
	sync.Mutex
	to     string
	method string
	result any
}

// tell has the results of a method replaced from now on.
func (p *liar) tell(method string, result any) {
	p.Lock()
	defer p.Unlock()
	p.method, p.result = method, result
}

func (p *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var question struct{ Method string }
	_ = json.Unmarshal(body, &question)
	p.Lock()
	method, result := p.method, p.result
	p.Unlock()
	if question.Method == method {
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "result": result})
		return
	}
	resp, err := http.Post(p.to, "application/json", bytes.NewReader(body))
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	_, _ = io.Copy(w, resp.Body)
}

// TestOddAnswersAreNoAnswers: whatever a node answers to one question, nothing panics, nothing false is told, and every failure is the
// node's.
func TestOddAnswersAreNoAnswers(t *testing.T) {
	t.Parallel()
	node := solananode.Start(t, solananode.Options{Lag: 1})
	p := &liar{to: node.URL}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	l := on(t, node, func(c *solana.Config) { c.RPC[0] = server.URL })
	to := l.derive(t, 1)
	l.pay(t, "USDC", to, decimal.NewFromInt(7))
	signed := l.paid(t, order("USDC", stranger, "1"), 1)
	l.mine(t, 1)
	odd := []any{nil, "", -1, 1e30, true, []any{}, []any{nil}, map[string]any{}, map[string]any{"context": map[string]any{"slot": 1 << 40}, "value": []any{nil, nil}},
		[]any{map[string]any{"signature": "x", "slot": -5}}, map[string]any{"blockhash": "1", "blockHeight": -1}, map[string]any{"slot": 1, "meta": map[string]any{}}}
	for _, method := range []string{"getSlot", "getBlocks", "getBlock", "getMultipleAccounts", "getSignaturesForAddress", "getTransaction", "getSignatureStatuses",
		"getBlockHeight", "getMinimumBalanceForRentExemption", "getRecentPrioritizationFees", "simulateTransaction", "sendTransaction"} {
		for _, answer := range odd {
			p.tell("", nil)
			l.open(t)
			p.tell(method, answer)
			l.believesNothing(t, method, answer, to, signed)
		}
	}
	p.tell("", nil)
	l.wantArrived(t, to, map[string]string{"USDC": "7"})
}

// believesNothing asks everything.
func (l *launched) believesNothing(t *testing.T, method string, answer any, to string, signed chains.Signed) {
	t.Helper()
	ctx := t.Context()
	sum := decimal.Zero
	head, err := l.Head(ctx, -1)
	errs := []error{err}
	blocks, err := l.Blocks(ctx, 0, 50)
	for _, b := range blocks {
		for _, x := range b.Transfers {
			if x.To == to {
				sum = sum.Add(x.Amount)
			}
		}
	}
	if sum.GreaterThan(decimal.NewFromInt(7)) {
		t.Errorf("%s: %v: %s arrived", method, answer, sum)
	}
	now, failed := l.Status(ctx, []string{signed.Txid})
	if state := now[signed.Txid].State; failed == nil && state != chains.TxMined && method != "getSignatureStatuses" && method != "getSlot" {
		t.Errorf("%s: %v: state %d", method, answer, state)
	}
	_, held := l.Holdings(ctx, "USDC", []string{to}, max(head.Height, 0))
	_, prepared := l.sender.Prepare(ctx, chains.Spend{Orders: []chains.Order{order("USDC", to, "1")}})
	for _, err := range append(errs, err, failed, held, prepared) {
		if err != nil && !errors.Is(err, chains.ErrDown) && !errors.Is(err, chains.ErrShort) && !errors.Is(err, chains.ErrNoToken) {
			t.Errorf("%s: %v: %v is not the node's failure", method, answer, err)
		}
	}
	if outcome, _ := l.sender.Broadcast(ctx, signed.Raw); method == "sendTransaction" && outcome == chains.Accepted || outcome == chains.Rejected {
		t.Errorf("%s: %v: outcome %d", method, answer, outcome)
	}
}
