package cardano_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/cardano"
	"causeway/internal/dev/ogmios"
)

// gate is a proxy in front of a node. It is no node: it cuts connections, answers in place of the node, and lies about blocks.
type gate struct {
	at     atomic.Pointer[string] // it closes for good at the first question with this text
	passes atomic.Bool            // the node gets this question all the same
	closed atomic.Bool
	answer atomic.Pointer[map[string]string] // a result or an error by method
	names  atomic.Pointer[strings.Replacer]  // other names of blocks, for both ways
}

func (g *gate) closes(at string) { g.at.Store(&at) }

func (g *gate) opens() {
	g.at.Store(nil)
	g.closed.Store(false)
}

func (g *gate) answers(by map[string]string) { g.answer.Store(&by) }

// renames has the gate call blocks by other names.
func (g *gate) renames(ids ...string) {
	var pairs []string
	for _, id := range ids {
		other := "0f0f0f0f" + id[8:]
		pairs = append(pairs, id, other, other, id)
	}
	g.names.Store(strings.NewReplacer(pairs...))
}

func (g *gate) renamed(text []byte) []byte {
	if r := g.names.Load(); r != nil {
		return []byte(r.Replace(string(text)))
	}
	return text
}

func (g *gate) proxy(t *testing.T, node string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.closed.Load() {
			panic(http.ErrAbortHandler)
		}
		here, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		there, _, err := websocket.Dial(r.Context(), node, nil)
		if err != nil {
			_ = here.CloseNow()
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		for _, conn := range []*websocket.Conn{here, there} {
			conn.SetReadLimit(64 << 20)
			defer func() { _ = conn.CloseNow() }()
		}
		go func() {
			defer cancel()
			g.tell(ctx, here, there)
		}()
		g.ask(ctx, here, there)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// tell passes answers on.
func (g *gate) tell(ctx context.Context, here, there *websocket.Conn) {
	for {
		_, text, err := there.Read(ctx)
		if err != nil || g.closed.Load() || here.Write(ctx, websocket.MessageText, g.renamed(text)) != nil {
			return
		}
	}
}

// ask passes questions on.
func (g *gate) ask(ctx context.Context, here, there *websocket.Conn) {
	for {
		_, text, err := here.Read(ctx)
		if err != nil {
			return
		}
		if at := g.at.Load(); at != nil && strings.Contains(string(text), *at) {
			g.closed.Store(true)
			if g.passes.Load() {
				_ = there.Write(ctx, websocket.MessageText, g.renamed(text))
				_, _, _ = there.Read(ctx)
			}
		}
		if g.closed.Load() {
			return
		}
		var call struct {
			Method string
			ID     json.RawMessage
		}
		_ = json.Unmarshal(text, &call)
		if by := g.answer.Load(); by != nil && (*by)[call.Method] != "" {
			err = here.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc": "2.0", `+(*by)[call.Method]+`, "id": `+string(call.ID)+`}`))
		} else {
			err = there.Write(ctx, websocket.MessageText, g.renamed(text))
		}
		if err != nil {
			return
		}
	}
}

// twin is a launched chain with its node behind two gates, as two nodes.
func twin(t *testing.T) (l *launched, gates [2]*gate) {
	t.Helper()
	node := ogmios.Start(t, ogmios.Options{})
	gates = [2]*gate{{}, {}}
	l = on(t, node, func(c *cardano.Config) { c.RPC = []string{gates[0].proxy(t, node.URL), gates[1].proxy(t, node.URL)} })
	return l, gates
}

// again has the first node asked again at once.
func (l *launched) again() {
	l.Network().Replace(nil)
	l.Network().Replace(l.config.RPC)
}

// TestTheNextNodeAnswers has the first node go away at each question: the next one answers, and nothing is missed.
//
// Covers operator §Settings: Of several nodes the first one in order is asked
func TestTheNextNodeAnswers(t *testing.T) {
	t.Parallel()
	l, gates := twin(t)
	pay := chains.Spend{Orders: []chains.Order{l.order(t, "5")}}
	signed, _ := l.signed(t, pay)
	for at, ask := range map[string]func() error{
		"findIntersection":                    func() error { _, err := l.Head(t.Context(), 3); return err },
		"nextBlock":                           func() error { blocks, err := l.Blocks(t.Context(), 4, 1); require.Len(t, blocks, 1); return err },
		"acquireLedgerState":                  func() error { _, err := l.Holdings(t.Context(), "ADA", []string{l.Hot()}, 4); return err },
		"queryLedgerState/utxo":               func() error { _, err := l.Unspent(t.Context(), 4); return err },
		"queryLedgerState/protocolParameters": func() error { _, err := l.sender.Prepare(t.Context(), pay); return err },
		"hasTransaction":                      func() error { _, err := l.Status(t.Context(), []string{signed.Txid}); return err },
	} {
		l.again()
		gates[0].closes(at)
		require.NoError(t, ask(), at)
		require.True(t, gates[0].closed.Load(), at)
		now := l.Network().Nodes()
		require.False(t, now[0].Used, at)
		require.True(t, now[1].Used, at)
		gates[0].opens()
	}
	for _, passes := range []bool{true, false} {
		l.again()
		gates[0].passes.Store(passes)
		gates[0].closes("submitTransaction")
		outcome, why := l.sender.Broadcast(t.Context(), signed.Raw)
		require.Equal(t, chains.Accepted, outcome, why)
		require.True(t, gates[0].closed.Load())
		gates[0].opens()
		require.NoError(t, l.node.Forget())
	}
}

// TestATransactionThatOneNodeRefuses is offered to the next one. If a node has given no answer, the outcome is unknown whatever another says.
//
// Covers operator §Settings: A transaction not taken by one node of Cardano is offered to the next
func TestATransactionThatOneNodeRefuses(t *testing.T) {
	t.Parallel()
	l, gates := twin(t)
	signed, _ := l.signed(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	spent := map[string]string{"submitTransaction": `"error": {"code": 3117, "message": "unknown"}`}
	gates[0].answers(spent)
	outcome, why := l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Forget())
	gates[1].answers(map[string]string{"submitTransaction": `"error": {"code": 3118, "message": "too late"}`})
	outcome, why = l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.SlotTaken, outcome, why)
	gates[1].closes("submitTransaction")
	outcome, why = l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Unknown, outcome, why)
	gates[1].opens()
	l.again()
	gates[0].answers(nil)
	gates[1].answers(spent)
	outcome, why = l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
}

// TestNodesThatDisagree has one of two nodes tell other blocks: nothing above the last common one is credited, and no payout is final there.
//
// Covers operator §Settings: Before anything is credited or final
// Covers operator §Settings: If two nodes contradict each other, nothing above
func TestNodesThatDisagree(t *testing.T) {
	t.Parallel()
	l, gates := twin(t)
	signed, _ := l.signed(t, chains.Spend{Orders: []chains.Order{l.order(t, "5")}})
	outcome, why := l.sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Accepted, outcome, why)
	require.NoError(t, l.node.Mine(6)) // up to block 10
	final := func() bool {
		all, err := l.Status(t.Context(), []string{signed.Txid})
		require.NoError(t, err)
		require.Equal(t, chains.TxMined, all[signed.Txid].State)
		return all[signed.Txid].Final
	}
	head, err := l.Head(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, int64(9), head.Credit)
	require.NotNil(t, head.Agreed)
	require.Equal(t, int64(9), *head.Agreed)
	require.Empty(t, head.Dispute)
	require.True(t, final())
	blocks, err := l.Blocks(t.Context(), 4, 50)
	require.NoError(t, err)
	require.Len(t, blocks, 7)
	var ids []string
	for _, b := range blocks[1:] {
		id, _, _ := strings.Cut(b.Hash, ".")
		ids = append(ids, id)
	}
	gates[1].renames(ids...)
	l.again()
	require.NoError(t, l.node.Mine(1))
	head, err = l.Head(t.Context(), 3)
	require.NoError(t, err)
	require.Equal(t, int64(11), head.Height)
	require.Contains(t, head.Dispute, "nodes disagree")
	require.LessOrEqual(t, head.Credit, int64(4))
	require.LessOrEqual(t, head.Final, int64(4))
	require.False(t, final(), "its block is one node's alone")
	gates[1].names.Store(nil)
	require.NoError(t, l.node.Mine(1))
	l.again()
	head, err = l.Head(t.Context(), 3)
	require.NoError(t, err)
	require.Empty(t, head.Dispute)
	require.Equal(t, int64(11), head.Credit)
	require.True(t, final())
}

// TestANodeThatWasFinalAndIsBehind is one that goes back behind a block both followed and final: the next node is asked.
func TestANodeThatWasFinalAndIsBehind(t *testing.T) {
	t.Parallel()
	l, gates := twin(t)
	require.NoError(t, l.node.Mine(6))
	head, err := l.Head(t.Context(), 8)
	require.NoError(t, err)
	require.Equal(t, int64(8), head.Final)
	blocks, err := l.Blocks(t.Context(), 2, 1)
	require.NoError(t, err)
	id, slot, _ := strings.Cut(blocks[0].Hash, ".")
	point := `{"slot": ` + slot + `, "id": "` + id + `"`
	gates[0].answers(map[string]string{"findIntersection": `"result": {"intersection": ` + point + `}, "tip": ` + point + `, "height": 2}}`})
	head, err = l.Head(t.Context(), 8)
	require.NoError(t, err)
	require.Equal(t, int64(10), head.Height)
	require.True(t, l.Network().Nodes()[1].Used)
	gates[1].closes("findIntersection")
	_, err = l.Head(t.Context(), 8)
	require.True(t, errors.Is(err, chains.ErrDown), err)
	gates[1].opens()
	l.again()
	held, err := l.Holdings(t.Context(), "ADA", []string{l.Hot()}, 10)
	require.NoError(t, err)
	require.True(t, held[0].Equal(decimal.NewFromInt(1000)))
}
