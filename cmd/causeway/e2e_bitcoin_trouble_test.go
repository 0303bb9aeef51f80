package main

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
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/chains/addresses"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
)

// cable is the way to a node. It can be cut.
type cable struct {
	node *bitcoind.Node
	url  string

	mu       sync.Mutex
	cut      bool
	cutsSend bool // it is cut by the next transaction on it
	sent     []string
}

func newCable(t *testing.T, node *bitcoind.Node) *cable {
	c := &cable{node: node}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	c.url = strings.Replace(server.URL, "://", "://test:test@", 1)
	return c
}

func (c *cable) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// transactions are all that were sent, each once.
func (c *cable) transactions() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append(all, c.sent...)
}

// passes notes what is sent, and says whether it comes to the node.
func (c *cable) passes(body []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var q struct {
		Method string
		Params []json.RawMessage
	}
	if json.Unmarshal(body, &q) == nil && q.Method == "sendrawtransaction" {
		c.sent = append(c.sent, string(q.Params[0]))
		c.cut, c.cutsSend = c.cut || c.cutsSend, false
	}
	return !c.cut
}

// ServeHTTP passes a request on.
func (c *cable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !c.passes(body) {
		panic(http.ErrAbortHandler)
	}
	answer, err := http.Post(c.node.URL, "application/json", bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = answer.Body.Close() }()
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// TestTroubleOnBitcoin is what may happen to payouts on a real Bitcoin node, one thing after another: fees rise above what the operator
// allows and fall again, the node is lost between saving and sending, a deep reorganisation takes a final batch along, and a coin that the
// books call free is spent by a copy of the wallet.
func TestTroubleOnBitcoin(t *testing.T) {
	t.Parallel()
	node := bitcoind.Start(t, "Bitcoin")
	line := newCable(t, node)
	e := newRealCoinsAt(t, node, line.url, 10*1e8)
	e.credited("5", 5e8)

	node.Restart(t, "-minrelaytxfee=0.01") // 1,000 for a byte, and max_fee_rate is 300
	waiting := e.asks(10, 3)
	testkit.Eventually(t, 2*time.Minute, func() bool { return e.says("max_fee_rate is 300") }, "payouts wait for lower fees")
	e.wantStatus(waiting, "pending")
	require.Empty(t, line.transactions(), "nothing is sent at such a fee")
	node.Restart(t)
	e.complete(waiting)
	t.Log("fees rose, payouts waited, and went when fees had fallen")

	before := len(line.transactions())
	line.set(func() { line.cutsSend = true })
	batch := e.asks(20, 3)
	testkit.Eventually(t, 2*time.Minute, func() bool { return len(line.transactions()) > before }, "the batch is signed and sent")
	node.Mine(t, 3)
	e.wantStatus(batch, "pending")
	require.Empty(t, node.Mempool(t), "it did not come to the node")
	line.set(func() { line.cut = false })
	txid := e.complete(batch)
	for _, raw := range line.transactions()[before:] {
		require.Equal(t, line.transactions()[before], raw, "the same bytes are sent, however often")
	}
	t.Log("the node was lost before it had the batch, and the same bytes were sent when it was back")

	before = len(line.transactions())
	const deep = 10
	node.Mine(t, deep)
	node.Reorg(t, deep+3, txid)
	e.mineUntil("the batch is sent again, and in a block again", func() bool { return e.confirmations(txid) > 2 })
	for _, raw := range line.transactions()[before:] {
		require.Equal(t, line.transactions()[before], raw, "the same bytes are sent again")
	}
	e.wantStatus(batch, "completed")
	require.NotContains(t, e.command("reconcile"), "networks_not_reached")
	t.Log("a deep reorganisation took the final batch along, and it was sent again")

	foreign := e.spendsElsewhere()
	left := e.asks(30, 1)
	testkit.Eventually(t, 2*time.Minute, func() bool {
		node.Mine(t, 1)
		return e.finds("select exists (select from foreign_spends where txid = ? and resumed_at is null)", foreign)
	}, "the wallet is stopped until a person has resumed it")
	before = len(line.transactions())
	node.Mine(t, 6)
	e.wantStatus(left, "pending")
	require.Len(t, line.transactions(), before, "nothing more is signed with this wallet")
	t.Log("a free coin was spent by somebody with the same seed, and the wallet stopped")
}

// complete mines until payouts are completed by one transaction, and returns its id.
func (e *realCoins) complete(references []string) (txid string) {
	for _, p := range references {
		e.mineUntil("the payout is completed", func() bool { return e.payout(p).Status == "completed" })
		require.True(e.t, txid == "" || txid == *e.payout(p).Txid, "one transaction pays all")
		txid = *e.payout(p).Txid
	}
	return txid
}

func (e *realCoins) wantStatus(references []string, one ...string) {
	e.t.Helper()
	for _, p := range references {
		require.Contains(e.t, one, e.payout(p).Status)
	}
}

// says looks for words in what the last attempts came to.
func (e *realCoins) says(words string) bool {
	return e.finds("select exists (select from jobs where kind = 'payout.broadcast' and position(? in last_error) > 0)", words)
}

// finds asks the database a question.
func (e *realCoins) finds(question, about string) (found bool) {
	db, err := pg.Open(e.file().DatabaseURL, 1)
	require.NoError(e.t, err)
	defer func() { _ = db.Close() }()
	require.NoError(e.t, db.NewRaw(question, about).Scan(e.t.Context(), &found))
	return found
}

func (e *realCoins) confirmations(txid string) int {
	var found struct{ Confirmations int }
	var refusal *bitcoind.Refusal
	if err := e.node.Try(&found, "getrawtransaction", txid, 1); err != nil && !errors.As(err, &refusal) {
		e.t.Fatal(err)
	}
	return found.Confirmations
}

// spendsElsewhere spends a coin of the hot wallet, as an older copy of the books does.
func (e *realCoins) spendsElsewhere() (txid string) {
	t := e.t
	cfg := utxo.Defaults(e.network.Name)
	cfg.RPC, cfg.Chain = nodes.Addresses{e.node.URL}, "regtest"
	var err error
	cfg.XPub, err = utxo.Driver.Public(e.seed, e.network.Family)
	require.NoError(t, err)
	connector, err := utxo.Open(t.Context(), cfg, nil)
	require.NoError(t, err)
	defer connector.Close()
	sender, err := utxo.NewSender(connector, e.seed)
	require.NoError(t, err)
	to := addresses.Encode(e.network.Name, [32]byte{99})
	draft, err := sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{{To: to, Token: e.network.Coin, Amount: decimal.New(1, -1)}}})
	require.NoError(t, err)
	free, err := connector.Unspent(t.Context(), e.node.Height(t))
	require.NoError(t, err)
	chosen, err := draft.(chains.Chooser).Choose(free)
	require.NoError(t, err)
	signed, err := draft.Sign(chains.Slot{Coins: chosen})
	require.NoError(t, err)
	outcome, reason := sender.Broadcast(t.Context(), signed.Raw)
	require.Equal(t, chains.Accepted, outcome, reason)
	return signed.Txid
}
