package solana_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/solana"
	"causeway/internal/dev/solananode"
	"causeway/internal/dev/testkit"
)

// gate is a proxy in front of a node. It closes at the first question of some method, or answers each of them in its own way.
type gate struct {
	sync.Mutex
	to     string
	method string
	// elsewhere answers the method in place of the node; "" for none.
	elsewhere string
	says      string // the rest of an answer, as in `"result":[]`; if empty, the gate closes
	ahead     int64  // is added to the count of blocks that the node tells
	passes    bool   // the node gets this question all the same
	closed    bool
}

// set changes the gate.
func (g *gate) set(change func(g *gate)) {
	g.Lock()
	defer g.Unlock()
	change(g)
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var question struct{ Method string }
	_ = json.Unmarshal(body, &question)
	g.Lock()
	meets := question.Method == g.method
	closes := meets && g.says == ""
	was, to, says, passes, ahead := g.closed, g.to, g.says, g.passes, g.ahead
	if meets && g.elsewhere != "" {
		to, closes = g.elsewhere, false
	}
	g.closed = was || closes
	g.Unlock()
	if was || closes && !passes {
		panic(http.ErrAbortHandler)
	}
	if meets && says != "" {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,`+says+`}`)
		return
	}
	resp, err := http.Post(to, "application/json", bytes.NewReader(body))
	if err != nil || closes {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = resp.Body.Close() }()
	w.WriteHeader(resp.StatusCode)
	if question.Method == "getBlock" && ahead != 0 {
		var answer struct{ Result map[string]any }
		_ = json.NewDecoder(resp.Body).Decode(&answer)
		answer.Result["blockHeight"] = int64(answer.Result["blockHeight"].(float64)) + ahead
		_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "result": answer.Result})
		return
	}
	_, _ = io.Copy(w, resp.Body)
}

// gated is a chain with some nodes. Each is the same shim behind a gate of its own, until a gate leads to another.
func gated(t *testing.T, count int) (*launched, []*gate) {
	t.Helper()
	node, gates := solananode.Start(t, solananode.Options{Lag: 1}), make([]*gate, count)
	l := on(t, node, func(c *solana.Config) {
		c.RPC = nil
		for i := range gates {
			gates[i] = &gate{to: node.URL}
			server := httptest.NewServer(gates[i])
			t.Cleanup(server.Close)
			c.RPC = append(c.RPC, server.URL)
		}
	})
	return l, gates
}

// TestTheNextNodeAnswersWithinAStep: if the first node goes away between the questions of a step, the next one answers all, and no transfer is
// missed.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestTheNextNodeAnswersWithinAStep(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"getSlot", "getBlocks", "getBlock", "getMultipleAccounts", "getSignaturesForAddress", "getTransaction"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			l, gates := gated(t, 2)
			to, from := l.derive(t, 0), l.tip(t)
			l.pay(t, "USDT", to, decimal.NewFromInt(3))
			l.pay(t, "SOL", to, decimal.NewFromInt(4))
			l.mine(t, 1)
			gates[0].set(func(g *gate) { g.method = method })
			head, err := l.Head(t.Context(), from)
			check(t, err)
			blocks, err := l.Blocks(t.Context(), from+1, 1)
			check(t, err)
			var closed bool
			gates[0].set(func(g *gate) { closed = g.closed })
			if head.Height != from+1 || len(blocks) != 1 || len(blocks[0].Transfers) != 2 || !closed {
				t.Errorf("%+v, %+v, want the block with two transfers", head, blocks)
			}
			if now := l.Network().Nodes(); now[0].Used || now[0].Failures == 0 || !now[1].Used || now[1].Requests == 0 {
				t.Errorf("%+v, want the second node in use", now)
			}
		})
	}
}

// TestANodeThatLacksATransactionIsLeftForTheNext: the first node's list, or its answer about a transaction, leaves a balance unexplained. The
// next one tells the payment.
//
// Covers operator §Settings: A step is answered by one node
func TestANodeThatLacksATransactionIsLeftForTheNext(t *testing.T) {
	t.Parallel()
	for method, says := range map[string]string{"getSignaturesForAddress": `"result":[]`, "getTransaction": `"result":null`,
		"getBlocks": `"error":{"code":-32005,"message":"Node is behind by 42 slots"}`} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			l, gates := gated(t, 2)
			to, from := l.derive(t, 0), l.tip(t)
			_, err := l.Blocks(t.Context(), from, 1)
			check(t, err)
			l.pay(t, "USDC", to, decimal.NewFromInt(3))
			l.mine(t, 1)
			gates[0].set(func(g *gate) { g.method, g.says = method, says })
			blocks, err := l.Blocks(t.Context(), from+1, 1)
			check(t, err)
			if len(blocks) != 1 || len(blocks[0].Transfers) != 1 || blocks[0].Transfers[0].To != to {
				t.Errorf("%+v, want the transfer", blocks)
			}
			if now := l.Network().Nodes(); !now[1].Used || now[0].Failures == 0 {
				t.Errorf("%+v, want the second node in use", now)
			}
		})
	}
}

// TestABroadcastGoesToTheNextNode: the first node goes away at the bytes, with or without them, or does not take them. The next one has
// them, so they are accepted.
//
// Covers operator §Settings: A transaction not taken by one node of Solana
func TestABroadcastGoesToTheNextNode(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(g *gate){
		"with them":    func(g *gate) { g.passes = true },
		"without them": func(*gate) {},
		"refused": func(g *gate) {
			g.says = `"error":{"code":-32002,"message":"Blockhash not found","data":{"err":"BlockhashNotFound"}}`
		},
		"behind": func(g *gate) { g.says = `"error":{"code":-32005,"message":"Node is behind by 42 slots"}` },
		"odd":    func(g *gate) { g.says = `"result":"` + strings.Repeat("2", 87) + `"` },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, gates := gated(t, 2)
			signed := l.signed(t, order("USDC", stranger, "5"), 0)
			gates[0].set(func(g *gate) { g.method = "sendTransaction"; set(g) })
			if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
				t.Fatalf("%v, %q: want the next node to have it", outcome, why)
			}
			l.mine(t, 1)
			l.wantState(t, signed.Txid, chains.TxMined)
		})
	}
}

// TestWhatOneNodeMayHaveIsUnknown: if one node gives no answer, the refusal of the other decides nothing. If both refuse, the first one's word
// is told.
func TestWhatOneNodeMayHaveIsUnknown(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	signed := l.signed(t, order("SOL", stranger, "5"), 0)
	refuses := func(word string) string {
		return `"error":{"code":-32002,"message":"Transaction simulation failed","data":{"err":"` + word + `"}}`
	}
	gates[1].set(func(g *gate) { g.method, g.says = "sendTransaction", refuses("AccountInUse") })
	gates[0].set(func(g *gate) { g.method, g.says = "sendTransaction", refuses("BlockhashNotFound") })
	if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Expired {
		t.Errorf("%v, %q", outcome, why)
	}
	gates[0].set(func(g *gate) { g.says = "" })
	if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Unknown || why == "" {
		t.Errorf("%v, %q", outcome, why)
	}
}

// TestAnErrorOfOursIsNoFault: no node is left for a payment that is not covered, or that its recipient cannot take.
func TestAnErrorOfOursIsNoFault(t *testing.T) {
	t.Parallel()
	l, _ := gated(t, 2)
	l.refused(t, order("USDC", stranger, "1000000"), chains.ErrShort, "")
	l.refused(t, order("SOL", stranger, "0.0001"), chains.ErrUnpayable, "")
	for i, n := range l.Network().Nodes() {
		if n.Failures != 0 || n.Left {
			t.Errorf("node %d: %+v", i+1, n)
		}
	}
}

// TestANodeOfAnotherClusterIsLeftOut: the others go on.
func TestANodeOfAnotherClusterIsLeftOut(t *testing.T) {
	t.Parallel()
	l := launch(t)
	cfg := l.config
	cfg.RPC = append([]string{solananode.Start(t, solananode.Options{Lag: 1, Name: "devnet"}).URL}, cfg.RPC...)
	opened, err := solana.Open(t.Context(), cfg, nil)
	check(t, err)
	defer opened.Close()
	if h, err := opened.Head(t.Context(), -1); err != nil || h.Height != l.tip(t) {
		t.Errorf("%+v, %v: want the head of the right chain", h, err)
	}
}

// TestNodesContradictEachOther: the second node has other blocks from some height on. Nothing above the last common one is credited or final,
// and the clock stands there, until the list has one node.
//
// Covers operator §Settings: If two nodes contradict each other
// Covers operator §Settings: Another list in `rpc` holds
func TestNodesContradictEachOther(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	common := l.head(t, -1)
	if common.Agreed == nil || *common.Agreed != common.Height || common.Dispute != "" {
		t.Fatalf("%+v, want both to agree", common)
	}
	other := solananode.Start(t, solananode.Options{Lag: 1}) // the same blocks up to a fork
	var ours, theirs int
	confirmed := map[string]string{"commitment": "confirmed"}
	check(t, l.node.Order(&ours, "getSlot", confirmed))
	check(t, other.Order(&theirs, "getSlot", confirmed))
	check(t, other.Mine(ours-theirs))
	gates[1].set(func(g *gate) { g.to = other.URL })
	check(t, other.Fork(1))
	check(t, other.Mine(slots))
	l.mine(t, 2)
	h := l.head(t, common.Height)
	if h.Dispute == "" || h.Final > common.Height || h.Credit > h.Final || h.Clock > common.Clock || !strings.Contains(h.Dispute, "for node 2") {
		t.Errorf("%+v, want a dispute", h)
	}
	configured, err := solana.Driver.Read("Solana", said{&l.config})
	check(t, err)
	l.Network().Replace(configured.Nodes[:1])
	l.mine(t, 1)
	if h = l.head(t, common.Height); h.Dispute != "" || h.Agreed != nil || h.Final != h.Height || h.Clock <= common.Clock {
		t.Errorf("%+v: want the word of one node", h)
	}
}

// TestTheCountOfBlocksIsOfTheChain: a node that counts otherwise would have transactions dead that are not, and paid again. Two nodes contradict each
// other then, and one alone contradicts the blocks that were followed.
func TestTheCountOfBlocksIsOfTheChain(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	check(t, l.node.Skip(125*slots)) // a count is never above the slot
	l.mine(t, 3)
	before := l.head(t, -1)
	gates[1].set(func(g *gate) { g.ahead = -50 })
	l.open(t)
	l.mine(t, 1)
	if h := l.head(t, before.Height); h.Dispute == "" || h.Clock >= before.Clock || h.Final >= before.Height {
		t.Errorf("%+v, want a dispute", h)
	}
	gates[1].set(func(g *gate) { g.method, g.closed = "none", true }) // it goes away
	gates[0].set(func(g *gate) { g.ahead = 1_000 })
	l.open(t)
	h := l.head(t, before.Height)
	if i := slices.IndexFunc(h.Marks, func(m chains.Mark) bool { return m.Height == before.Height }); h.Marks[i] == before.Marks[0] {
		t.Errorf("%+v, want another block than the followed one, %+v", h, before)
	}
	gates[0].set(func(g *gate) { g.ahead = 0 })
	l.open(t)
	l.head(t, before.Height)
	gates[0].set(func(g *gate) { g.ahead = 1_000 })
	l.mine(t, 1)
	if h, err := l.Head(t.Context(), before.Height); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%+v, %v: a count that jumps is believed", h, err)
	}
}

// said is the part of NETWORKS_FILE that says a configuration.
type said struct{ config *solana.Config }

func (s said) Decode(into any) error { *into.(*solana.Config) = *s.config; return nil }
func (s said) Has(string) bool       { return true }

func (l *launched) head(t *testing.T, followed int64) chains.Head {
	t.Helper()
	h, err := l.Head(t.Context(), followed)
	check(t, err)
	return h
}

// TestASecondNodeThatIsLate: what it does not have yet is not credited, and the clock is that of the block that both have. A payment in the
// blocks above is told all the same.
//
// Covers operator §Settings: Before anything is credited or final
func TestASecondNodeThatIsLate(t *testing.T) {
	t.Parallel()
	l, gates := gated(t, 2)
	before := l.head(t, -1)
	var slot int
	check(t, l.node.Order(&slot, "getSlot"))
	gates[1].set(func(g *gate) { g.method, g.says = "getSlot", `"result":`+decimal.NewFromInt(int64(slot)).String() })
	l.pay(t, "SOL", l.derive(t, 0), decimal.NewFromInt(1))
	l.mine(t, 1)
	h := l.head(t, before.Height)
	if h.Height != before.Height+1 || h.Credit != before.Height || h.Final != before.Height || h.Clock != before.Clock || h.Dispute != "" {
		t.Errorf("%+v, want it to stand where both are", h)
	}
	l.wantArrived(t, l.derive(t, 0), map[string]string{"SOL": "1"})
	gates[1].set(func(g *gate) { g.says = "" }) // it goes away
	l.mine(t, 1)
	if h = l.head(t, before.Height); h.Agreed != nil || h.Final != h.Height || !strings.HasSuffix(h.Rule, "; no second node answers") {
		t.Errorf("%+v, want the word of one node", h)
	}
	gates[1].set(func(g *gate) { g.method, g.closed = "", false })
	testkit.Eventually(t, time.Minute, func() bool {
		l.mine(t, 1)
		h, err := l.Head(t.Context(), before.Height)
		return err == nil && h.Agreed != nil
	}, "the second node to be asked again")
}

// TestLists: rpc is a URL, or a list of them. Another list is no other setting.
func TestLists(t *testing.T) {
	t.Parallel()
	rest := "\n" + written(t)[strings.Index(written(t), "xpub"):]
	first, err := solana.Driver.Read("Solana", part("rpc: [https://a.example/key, 'http://b.example:8899']"+rest))
	check(t, err)
	second, err := solana.Driver.Read("Solana", part("rpc: https://c.example"+rest))
	check(t, err)
	if want := []string{"https://a.example/key", "http://b.example:8899"}; !slices.Equal(first.Nodes, want) || len(second.Nodes) != 1 ||
		!reflect.DeepEqual(first.Settings, second.Settings) {
		t.Errorf("%+v, %+v", first, second)
	}
	for text, want := range map[string]string{"[]": "a list of 1 to 8", "[https://a.example, 'ws://b.example']": "rpc: node 2: not an http or https URL",
		"[https://a.example, https://a.example]": "rpc: node 2: listed before", "{url: https://a.example}": "a URL, or a list of URLs"} {
		if _, err := solana.Driver.Read("Solana", part("rpc: "+text+rest)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// text is JSON.
func text(t *testing.T, of any) string {
	t.Helper()
	out, err := json.Marshal(of)
	check(t, err)
	return string(out)
}
