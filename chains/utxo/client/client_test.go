package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"causeway/chains"
)

// serve returns a client of a node answering with handler.
func serve(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c := New(strings.Replace(server.URL, "://", "://someone:very-secret@", 1), time.Minute)
	t.Cleanup(c.Close)
	return c
}

func saying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// TestSentByRealNodes: what each real node has answered to each kind of transaction has one meaning (docs/networks.md).
func TestSentByRealNodes(t *testing.T) {
	t.Parallel()
	want := map[string]Verdict{
		"signed by another key": Unsure, "of a coinbase that is not mature": Unsure, "no transaction": Unsure, "an output of dust": Unsure,
		"more out than in": Unsure, "good": Taken, "the same again, in the mempool": Taken, "the same again, mined": Taken,
		"the other, whose coin is spent in a block": CoinSpent, "of a coin that is not there": CoinSpent,
	}
	replacing := map[string]Verdict{"dogecoin": Taken, "bitcoincash": Conflicting, "bitcoinsv": Conflicting, "bitcoingold": Taken}
	cheap := map[string]Verdict{"dogecoin": Taken, "bitcoincash": Underpriced, "bitcoinsv": Taken, "bitcoingold": Underpriced}
	for file := range replacing {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "internal", "dev", "coinfake", "testdata", file+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Dialogue []struct {
				Method, Note string
				HTTP         int
				Answer       json.RawMessage
			}
		}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, call := range r.Dialogue {
			if call.Method != "sendrawtransaction" {
				continue
			}
			seen++
			c := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(call.HTTP)
				_, _ = w.Write(call.Answer)
			})
			expected, known := want[call.Note]
			if strings.HasPrefix(call.Note, "other transaction of the same coin") {
				expected, known = replacing[file], true
			}
			if file == "bitcoinsv" && call.Note == "an output of dust" {
				expected = Taken
			}
			if call.Note == "hardly a fee" {
				expected, known = cheap[file], true
			}
			var txid string
			err := c.Call(t.Context(), &txid, "sendrawtransaction", "00")
			if got := Sent(err); !known || got != expected || err != nil && !Answered(err) {
				t.Errorf("%s, %s: verdict %d of %v, want %d", file, call.Note, got, err, expected)
			}
		}
		if seen < 10 {
			t.Errorf("%s: %d transactions", file, seen)
		}
	}
}

// TestWordsOfOtherVersions: the words of nodes that were not recorded.
func TestWordsOfOtherVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code int
		text string
		want Verdict
	}{
		{-27, "Transaction outputs already in utxo set", Taken},
		{-26, "txn-already-in-mempool", Taken},
		{-26, "insufficient fee, rejecting replacement 0a; new feerate 0.00001 BTC/kvB <= old feerate 0.00002 BTC/kvB", Underpriced},
		{-26, "mempool min fee not met, 141 < 153", Underpriced},
		{-25, "bad-txns-inputs-missingorspent", CoinSpent},
		{-26, "bad-txns-inputs-missingorspent", CoinSpent},
		{-26, "bad-txns-spends-conflicting-tx", Unsure},
		{-25, "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)", Unsure},
		{-26, "too-long-mempool-chain", Unsure},
		{-1, "missing inputs", Unsure},
	} {
		if got := Sent(&Error{Code: c.code, Text: c.text, Answer: true}); got != c.want {
			t.Errorf("%d %s: %d, want %d", c.code, c.text, got, c.want)
		}
	}
	if Sent(&Error{Text: "txn-already-known"}) != Unsure || Sent(errors.New("missing inputs")) != Unsure {
		t.Error("words of nobody count")
	}
}

func TestClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method string
		code   int
		text   string
		want   Class
	}{
		{"getblockhash", -8, "Block height out of range", Missing},
		{"getblock", -5, "Block not found", Missing},
		{"getblock", -1, "Block not available (pruned data)", Pruned},
		{"getrawtransaction", -5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.", Missing},
		{"getrawtransaction", -5, "No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries. Use gettransaction for wallet transactions.", NoIndex},
		{"getrawtransaction", -5, "No such mempool transaction. Blockchain transactions are still in the process of being indexed.", NoIndex},
		{"estimatesmartfee", -32601, "Method not found", Unsupported},
		{"getblockcount", -28, "Loading block index...", Starting},
		{"scantxoutset", -8, `Scan already in progress, use action "abort" or "status"`, Scanning},
		{"getblock", -8, "Verbosity was out of range", Down},
		{"getmempoolentry", -5, "Transaction not in mempool", Missing},
	} {
		answer, _ := json.Marshal(map[string]any{"result": nil, "id": 1, "error": map[string]any{"code": c.code, "message": c.text}})
		client := serve(t, saying(string(answer)))
		var result any
		err := client.Call(t.Context(), &result, c.method)
		if !IsClass(err, c.want) || !Answered(err) || !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s %d %s: %v, want class %d", c.method, c.code, c.text, err, c.want)
		}
	}
}

// TestMismatches: answers not fitting the questions are no answers.
func TestMismatches(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"", "null", "[]", "{}", "7", `"x"`, `{"id":1}`, `{"id":2,"result":1}`, `{"id":"1","result":1}`, `[{"id":1,"result":1}]`,
		`[{"id":1,"result":1},{"id":1,"result":2}]`, `[{"id":1,"result":1},{"id":3,"result":2}]`, `[{"id":1,"result":1},{"id":null,"result":2}]`,
		`[{"id":1,"result":1},{"id":2}]`, `[{"id":1,"result":1},{"id":2,"result":"two"}]`, `[{"id":1,"result":1},{"id":2,"result":2},{"id":2,"result":2}]`,
		`[{"id":1,"result":1},{"id":2,"result":1e99}]`, `[{"id":1,"result":1},{"id":2,"error":{"code":-1,"message":"no"}}]`,
		`{"id":null,"result":null,"error":{"code":-32700,"message":"Parse error"}}`,
	} {
		c := serve(t, saying(answer))
		var one, two int
		if err := c.Batch(t.Context(), Ask(&one, "a"), Ask(&two, "b")); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %v, want ErrDown", answer, err)
		}
	}
}

// TestManyQuestions: more than fit into one request are asked in several, each answered by its own.
func TestManyQuestions(t *testing.T) {
	t.Parallel()
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var many []request
		_ = json.NewDecoder(r.Body).Decode(&many)
		answers := make([]string, len(many))
		for i, q := range many { // the last first
			answers[len(many)-1-i] = fmt.Sprintf(`{"id":%d,"result":%v}`, q.ID, q.Params[0])
		}
		_, _ = io.WriteString(w, "["+strings.Join(answers, ",")+"]")
	})
	results := make([]int, 2*batch+2)
	questions := make([]*Question, len(results))
	for i := range results {
		questions[i] = Ask(&results[i], "echo", i)
	}
	if err := c.Batch(t.Context(), questions...); err != nil {
		t.Fatal(err)
	}
	for i, got := range results {
		if got != i {
			t.Errorf("question %d was answered with %d", i, got)
		}
	}
	if c.Requests() != 3 {
		t.Errorf("%d requests", c.Requests())
	}
}

// TestSecretsStayInside: neither the password nor a forged line comes out of an error, and a refused password is named as such.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	refusing := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "someone" || password != "very-secret" {
			t.Errorf("user %q", user)
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	forging := serve(t, saying(`{"id":1,"error":{"code":-1,"message":"bad\nlevel=info\u0007`+strings.Repeat("x", 10_000)+`"}}`))
	gone := New("http://someone:very-secret@127.0.0.1:1/", time.Second)
	moved := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
	})
	for _, c := range []*Client{refusing, forging, gone, moved} {
		var result any
		err := c.Call(t.Context(), &result, "getblockcount")
		if err == nil || len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\a") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q", err)
		}
		if c == refusing && !strings.Contains(err.Error(), "refuses the user") {
			t.Errorf("%q", err)
		}
	}
}

// TestALateAnswer: a request ends in time.
func TestALateAnswer(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	defer close(release)
	c := serve(t, func(http.ResponseWriter, *http.Request) { <-release }).Within(20 * time.Millisecond)
	var result any
	if err := c.Call(t.Context(), &result, "getblockcount"); !IsClass(err, Late) || Answered(err) || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("%v", err)
	}
}

// TestAConnectionThatTheNodeHasClosed: a question on a connection that the node closes without an answer is asked again on a new one, and
// the node is told nothing of it.
func TestAConnectionThatTheNodeHasClosed(t *testing.T) {
	t.Parallel()
	served := map[string]int{}
	closed := 0
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if served[r.RemoteAddr]++; served[r.RemoteAddr] == 2 {
			closed++
			panic(http.ErrAbortHandler)
		}
		if _, told := r.Header["Idempotency-Key"]; told {
			t.Error("the node is told of an Idempotency-Key")
		}
		_, _ = io.WriteString(w, `{"result":7,"error":null,"id":1}`)
	})
	for range 5 {
		var got int
		if err := c.Call(t.Context(), &got, "getblockcount"); err != nil || got != 7 {
			t.Errorf("%d, %v", got, err)
		}
	}
	if closed < 2 {
		t.Errorf("%d connections were closed without an answer", closed)
	}
}
