package utxo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// liar is a node between the connector and another node. It changes the answers to one method.
type liar struct {
	sync.Mutex
	to     string
	method string
	lie    func(result json.RawMessage) string // the whole answer without its id, or "" for the true one
}

func (p *liar) tell(method string, lie func(json.RawMessage) string) {
	p.Lock()
	defer p.Unlock()
	p.method, p.lie = method, lie
}

// ServeHTTP asks the other node question by question.
func (p *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var many []json.RawMessage
	if json.Unmarshal(body, &many) != nil {
		_, _ = w.Write(p.ask(body))
		return
	}
	answers := make([]json.RawMessage, len(many))
	for i, q := range many {
		answers[i] = p.ask(q)
	}
	_ = json.NewEncoder(w).Encode(answers)
}

func (p *liar) ask(question []byte) []byte {
	var q struct {
		ID     int
		Method string
	}
	_ = json.Unmarshal(question, &q)
	if lie := p.instead(q.Method); lie != "" {
		return withID(lie, q.ID)
	}
	resp, err := http.Post(p.to, "application/json", bytes.NewReader(question))
	if err != nil {
		return []byte("null")
	}
	defer func() { _ = resp.Body.Close() }()
	answer, _ := io.ReadAll(resp.Body)
	var told struct{ Result json.RawMessage }
	_ = json.Unmarshal(answer, &told)
	p.Lock()
	defer p.Unlock()
	if q.Method != p.method {
		return answer
	}
	if lie := p.lie(told.Result); lie != "" {
		return withID(lie, q.ID)
	}
	return answer
}

// instead is the answer to sent bytes, which the other node never sees then.
func (p *liar) instead(method string) string {
	p.Lock()
	defer p.Unlock()
	if method != "sendrawtransaction" || p.method != method {
		return ""
	}
	return p.lie(nil)
}

func withID(answer string, id int) []byte {
	return []byte(strings.Replace(answer, "{", fmt.Sprintf(`{"id":%d,`, id), 1))
}

// between puts a liar before a node, and opens the connector on it.
func between(t *testing.T, network string) (*launched, *liar) {
	t.Helper()
	node := bitcoind.At(t, network, coinfake.Start(t, network).URL)
	p := &liar{to: node.URL}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return on(t, node, func(c *utxo.Config) { c.RPC = nodes.Addresses{server.URL} }), p
}

// members changes members of an object.
func members(change map[string]any) func(json.RawMessage) string {
	return func(result json.RawMessage) string {
		var all map[string]any
		if json.Unmarshal(result, &all) != nil {
			return ""
		}
		for name, value := range change {
			if all[name] = value; value == nil {
				delete(all, name)
			}
		}
		text, _ := json.Marshal(map[string]any{"result": all})
		return string(text)
	}
}

func always(text string) func(json.RawMessage) string {
	return func(json.RawMessage) string { return text }
}

const noHash = `{"result":"0000000000000000000000000000000000000000000000000000000000000000"}`

// TestHostileSearches: the same of a search through all coins.
func TestHostileSearches(t *testing.T) {
	t.Parallel()
	l, p := between(t, "BitcoinGold")
	ctx, height := t.Context(), l.node.Height(t)
	txid := l.pay(t, l.Hot(), amount("1"))
	l.node.Mine(t, 1)
	search := func() error { // a connector searches once
		c, err := utxo.Open(ctx, l.config, nil)
		check(t, err)
		defer c.Close()
		_, err = c.Unspent(ctx, height)
		return err
	}
	for name, c := range map[string]struct {
		lie  func(json.RawMessage) string
		says string
	}{
		"coins of others":           {members(map[string]any{"unspents": []any{map[string]any{"txid": txid, "vout": 0, "scriptPubKey": "51", "amount": 5, "height": 1}}}), "not asked for"},
		"more coins than there are": {members(map[string]any{"unspents": []any{map[string]any{"txid": txid, "amount": 1e30}}}), "not asked for"},
		"a scan that failed":        {members(map[string]any{"success": false}), "without its end"},
		"a scan of a low block":     {members(map[string]any{"height": 3}), "not asked for"},
	} {
		p.tell("scantxoutset", c.lie)
		if err := search(); !errors.Is(err, chains.ErrDown) || !says(err, c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		p.tell("", nil)
		if err := search(); err != nil {
			t.Errorf("after %q: %v", name, err)
		}
	}
}

// TestHostileAnswers: whatever a node answers, nothing comes of it but an error that says so, and with true answers all goes on.
func TestHostileAnswers(t *testing.T) {
	t.Parallel()
	l, p := between(t, "BitcoinCash")
	ctx, height := t.Context(), l.node.Height(t)
	head := func() error { _, err := l.Head(ctx, height-1); return err }
	blocks := func() error { _, err := l.Blocks(ctx, height-3, 4); return err }
	pending := func() error { _, err := l.Pending(ctx); return err }
	hash := func() error { _, err := l.Hash(ctx, 5); return err }
	prepare := func() error {
		_, err := l.sender.Prepare(ctx, chains.Spend{Orders: []chains.Order{l.order(t, "1")}})
		return err
	}
	txid := l.pay(t, l.Hot(), amount("1"))
	l.node.Mine(t, 1)
	status := func() error { _, err := l.Status(ctx, []string{txid}); return err }
	onNew := func(ask func() error) func() error { // the best block's header is asked for once
		return func() error { l.node.Mine(t, 1); return ask() }
	}
	for name, c := range map[string]struct {
		ask    func() error
		method string
		lie    func(json.RawMessage) string
		says   string
	}{
		"syncing":                    {head, "getblockchaininfo", members(map[string]any{"initialblockdownload": true}), "still syncing"},
		"many headers more":          {head, "getblockchaininfo", members(map[string]any{"headers": height + 50}), "still syncing"},
		"no best block":              {head, "getblockchaininfo", members(map[string]any{"bestblockhash": nil}), "without its fields"},
		"blocks below zero":          {head, "getblockchaininfo", members(map[string]any{"blocks": -1}), "without its fields"},
		"heights as text":            {head, "getblockchaininfo", members(map[string]any{"blocks": "7"}), "another shape"},
		"another best block":         {head, "getbestblockhash", always(noHash), "changes faster"},
		"a header of another height": {onNew(head), "getblockheader", members(map[string]any{"height": 7}), "not the best one"},
		"a header without time":      {onNew(head), "getblockheader", members(map[string]any{"time": nil}), "not the best one"},
		"no hash":                    {hash, "getblockhash", always(`{"result":"abc"}`), "without its hash"},
		"a hash that is a number":    {hash, "getblockhash", always(`{"result":7}`), "another shape"},
		"no such method":             {hash, "getblockhash", always(`{"error":{"code":-32601,"message":"Method not found"}}`), "Method not found"},
		"pruned":                     {blocks, "getblock", always(`{"error":{"code":-1,"message":"Block not available (pruned data)"}}`), "the node is pruned"},
		"starting":                   {blocks, "getblockhash", always(`{"error":{"code":-28,"message":"Verifying blocks..."}}`), "the node is starting"},
		"another block":              {blocks, "getblockhash", always(noHash), "changes faster"},
		"no hex":                     {blocks, "getblock", always(`{"result":"xyz"}`), "not in hex"},
		"an empty block":             {blocks, "getblock", always(`{"result":""}`), "is not "},
		"a block in words":           {blocks, "getblock", always(`{"result":{}}`), "another shape"},
		"a mempool of nothing":       {pending, "getrawmempool", always(`{"result":["abc"]}`), "without its id"},
		"a dear network":             {prepare, "estimatefee", always(`{"result":0.5}`), "max_fee_rate"},
		"a dear mempool":             {prepare, "getmempoolinfo", members(map[string]any{"mempoolminfee": 0.5}), "max_fee_rate"},
		"another transaction":        {status, "getrawtransaction", members(map[string]any{"txid": strings.Repeat("ab", 32)}), "another one"},
		"no index":                   {status, "getrawtransaction", always(`{"error":{"code":-5,"message":"No such mempool transaction. Use -txindex or provide a block hash"}}`), "txindex=1"},
		"a block of another kind":    {onNew(status), "getblockheader", members(map[string]any{"hash": strings.Repeat("ab", 32)}), "not the best one"},
	} {
		p.tell(c.method, c.lie)
		if err := c.ask(); !errors.Is(err, chains.ErrDown) || !says(err, c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
		p.tell("", nil)
		if err := c.ask(); err != nil {
			t.Errorf("after %q: %v", name, err)
		}
	}
}

// TestALostAnswerKeepsTheBlocksBefore: blocks that were read before an answer was lost count, so a follower far behind comes nearer.
func TestALostAnswerKeepsTheBlocksBefore(t *testing.T) {
	t.Parallel()
	l, p := between(t, "BitcoinCash")
	height, asked := l.node.Height(t), 0
	p.tell("getblock", func(json.RawMessage) string {
		if asked++; asked%5 >= 3 { // twice, since what is lost once is asked again
			panic(http.ErrAbortHandler)
		}
		return ""
	})
	from := height - 9
	for steps := 0; from <= height; steps++ {
		blocks, err := l.Blocks(t.Context(), from, 10)
		switch {
		case err == nil && (len(blocks) == 0 || blocks[0].Height != from || blocks[0].Hash != l.node.Hash(t, from)) || steps > 10:
			t.Fatalf("%d blocks from %d, after %d steps", len(blocks), from, steps)
		case err != nil && !errors.Is(err, chains.ErrDown):
			t.Fatal(err)
		}
		from += int64(len(blocks))
	}
	if asked < 15 {
		t.Errorf("%d blocks were asked for, and two answers of five were lost", asked)
	}
}

// TestANodeThatGoesBack: behind a block that was followed and final, nothing is believed.
func TestANodeThatGoesBack(t *testing.T) {
	t.Parallel()
	l, p := between(t, "BitcoinCash")
	height := l.node.Height(t)
	_, err := l.Head(t.Context(), height)
	check(t, err)
	low := height - 5
	l.node.Call(t, nil, "invalidateblock", l.node.Hash(t, low+1))
	p.tell("getblockchaininfo", members(map[string]any{"headers": low}))
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || !says(err, "went back") {
		t.Errorf("%v", err)
	}
}

// TestAnswersToSentBytes: nothing that a node says rejects our bytes for good, and an id that is not theirs proves nothing.
func TestAnswersToSentBytes(t *testing.T) {
	t.Parallel()
	l, p := between(t, "BitcoinCash")
	signed, _ := l.spend(t, chains.Spend{Orders: []chains.Order{l.order(t, "1")}}, chains.Slot{})
	for answer, want := range map[string]chains.Outcome{
		`{"result":"` + strings.Repeat("ab", 32) + `"}`: chains.Unknown,
		`{"result":7}`: chains.Unknown,
		`null`:         chains.Unknown,
		`{"error":{"code":-26,"message":"tx-size"}}`:                             chains.NotTaken,
		`{"error":{"code":-26,"message":"mandatory-script-verify-flag-failed"}}`: chains.NotTaken,
		`{"error":{"code":-22,"message":"TX decode failed"}}`:                    chains.NotTaken,
		`{"error":{"code":-28,"message":"Loading block index"}}`:                 chains.NotTaken,
		`{"error":{"code":-25,"message":"Missing inputs"}}`:                      chains.SlotTaken,
		`{"error":{"code":-26,"message":"18: bad-txns-inputs-spent"}}`:           chains.SlotTaken,
		`{"error":{"code":-26,"message":"txn-mempool-conflict (code 18)"}}`:      chains.SlotTaken,
		`{"error":{"code":-26,"message":"min relay fee not met (code 66)"}}`:     chains.Underpriced,
		`{"error":{"code":-27,"message":"transaction already in block chain"}}`:  chains.Accepted,
		`{"error":{"code":-26,"message":"txn-already-known"}}`:                   chains.Accepted,
		`{"result":"` + signed.Txid + `"}`:                                       chains.Accepted,
	} {
		p.tell("sendrawtransaction", always(answer))
		if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != want || (reason == "") != (want == chains.Accepted) {
			t.Errorf("%s: outcome %d (%s), want %d", answer, outcome, reason, want)
		}
	}
	p.tell("", nil)
	if outcome, reason := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Errorf("outcome %d: %s", outcome, reason)
	}
	p.tell("sendrawtransaction", always(`{"error":{"code":-25,"message":"Missing inputs"}}`))
	if outcome, _ := l.sender.Broadcast(t.Context(), signed.Raw); outcome != chains.Accepted {
		t.Errorf("the node has it, and the outcome is %d", outcome)
	}
	for _, raw := range [][]byte{nil, {}, signed.Raw[:len(signed.Raw)-1], append(bytes.Clone(signed.Raw), 0)} {
		if outcome, reason := l.sender.Broadcast(t.Context(), raw); outcome != chains.Rejected || reason == "" {
			t.Errorf("%d bytes: outcome %d", len(raw), outcome)
		}
	}
}
