package tron_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/tron"
	"causeway/internal/dev/testkit"
	"causeway/internal/dev/tronnode"
)

// gate is a proxy in front of a node. It closes at the first question with some path.
type gate struct {
	sync.Mutex
	to     string
	at     string // of the question
	passes bool   // the node gets this question all the same
	closed bool
	keys   []string
}

// set changes the gate.
func (g *gate) set(change func(g *gate)) {
	g.Lock()
	defer g.Unlock()
	change(g)
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	g.Lock()
	g.keys = append(g.keys, r.Header.Get("TRON-PRO-API-KEY"))
	closes := g.at != "" && strings.TrimPrefix(r.URL.Path, "/") == g.at
	was, to, passes := g.closed, g.to, g.passes
	g.closed = was || closes
	g.Unlock()
	if was || closes && !passes {
		panic(http.ErrAbortHandler)
	}
	resp, err := http.Post(to+r.URL.Path, "application/json", bytes.NewReader(body))
	if err != nil || closes {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = resp.Body.Close() }()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

// gated is a chain with some nodes. Each is the same fake one behind a gate of its own, until a gate leads to another.
func gated(t *testing.T, count int, change ...func(*tron.Config)) (*launched, []*gate) {
	t.Helper()
	node, gates := tronnode.Start(t, tronnode.Options{}), make([]*gate, count)
	l := on(t, node, append(change, func(c *tron.Config) {
		c.RPC = nil
		for i := range gates {
			gates[i] = &gate{to: node.URL}
			server := httptest.NewServer(gates[i])
			t.Cleanup(server.Close)
			c.RPC = append(c.RPC, tron.Node{URL: server.URL, APIKey: "key-" + string(rune('1'+i))})
		}
	})...)
	return l, gates
}

// TestTheNextNodeAnswersWithinAStep: if the first node goes away between the questions about blocks, the next one answers all, with the key
// of its own, and no transfer is missed.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
// Covers operator §Settings: A node of Tron may have a key of its own
func TestTheNextNodeAnswersWithinAStep(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"wallet/getblock", "walletsolidity/getblock", "wallet/getblockbynum", "wallet/gettransactioninfobyblocknum"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			l, gates := gated(t, 2)
			to, err := l.Derive(t.Context(), 0)
			check(t, err)
			l.pay(t, "USDT", to, decimal.NewFromInt(3))
			l.pay(t, "TRX", to, decimal.NewFromInt(4))
			height := l.node.Mine(1)
			gates[0].set(func(g *gate) { g.at = at })
			head, err := l.Head(t.Context(), height)
			check(t, err)
			blocks, err := l.Blocks(t.Context(), height, 1)
			check(t, err)
			var closed bool
			gates[0].set(func(g *gate) { closed = g.closed })
			if head.Height != height || len(blocks) != 1 || len(blocks[0].Transfers) != 2 || !closed {
				t.Errorf("%+v, %+v, want the block with two transfers", head, blocks)
			}
			if now := l.Network().Nodes(); now[0].Used || now[0].Failures == 0 || !now[1].Used {
				t.Errorf("%+v, want the second node in use", now)
			}
			for i, g := range gates {
				g.set(func(g *gate) {
					for _, key := range g.keys {
						if key != "key-"+string(rune('1'+i)) {
							t.Errorf("node %d is asked with %q", i+1, key)
						}
					}
				})
			}
		})
	}
}

// TestABroadcastGoesToTheNextNode: the first node goes away at the bytes, with or without them, or does not take them. The next one has
// them, so they are accepted.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
// Covers operator §Settings: A transaction not taken by one node of Tron
func TestABroadcastGoesToTheNextNode(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(g *gate, l *launched){
		"with them":    func(g *gate, _ *launched) { g.at, g.passes = "wallet/broadcasthex", true },
		"without them": func(g *gate, _ *launched) { g.at = "wallet/broadcasthex" },
		"refused":      func(_ *gate, l *launched) { check(t, l.node.Refuse("TAPOS_ERROR", 1)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, gates := gated(t, 2)
			signed := l.signed(t, order("USDT", "5", stranger("payee")), 0)
			gates[0].set(func(g *gate) { set(g, l) })
			if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
				t.Errorf("%v, %q: want the next node to have it", outcome, why)
			}
			l.node.Mine(1)
			if states, err := l.Status(t.Context(), []string{signed.Txid}); err != nil || states[signed.Txid].State != chains.TxMined {
				t.Errorf("%+v, %v", states, err)
			}
		})
	}
}

// TestWhatOneNodeMayHaveIsUnknown: if one node gives no answer, the refusal of the other decides nothing.
func TestWhatOneNodeMayHaveIsUnknown(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	signed := l.signed(t, order("TRX", "5", stranger("payee")), 0)
	gates[0].set(func(g *gate) { g.at = "wallet/broadcasthex" })
	check(t, l.node.Refuse("SERVER_BUSY", 1))
	if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Unknown || why == "" {
		t.Errorf("%v, %q", outcome, why)
	}
}

// TestALimitIsNoFault: a payment above max_fee waits, and no node is left for it.
func TestALimitIsNoFault(t *testing.T) {
	t.Parallel()
	l, _ := gated(t, 2, func(c *tron.Config) { c.MaxFee = decimal.NewFromInt(1) })
	if _, err := l.sender.Prepare(t.Context(), single(order("USDT", "5", stranger("payee")))); !errors.Is(err, chains.ErrDown) || !says(err, "max_fee") {
		t.Error(err)
	}
	for i, n := range l.Network().Nodes() {
		if n.Failures != 0 || n.Left {
			t.Errorf("node %d: %+v", i+1, n)
		}
	}
}

// TestANodeOfAnotherChainIsLeftOut: the others go on.
//
// Covers operator §Settings: A node of Nile
func TestANodeOfAnotherChainIsLeftOut(t *testing.T) {
	t.Parallel()
	l := launch(t)
	cfg := l.config
	cfg.RPC = append(tron.At(tronnode.Start(t, tronnode.Options{Name: "Nile"}).URL), cfg.RPC...)
	opened, err := tron.Open(t.Context(), cfg, nil)
	check(t, err)
	defer opened.Close()
	newest, _ := l.node.Height()
	if h, err := opened.Head(t.Context(), -1); err != nil || h.Height != newest {
		t.Errorf("%+v, %v: want the head of the right chain", h, err)
	}
}

// TestNodesContradictEachOther: the second node is on another chain from some block on. Nothing above the last common block is credited or
// final, and the clock is that of the final block, until the list has one node.
//
// Covers operator §Settings: If two nodes contradict each other
// Covers operator §Settings: Another list in `rpc` holds
func TestNodesContradictEachOther(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	l.node.Solidify()
	h, err := l.Head(t.Context(), -1)
	check(t, err)
	if h.Agreed == nil || h.Dispute != "" || h.Final == 0 {
		t.Fatalf("%+v, want both to agree", h)
	}
	clock := h.Clock
	other := tronnode.Start(t, tronnode.Options{}) // the same first block, and no other
	if other.GenesisID() != l.node.GenesisID() {
		t.Fatal("the two chains have nothing in common")
	}
	newest, _ := l.node.Height()
	other.Mine(int(newest))
	gates[1].set(func(g *gate) { g.to = other.URL })
	l.node.Mine(1)
	other.Mine(1)
	h, err = l.Head(t.Context(), newest)
	check(t, err)
	if h.Dispute == "" || h.Credit >= newest-20 || h.Final > h.Credit || h.Clock >= clock || !strings.Contains(h.Dispute, "for node 2") {
		t.Errorf("%+v, want a dispute", h)
	}
	l.Network().Replace(configured(t, l.config).Nodes[:1])
	l.node.Mine(1)
	if h, err = l.Head(t.Context(), newest); err != nil || h.Dispute != "" || h.Agreed != nil || h.Clock <= clock {
		t.Errorf("%+v, %v: want the word of one node", h, err)
	}
}

// TestASecondNodeThatIsAway: it lowers nothing, and the rule says so.
//
// Covers operator §Settings: Before anything is credited or final
func TestASecondNodeThatIsAway(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	l.node.Solidify()
	gates[1].set(func(g *gate) { g.at = "wallet/getblock" })
	_, solid := l.node.Height()
	h, err := l.Head(t.Context(), -1)
	if err != nil || h.Agreed != nil || h.Final != solid || !strings.HasSuffix(h.Rule, "; no second node answers") {
		t.Errorf("%+v, %v", h, err)
	}
	gates[1].set(func(g *gate) { g.at, g.closed = "", false })
	testkit.Eventually(t, time.Minute, func() bool {
		l.node.Mine(1)
		h, err := l.Head(t.Context(), l.node.Mine(1))
		return err == nil && h.Agreed != nil
	}, "the second node to be asked again")
}

// configured is what the file would say.
func configured(t *testing.T, cfg tron.Config) *chains.Configured {
	t.Helper()
	c, err := tron.Driver.Read("Tron", said{&cfg})
	check(t, err)
	return c
}

// said is the part of NETWORKS_FILE that says a configuration.
type said struct{ config *tron.Config }

func (s said) Decode(into any) error { *into.(*tron.Config) = *s.config; return nil }
func (s said) Has(string) bool       { return true }

// TestLists: rpc is a URL, a URL with its key, or a list of both. Another list, or key, is no other setting.
//
// Covers operator §Settings: A node of Tron may have a key of its own
func TestLists(t *testing.T) {
	t.Parallel()
	rest := written(t)
	rest = "\n" + rest[strings.Index(rest, "xpub"):]
	first, err := tron.Driver.Read("Tron", part("rpc: [{url: https://a.example, api_key: secret-1}, 'http://b.example:8090']"+rest))
	check(t, err)
	if len(first.Nodes) != 2 || first.Nodes[0] != "https://a.example\nsecret-1" || first.Nodes[1] != "http://b.example:8090\n" {
		t.Errorf("%q", first.Nodes)
	}
	second, err := tron.Driver.Read("Tron", part("rpc: https://a.example\napi_key: secret-2"+rest))
	if err != nil || !reflect.DeepEqual(first.Settings, second.Settings) || second.Nodes[0] != "https://a.example\nsecret-2" {
		t.Errorf("%v, %q: other nodes are other settings", err, second.Nodes)
	}
	for text, want := range map[string]string{
		"[]": "a list of 1 to 8", "[https://a.example, 'ws://b.example']": "rpc: node 2: not an http or https URL",
		"[{url: https://a.example, api_key: 'secret 1'}]":                         "api_key: not the value of a header",
		"[{url: https://a.example, api_key: secret-1}, {url: https://a.example}]": "rpc: node 2: listed before",
		"[{url: https://a.example, apikey: secret-1}]":                            "a node has url and api_key",
		"[https://a.example, https://b.example]\napi_key: secret-1":               "api_key: beside each node",
		"{url: https://a.example, api_key: secret-1}\napi_key: secret-2":          "api_key: beside each node",
		"[[https://a.example]]":                                                   "a URL, {url: …, api_key: …}, or a list of them",
	} {
		if _, err := tron.Driver.Read("Tron", part("rpc: "+text+rest)); !says(err, want) || says(err, "secret") || says(err, "example") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
