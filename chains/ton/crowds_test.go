package ton_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/chaintest"
	"causeway/chains/ton"
	"causeway/internal/dev/tonnode"
)

// bulky stands before a node, and makes each transaction that is told as large as one may be: a megabyte of spaces is in the place of the bodies.
func bulky(t *testing.T, node string) string {
	t.Helper()
	target, err := url.Parse(node)
	check(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) },
		ModifyResponse: func(r *http.Response) error {
			answer, err := io.ReadAll(r.Body)
			large := bytes.Count(answer, []byte("raw.transaction"))
			r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(answer), strings.NewReader(strings.Repeat(" ", large<<20))))
			r.Header.Del("Content-Length")
			r.ContentLength = -1
			return err
		}}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL + target.Path
}

// TestManyAndLargeMessages: more in a block than an answer has, and so large that no answer has them all. None is missed.
func TestManyAndLargeMessages(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *ton.Config) { c.RPC = []string{bulky(t, c.RPC[0])} })
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	for range 70 {
		_, err := l.node.Send(tonnode.Message{To: deposit, Units: 1_000_000_000, Comment: "12345678"})
		check(t, err)
	}
	check(t, l.node.Mine(1))
	pay, _ := l.seen(t, start)
	sum := decimal.Zero
	for _, move := range pay {
		sum = sum.Add(move.Amount)
	}
	if len(pay) != 70 || !sum.Equal(decimal.NewFromInt(70)) {
		t.Errorf("%d payments of %s TON", len(pay), sum)
	}
}

// TestACrowd: where an account has very many transactions, fewer blocks are read at once. Each comes in its turn.
func TestACrowd(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	start := l.height(t)
	const each, blocks = 105, 5
	for range blocks {
		for range each {
			_, err := l.node.Send(tonnode.Message{To: deposit, Units: 1_000_000_000, Comment: "12345678"})
			check(t, err)
		}
		check(t, l.node.Mine(1))
	}
	read := 0
	for next := start + 1; next <= start+blocks; {
		some, err := l.Blocks(t.Context(), next, 100)
		check(t, err)
		if len(some) == 0 || next == start+1 && len(some) == blocks {
			t.Fatalf("%d blocks at once", len(some))
		}
		for _, b := range some {
			if b.Height != next || len(b.Transfers) != each {
				t.Errorf("block %d, want %d, has %d payments", b.Height, next, len(b.Transfers))
			}
			read, next = read+len(b.Transfers), next+1
		}
	}
	if read != each*blocks {
		t.Errorf("%d payments", read)
	}
}

// TestOneThatCannotBeReadKeepsNobodyWaiting: its payout is in a block and does not end. Others do.
func TestOneThatCannotBeReadKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	l := launch(t)
	contract, err := l.Validate(refusing(t, l))
	check(t, err)
	plain, _ := l.sent(t, 0, order("TON", "1", l.stranger(t, "payee"), ""))
	strange, _ := l.sent(t, 1, order("TON", "1", contract, "hello"))
	_, err = l.Blocks(t.Context(), l.height(t), 1)
	check(t, err)
	check(t, l.node.Trouble(tonnode.Trouble{Answer: map[string]json.RawMessage{"getTransactions": json.RawMessage(`[{"data":"AAAA"}]`)}}))
	all, err := l.Status(t.Context(), []string{strange.Txid, plain.Txid})
	check(t, err)
	wantState(t, all[plain.Txid], chains.TxMined, true)
	wantState(t, all[strange.Txid], chains.TxMined, false)
	check(t, l.node.Trouble(tonnode.Trouble{Answer: map[string]json.RawMessage{}}))
	wantState(t, l.status(t, strange.Txid), chains.TxReverted, true)
}

// TestUnitsAreOrderedOnce: an order that our jetton wallet has not received yet has left, so its units are not promised again.
func TestUnitsAreOrderedOnce(t *testing.T) {
	t.Parallel()
	l := launch(t)
	check(t, l.node.Slow(true))
	payee := l.stranger(t, "payee")
	l.sent(t, 0, order("USDT", "60000", payee, ""))
	_, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order("USDT", "60000", payee, "")}})
	var missing *chains.Short
	if !errors.As(err, &missing) || missing.Token != "USDT" || !missing.Missing.Equal(decimal.NewFromInt(20_000)) {
		t.Errorf("%v, want 20000 USDT to be missing", err)
	}
	if _, err := l.sender.Prepare(t.Context(), chains.Spend{Orders: []chains.Order{order("USDT", "40000", payee, "")}}); err != nil {
		t.Error(err)
	}
}

// TestAContractThatIsNoMaster: a token whose address is another contract's is held by nobody, and the others are followed.
func TestAContractThatIsNoMaster(t *testing.T) {
	t.Parallel()
	l := launch(t)
	deposit, err := l.Derive(t.Context(), 0)
	check(t, err)
	l.sent(t, 0, order("TON", "1", l.stranger(t, "payee"), "")) // the hot wallet has code now
	config := l.config
	config.Tokens = map[string]ton.Token{"USDT": config.Tokens["USDT"], "WRONG": {Contract: l.Hot(), Decimals: 9}}
	c, err := ton.Open(t.Context(), config, nil)
	check(t, err)
	t.Cleanup(c.Close)
	start := l.height(t)
	l.pay(t, chaintest.Payment{Token: "USDT", To: deposit, Memo: "12345678", Amount: decimal.NewFromInt(5)})
	check(t, l.node.Mine(1))
	blocks, err := c.Blocks(t.Context(), start+1, 10)
	check(t, err)
	if len(blocks) != 1 || len(blocks[0].Transfers) == 0 || blocks[0].Transfers[0].Token != "USDT" {
		t.Errorf("%+v", blocks)
	}
	if held, err := c.Holdings(t.Context(), "WRONG", []string{deposit}, start); err != nil || !held[0].IsZero() {
		t.Errorf("%v, %v", held, err)
	}
}
