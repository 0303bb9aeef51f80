package ripple_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/ripple"
	"causeway/internal/dev/rippled"
)

// liar is a node between the connector and another node. It changes the answers to one method.
type liar struct {
	sync.Mutex
	to     string
	method string
	lie    func(answer any) any
}

// tell has the answers to a method changed from now on.
func (p *liar) tell(method string, lie func(answer any) any) {
	p.Lock()
	defer p.Unlock()
	p.method, p.lie = method, lie
}

func (p *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	resp, err := http.Post(p.to, "application/json", bytes.NewReader(body))
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	answer, _ := io.ReadAll(resp.Body)
	var call struct{ Method string }
	_ = json.Unmarshal(body, &call)
	p.Lock()
	defer p.Unlock()
	if call.Method == p.method {
		d := json.NewDecoder(bytes.NewReader(answer))
		d.UseNumber()
		var told any
		if d.Decode(&told) == nil {
			answer, _ = json.Marshal(p.lie(told))
		}
	}
	_, _ = w.Write(answer)
}

// between puts a liar before a node, and opens the connector on it.
func between(t *testing.T) (*launched, *liar) {
	t.Helper()
	node := rippled.Start(t, rippled.Options{})
	p := &liar{to: node.URL}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return on(t, node, func(c *ripple.Config) { c.RPC = []string{server.URL} }), p
}

// members changes a member of the result, by a path of names and places. Nil takes it out.
func members(value any, path ...any) func(any) any {
	var change func(at any, path []any) any
	change = func(at any, path []any) any {
		if len(path) == 0 {
			return value
		}
		switch step := path[0].(type) {
		case string:
			if all, ok := at.(map[string]any); ok {
				if all[step] = change(all[step], path[1:]); all[step] == nil {
					delete(all, step)
				}
			}
		case int:
			if all, ok := at.([]any); ok && step < len(all) {
				all[step] = change(all[step], path[1:])
			}
		}
		return at
	}
	return func(answer any) any { return change(answer, append([]any{"result"}, path...)) }
}

// firstAlone leaves out all transactions of a ledger but the first.
func firstAlone(answer any) any {
	var told struct {
		Result struct {
			Ledger struct{ Transactions []any }
		}
	}
	text, _ := json.Marshal(answer)
	if _ = json.Unmarshal(text, &told); len(told.Result.Ledger.Transactions) < 2 {
		return answer
	}
	return members(told.Result.Ledger.Transactions[:1], "ledger", "transactions")(answer)
}

func always(value any) func(any) any { return func(any) any { return value } }

// TestAnotherNetworkIsRefused: a node of the test net behind the main one is never used, at start or later.
//
// Covers operator §Settings: network_id
func TestAnotherNetworkIsRefused(t *testing.T) {
	t.Parallel()
	other := rippled.Start(t, rippled.Options{Network: 1})
	if _, err := ripple.Open(t.Context(), settings(t, other.URL), nil); !errors.Is(err, ripple.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
	l, p := between(t)
	p.tell("ledger", always("not even an object"))
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want ErrDown", err)
	}
	p.tell("server_info", members(json.Number("0"), "info", "network_id")) // another node is there when it answers again
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, ripple.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
	p.tell("server_info", members(nil, "info", "network_id"))
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || !says(err, "network_id") {
		t.Errorf("%v, want ErrDown", err)
	}
}

// TestLedgersThatCannotBe: answers that contradict themselves are no ledgers. Above all, no transaction can be left out or changed.
//
// Covers operator §Settings: The transactions of each ledger
func TestLedgersThatCannotBe(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	to := l.deposit(t)
	l.pay(t, to, tag, decimal.NewFromInt(5))
	txid := l.pay(t, to, tag, decimal.NewFromInt(3))
	height := l.node.Close(1)
	earlier, err := l.Blocks(t.Context(), height-1, 1)
	check(t, err)
	tx := func(path ...any) []any { return append([]any{"ledger", "transactions"}, path...) }
	for name, lie := range map[string]func(any) any{
		"all are missing":            members([]any{}, tx()...),
		"none is told":               members(nil, tx()...),
		"one is missing":             firstAlone,
		"another transaction":        members("1200002280000000", tx(0, "tx_blob")...),
		"other metadata":             members("201C00000000F8F1031000", tx(0, "meta_blob")...),
		"no metadata":                members(nil, tx(0, "meta_blob")...),
		"no hex":                     members("zz", tx(0, "tx_blob")...),
		"not validated":              members(false, "validated"),
		"another ledger":             members(json.Number("3"), "ledger_index"),
		"another hash":               members(earlier[0].Hash, "ledger_hash"),
		"no header":                  members(nil, "ledger", "ledger_data"),
		"a header that is cut":       members("00", "ledger", "ledger_data"),
		"an error":                   always(map[string]any{"result": map[string]any{"error": "internal", "status": "error"}}),
		"an error without its word":  always(map[string]any{"result": map[string]any{"error": 5, "status": "error"}}),
		"no success":                 members("maybe", "status"),
		"another shape":              always([]any{}),
		"a ledger of another shape":  members("ledger", "ledger"),
		"a result of another shape":  always(map[string]any{"result": "no"}),
		"transactions of no objects": members([]any{"A"}, tx()...),
	} {
		p.tell("ledger", lie)
		l.Forget()
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %+v, %v, want ErrDown", name, blocks, err)
		}
	}
	p.tell("", nil)
	l.Forget()
	if b := l.newest(t); len(b.Transfers) != 2 || b.Transfers[1].Txid != txid {
		t.Errorf("the truth: %+v", b)
	}
}

// TestANodeThatGoesBack: a node behind a validated ledger that was followed is down.
func TestANodeThatGoesBack(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	l.node.Close(5)
	height := l.node.Height()
	_, err := l.Head(t.Context(), height)
	check(t, err)
	other := on(t, rippled.Start(t, rippled.Options{})) // the same ledgers, and fewer
	p.Lock()
	p.to = other.node.URL
	p.Unlock()
	if h, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || !says(err, "went back") {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestAccountsThatCannotBe: answers about accounts that contradict the question are none.
func TestAccountsThatCannotBe(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	height := l.node.Height()
	for name, lie := range map[string]func(any) any{
		"another account":   members("rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", "account_data", "Account"),
		"no balance":        members(nil, "account_data", "Balance"),
		"less than nothing": members("-5", "account_data", "Balance"),
		"no number":         members(nil, "account_data", "Sequence"),
		"another ledger":    members(json.Number("2"), "ledger_index"),
		"not validated":     members(false, "validated"),
	} {
		p.tell("account_info", lie)
		if held, err := l.Holdings(t.Context(), "XRP", []string{l.Hot()}, height); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %v, %v, want ErrDown", name, held, err)
		}
	}
	p.tell("", nil)
	if held, err := l.Holdings(t.Context(), "XRP", []string{l.Hot(), l.deposit(t)}, height); err != nil || held[0].String() != "100000" || !held[1].IsZero() {
		t.Errorf("%v, %v", held, err)
	}
	if _, err := l.Holdings(t.Context(), "USD", []string{l.Hot()}, height); err == nil {
		t.Error("an issued currency is held")
	}
	if _, err := l.NextNonce(t.Context(), l.deposit(t)); !errors.Is(err, chains.ErrShort) {
		t.Errorf("%v, want ErrShort: there is no account", err)
	}
}

// TestSecretsStayInside: the address of a node is in no error.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	c, err := ripple.Open(t.Context(), settings(t, "http://127.0.0.1:1/very-secret"), nil)
	check(t, err)
	t.Cleanup(c.Close)
	if _, err := c.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || says(err, "secret") || strings.Contains(err.Error(), "127.0.0.1") && says(err, "very") {
		t.Errorf("%v", err)
	}
}
