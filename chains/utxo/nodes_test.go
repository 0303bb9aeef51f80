package utxo_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// gate is a proxy in front of a node. It closes for good at the first question with some text.
type gate struct {
	at      atomic.Pointer[string]
	passes  atomic.Bool // the node gets this question all the same
	closed  atomic.Bool
	refused atomic.Int64
}

// closes has the gate close at a question.
func (g *gate) closes(at string) { g.at.Store(&at) }

func (g *gate) opens() {
	g.at.Store(nil)
	g.closed.Store(false)
	g.refused.Store(0)
}

func (g *gate) proxy(t *testing.T, node string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if at := g.at.Load(); at != nil && bytes.Contains(body, []byte(*at)) {
			g.closed.Store(true)
		}
		closed := g.closed.Load()
		if closed && (g.refused.Add(1) > 1 || !g.passes.Load()) {
			panic(http.ErrAbortHandler)
		}
		resp, err := http.Post(node, "application/json", bytes.NewReader(body))
		if err != nil || closed {
			panic(http.ErrAbortHandler)
		}
		defer func() { _ = resp.Body.Close() }()
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// twins are two real nodes of one chain, each behind a gate. Nothing passes between them by itself.
type twins struct {
	*launched
	other *bitcoind.Node
	gates [2]*gate
}

func twin(t *testing.T, network string, change ...func(*utxo.Config)) *twins {
	t.Helper()
	first := bitcoind.Start(t, network)
	out := &twins{other: first.Twin(t), gates: [2]*gate{{}, {}}}
	urls := nodes.Addresses{out.gates[0].proxy(t, first.URL), out.gates[1].proxy(t, out.other.URL)}
	out.launched = on(t, first, append(change, func(c *utxo.Config) { c.RPC = urls })...)
	out.other.Bring(t, first)
	return out
}

// TestTheNextNodeAnswersWithinAStep: if the first node goes away between the questions about blocks, the next one answers all, and no
// transfer is missed.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestTheNextNodeAnswersWithinAStep(t *testing.T) {
	t.Parallel()
	l := twin(t, "Bitcoin")
	l.pay(t, l.Hot(), amount("3"))
	l.node.Mine(t, 1)
	l.other.Bring(t, l.node)
	height := l.node.Height(t)
	for _, at := range []string{"getblockchaininfo", "getblockheader", "getblockhash", `"getblock"`} {
		_, err := l.Head(t.Context(), height)
		check(t, err)
		l.node.Mine(t, 1) // its time is asked for
		l.other.Bring(t, l.node)
		l.gates[0].closes(at)
		head, err := l.Head(t.Context(), height)
		check(t, err)
		blocks, err := l.Blocks(t.Context(), height, 1)
		check(t, err)
		if head.Height != l.node.Height(t) || len(blocks) != 1 || len(blocks[0].Transfers) < 2 || !l.gates[0].closed.Load() {
			t.Errorf("%s: %+v, %+v, want the block with its transfers", at, head, blocks)
		}
		if now := l.Network().Nodes(); now[0].Used || now[0].Failures == 0 || !now[1].Used {
			t.Errorf("%s: %+v, want the second node in use", at, now)
		}
		l.gates[0].opens()
		l.Network().Replace(nil) // it is asked again at once
		l.Network().Replace(l.config.RPC)
	}
}

// TestABroadcastGoesToTheNextNode: the first node goes away at the bytes, with or without them. The next one has them, so they are accepted.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestABroadcastGoesToTheNextNode(t *testing.T) {
	t.Parallel()
	for _, passes := range []bool{true, false} {
		l := twin(t, "Bitcoin")
		signed, _ := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "2")}}, chains.Slot{})
		l.gates[0].passes.Store(passes)
		l.gates[0].closes("sendrawtransaction")
		if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted || !l.gates[0].closed.Load() {
			t.Errorf("%v, %q: want the next node to have it", outcome, why)
		}
		l.other.Mine(t, 1)
		if state := l.status(t, signed.Txid); state.State != chains.TxMined {
			t.Errorf("%+v", state)
		}
	}
}

// change is the coin that a transaction pays back to the hot wallet.
func (l *launched) change(t *testing.T, signed chains.Signed) chains.Coin {
	t.Helper()
	hot, err := addresses.Script(l.config.Network, l.Hot())
	check(t, err)
	for i, o := range bitcoind.Parse(t, hex.EncodeToString(signed.Raw)).TxOut {
		if bytes.Equal(o.PkScript, hot) {
			return chains.Coin{ID: chains.CoinID(signed.Txid, i), Token: l.Network().Coin, Amount: decimal.New(o.Value, -8)}
		}
	}
	t.Fatal("no change")
	return chains.Coin{}
}

// TestATransactionThatOneNodeLacks: the first node has a transaction of ours alone. Once it is away the others miss it, which proves
// nothing: the same bytes are taken by them. One that spends its change is offered to the node that has it, and what has no answer of one
// node is unknown, whatever another says.
//
// Covers operator §Settings: A transaction not taken by one node of Bitcoin and its kin is offered to the next
func TestATransactionThatOneNodeLacks(t *testing.T) {
	t.Parallel()
	l := twin(t, "Bitcoin")
	first, _ := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "2")}}, chains.Slot{})
	if outcome, why := l.sender.Broadcast(t.Context(), first.Raw); outcome != chains.Accepted {
		t.Fatal(outcome, why)
	}
	draft, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{l.order(t, "1")}})
	check(t, err)
	l.Network().Replace([]string{l.config.RPC[1], l.config.RPC[0]}) // the one without it comes first
	child, err := draft.Sign(chains.Slot{Coins: []chains.Coin{l.change(t, first)}})
	check(t, err)
	l.gates[0].closes("sendrawtransaction")
	if outcome, why := l.sender.Broadcast(t.Context(), child.Raw); outcome != chains.Unknown {
		t.Errorf("%v, %q while the node that may have it is silent", outcome, why)
	}
	if state := l.status(t, first.Txid); state.State != chains.TxMissing {
		t.Errorf("%+v of a node without it", state)
	}
	l.gates[0].opens()
	l.Network().Replace([]string{l.config.RPC[1]})
	if outcome, why := l.sender.Broadcast(t.Context(), child.Raw); outcome != chains.SlotTaken {
		t.Errorf("%v, %q from the only node, which lacks the coin", outcome, why)
	}
	l.Network().Replace([]string{l.config.RPC[1], l.config.RPC[0]})
	if outcome, why := l.sender.Broadcast(t.Context(), child.Raw); outcome != chains.Accepted {
		t.Errorf("%v, %q: want the node with the coin to take it", outcome, why)
	}
	for _, signed := range []chains.Signed{first, child} {
		if outcome, why := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
			t.Errorf("%v, %q: want the other node to take it too", outcome, why)
		}
		if state := l.status(t, signed.Txid); state.State != chains.TxPending {
			t.Errorf("%+v", state)
		}
	}
}

// TestTheCoinsAreKnownOnTheNextNode: they go on from where the first node has told them, and no search is made anew for a node that is a
// block late.
func TestTheCoinsAreKnownOnTheNextNode(t *testing.T) {
	t.Parallel()
	l := twin(t, "Bitcoin")
	l.pay(t, l.Hot(), amount("5"))
	l.node.Mine(t, 1)
	height := l.node.Height(t)
	l.wantHeld(t, height, "1005", l.Hot())
	began := l.Floor()
	l.gates[0].closes("get")
	if _, err := l.Holdings(t.Context(), l.Network().Coin, []string{l.Hot()}, height); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v from a node without the block", err)
	}
	l.other.Bring(t, l.node)
	l.other.Mine(t, 1)
	l.wantHeld(t, height+1, "1005", l.Hot())
	if l.Floor() != began {
		t.Errorf("the coins are known from block %d on, and were from %d on", l.Floor(), began)
	}
}

// TestABusySearchGoesToTheNextNode: a node searches its coins for one at a time.
func TestABusySearchGoesToTheNextNode(t *testing.T) {
	t.Parallel()
	node := bitcoind.At(t, "BitcoinGold", coinfake.Start(t, "BitcoinGold").URL)
	busy := &liar{to: node.URL}
	busy.tell("scantxoutset", always(`{"error":{"code":-8,"message":"Scan already in progress, use action \"abort\" or \"status\""}}`))
	server := httptest.NewServer(busy)
	t.Cleanup(server.Close)
	l := on(t, node, func(c *utxo.Config) { c.RPC = nodes.Addresses{server.URL, node.URL} })
	l.wantHeld(t, node.Height(t), "1000", l.Hot())
	if now := l.Network().Nodes(); !now[0].Used || now[0].Left {
		t.Errorf("%+v: the node that searches for others is left alone", now)
	}
}

// TestANodeOfAnotherChainIsLeftOut: the others go on. Without any other, the network does not open.
//
// Covers operator §Settings: Once it is asked, a node of another chain
func TestANodeOfAnotherChainIsLeftOut(t *testing.T) {
	t.Parallel()
	node := bitcoind.At(t, "Dogecoin", coinfake.Start(t, "Dogecoin").URL)
	wrong := coinfake.Start(t, "BitcoinCash").URL
	l := on(t, node, func(c *utxo.Config) { c.RPC = nodes.Addresses{wrong, node.URL} })
	if h, err := l.Head(t.Context(), -1); err != nil || h.Height != node.Height(t) {
		t.Errorf("%+v, %v: want the head of the right chain", h, err)
	}
	cfg := l.config
	cfg.RPC = nodes.Addresses{wrong, (&gate{}).proxy(t, wrong)}
	if _, err := utxo.Open(t.Context(), cfg, nil); !errors.Is(err, utxo.ErrChain) {
		t.Errorf("%v, want ErrChain where all nodes are wrong", err)
	}
}

// TestLists: rpc is a URL, or a list of them without a node twice, also not by another user. An error names a node by its place.
func TestLists(t *testing.T) {
	t.Parallel()
	rest := written(t, "Bitcoin")
	rest = rest[strings.Index(rest, "xpub"):]
	c, err := utxo.Driver.Read("Bitcoin", part("rpc: ['http://u:secret@a:8332', 'https://u:secret@b:8332']\n"+rest))
	if err != nil || len(c.Nodes) != 2 || c.Nodes[1] != "https://u:secret@b:8332" {
		t.Fatalf("%+v, %v", c, err)
	}
	other, err := utxo.Driver.Read("Bitcoin", part("rpc: http://u:secret@c:8332\n"+rest))
	if err != nil || !reflect.DeepEqual(c.Settings, other.Settings) {
		t.Errorf("%v: another list is another setting", err)
	}
	for text, want := range map[string]string{
		"[]": "a list of 1 to 8", "['http://u:secret@a', 'ws://u:secret@b']": "rpc: node 2: not an http or https URL",
		"['http://u:secret@a', 'http://other:secret@a']": "rpc: node 2: listed before",
	} {
		if _, err := utxo.Driver.Read("Bitcoin", part("rpc: "+text+"\n"+rest)); !says(err, want) || says(err, "secret") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
