package evm_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/chains/nodes"
	"causeway/internal/dev/anvil"
)

// gate is a proxy in front of a node. It closes for good at the first question with some text.
type gate struct {
	at      atomic.Pointer[string]
	passes  atomic.Bool // the node gets this question all the same
	closed  atomic.Bool
	refused atomic.Int64
}

func (g *gate) proxy(t *testing.T, node string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if at := g.at.Load(); at != nil && bytes.Contains(body, []byte(*at)) {
			g.closed.Store(true)
		}
		closed := g.closed.Load()
		if closed && g.refused.Add(1) > 1 || closed && !g.passes.Load() {
			panic(http.ErrAbortHandler)
		}
		resp, err := http.Post(node, "application/json", bytes.NewReader(body))
		if err != nil || closed {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = resp.Body.Close() }()
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// gated is a chain with two nodes, the first one behind a gate.
func gated(t *testing.T) (*launched, *gate) {
	g := &gate{}
	l := launch(t, launchOptions{change: func(c *evm.Config) { c.RPC = nodes.Addresses{g.proxy(t, c.RPC[0]), c.RPC[0]} }})
	return l, g
}

// TestTheNextNodeAnswersWithinAStep: if the first node goes away between the questions about blocks, the next one answers the rest,
// and no transfer is missed.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestTheNextNodeAnswersWithinAStep(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"eth_getBlockByNumber", "eth_getLogs", "eth_getBlockReceipts"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			l, g := gated(t)
			to := l.deposit(t, 0)
			l.tokens["USDT"].Transfer(t, l.node.Accounts[1], to, whole(1, 6))
			l.node.Send(t, anvil.Rich, to, whole(1, 18), nil)
			l.node.Mine(t, 1)
			height := l.node.Height(t)
			_, err := l.Head(t.Context(), height-1)
			check(t, err)
			g.at.Store(&at)
			blocks, err := l.Blocks(t.Context(), height, 1)
			check(t, err)
			if len(blocks) != 1 || len(blocks[0].Transfers) != 2 || !g.closed.Load() {
				t.Errorf("%+v, want the block with two transfers", blocks)
			}
			nodes := l.Network().Nodes()
			if nodes[0].Used || nodes[0].Failures != 1 || !nodes[1].Used {
				t.Errorf("%+v, want the second node in use", nodes)
			}
		})
	}
}

// TestASlowNodeIsLeft: a node that answers, but not in time about a single block's logs, is left for the next one.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestASlowNodeIsLeft(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{change: func(c *evm.Config) {
		c.Timeout, c.Batch = 2*time.Second, 1
		c.RPC = nodes.Addresses{slowLogs(t, c.RPC[0]), c.RPC[0]}
	}})
	if _, err := l.Blocks(t.Context(), l.node.Height(t), 1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want ErrDown", err)
	}
	blocks, err := l.Blocks(t.Context(), l.node.Height(t), 1)
	if err != nil || len(blocks) != 1 || !l.Network().Nodes()[0].Left {
		t.Errorf("%d blocks, %v, want the block by the second node", len(blocks), err)
	}
}

// slowLogs is a proxy in front of a node. It never answers about logs.
func slowLogs(t *testing.T, node string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte("eth_getLogs")) {
			<-r.Context().Done()
			return
		}
		resp, err := http.Post(node, "application/json", bytes.NewReader(body))
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = resp.Body.Close() }()
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestABroadcastGoesToTheNextNode: the first node goes away after it has taken the bytes, without an answer. The next one has them, so
// they are accepted.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestABroadcastGoesToTheNextNode(t *testing.T) {
	t.Parallel()
	for _, passes := range []bool{true, false} {
		l, g := gated(t)
		to := l.deposit(t, 3).Hex()
		draft, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: to, Token: "ETH", Amount: decimal.NewFromInt(1)}}})
		check(t, err)
		signed, err := draft.Sign(chains.Slot{})
		check(t, err)
		at := "eth_sendRawTransaction"
		g.passes.Store(passes)
		g.at.Store(&at)
		if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted || !g.closed.Load() {
			t.Errorf("%v, %q: want the next node to have it", outcome, why)
		}
		l.node.Mine(t, 1)
		if status, err := l.Status(t.Context(), []string{signed.Txid}); err != nil || status[signed.Txid].State != chains.TxMined {
			t.Errorf("%+v, %v", status, err)
		}
	}
}

// TestANodeOfAnotherChainIsLeftOut: the others go on. Without any other, the network does not open.
//
// Covers operator §Settings: A node of another chain
func TestANodeOfAnotherChainIsLeftOut(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	other := anvil.Start(t, 56)
	cfg := l.config
	cfg.RPC = nodes.Addresses{other.URL, l.node.URL}
	opened, err := evm.Open(t.Context(), cfg, nil)
	check(t, err)
	defer opened.Close()
	if h, err := opened.Head(t.Context(), -1); err != nil || h.Height != l.node.Height(t) {
		t.Errorf("%+v, %v: want the head of the right chain", h, err)
	}
	cfg.RPC = nodes.Addresses{other.URL, (&gate{}).proxy(t, other.URL)}
	if _, err := evm.Open(t.Context(), cfg, nil); !errors.Is(err, evm.ErrChain) {
		t.Errorf("%v, want ErrChain where all nodes are wrong", err)
	}
	cfg.RPC = nodes.Addresses{other.URL, "http://127.0.0.1:1/"}
	silent, err := evm.Open(t.Context(), cfg, nil)
	check(t, err)
	defer silent.Close()
	if _, err := silent.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || errors.Is(err, evm.ErrChain) {
		t.Errorf("%v, want ErrDown while the other node is silent", err)
	}
}

// TestLists: rpc is a URL, or a list of them without a node twice. An error names a node by its place.
func TestLists(t *testing.T) {
	t.Parallel()
	cfg, err := configured(t, "Ethereum", "xpub: XPUB\nrpc: [https://a.example/key, 'http://b.example']")
	check(t, err)
	if len(cfg.RPC) != 2 || cfg.RPC[0] != "https://a.example/key" || cfg.RPC[1] != "http://b.example" {
		t.Errorf("%v", cfg.RPC)
	}
	for text, want := range map[string]string{
		"[]": "a list of 1 to 8", "[https://a.example/key, 'ws://b']": "rpc: node 2: not an http or https URL",
		"[https://a.example/key, https://a.example/key]": "rpc: node 2: listed before", "{a: https://a.example/key}": "a URL, or a list of URLs",
		"[" + strings.Repeat("https://a.example, ", 8) + "https://b.example]": "a list of 1 to 8",
	} {
		if _, err := configured(t, "Ethereum", "xpub: XPUB\nrpc: "+text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "example") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
