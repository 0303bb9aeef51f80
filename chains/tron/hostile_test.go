package tron_test

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
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/tron"
	"causeway/internal/dev/tronnode"
)

// liar is a node between the connector and another node. It changes the answers to one question.
type liar struct {
	sync.Mutex
	to   string
	path string
	lie  func(answer any) any
	keys []string // of the users that have asked
}

// tell has the answers to a question changed from now on.
func (p *liar) tell(path string, lie func(answer any) any) {
	p.Lock()
	defer p.Unlock()
	p.path, p.lie = path, lie
}

func (p *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	resp, err := http.Post(p.to+r.URL.Path, "application/json", bytes.NewReader(body))
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	answer, _ := io.ReadAll(resp.Body)
	p.Lock()
	defer p.Unlock()
	p.keys = append(p.keys, r.Header.Get("TRON-PRO-API-KEY"))
	if strings.TrimPrefix(r.URL.Path, "/") == p.path {
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
	node := tronnode.Start(t, tronnode.Options{})
	p := &liar{to: node.URL}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return on(t, node, func(c *tron.Config) { c.RPC, c.APIKey = tron.At(server.URL), "the-key" }), p
}

// members changes members of an object, by a path of names and places.
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
	return func(answer any) any { return change(answer, path) }
}

func always(value any) func(any) any { return func(any) any { return value } }

// TestAnotherChainIsRefused: a node of Nile behind Tron is never used, at start or later. Each question has the key of the provider's user.
//
// Covers operator §Settings: A node of Nile
// Covers operator §Settings: api_key · the key of a provider's user, sent as TRON
func TestAnotherChainIsRefused(t *testing.T) {
	t.Parallel()
	node := tronnode.Start(t, tronnode.Options{})
	other := settings(t, tronnode.Start(t, tronnode.Options{Name: "Nile"}).URL, node.GenesisID())
	if _, err := tron.Open(t.Context(), other, nil); !errors.Is(err, tron.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
	mainnet := settings(t, node.URL, tron.Mainnet)
	if _, err := tron.Open(t.Context(), mainnet, nil); !errors.Is(err, tron.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
	l, p := between(t)
	p.tell("wallet/getblock", always("not even an object"))
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want ErrDown", err)
	}
	p.tell("wallet/getblock", members(tron.Mainnet, "blockID")) // another node is there when it answers again
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, tron.ErrChain) {
		t.Errorf("%v, want ErrChain", err)
	}
	for _, key := range p.keys {
		if key != "the-key" {
			t.Errorf("asked with key %q", key)
		}
	}
}

// TestBlocksThatCannotBe: answers that contradict themselves or each other are no blocks.
func TestBlocksThatCannotBe(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	txid := l.pay(t, "USDT", stranger("new"), decimal.NewFromInt(5))
	height := l.node.Mine(1)
	const block, infos = "wallet/getblockbynum", "wallet/gettransactioninfobyblocknum"
	for name, lie := range map[string]struct {
		path string
		lie  func(any) any
	}{
		"a transaction is missing":            {block, members([]any{}, "transactions")},
		"all are missing":                     {block, members(nil, "transactions")},
		"a transaction fails":                 {block, members("REVERT", "transactions", 0, "ret", 0, "contractRet")},
		"the time is another":                 {block, members(1, "block_header", "raw_data", "timestamp")},
		"no block":                            {block, always(map[string]any{})},
		"a block of another shape":            {block, always([]any{})},
		"an error":                            {block, always(map[string]any{"Error": "class java.lang.NullPointerException : null"})},
		"what it did is missing":              {infos, always([]any{})},
		"what it did is an empty object":      {infos, always(map[string]any{})},
		"what another did":                    {infos, members(strings.Repeat("ab", 32), 0, "id")},
		"what it did in another block":        {infos, members(json.Number("1"), 0, "blockNumber")},
		"what it did in a block of that time": {infos, members(json.Number("1"), 0, "blockTimeStamp")},
		"it has failed and not":               {infos, members("OUT_OF_ENERGY", 0, "receipt", "result")},
	} {
		p.tell(lie.path, lie.lie)
		l.Forget()
		if blocks, err := l.Blocks(t.Context(), height, 1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %+v, %v, want ErrDown", name, blocks, err)
		}
	}
	p.tell("", nil)
	l.Forget()
	blocks, err := l.Blocks(t.Context(), height, 1)
	if err != nil || len(blocks[0].Transfers) != 1 || blocks[0].Transfers[0].Txid != txid {
		t.Errorf("the truth: %+v, %v", blocks, err)
	}
}

// TestLogsThatAreNoTransfers: another contract's log, one of nothing, to oneself, or of another shape credits nobody.
//
// Covers operator §Settings: TRX is credited by a transfer
func TestLogsThatAreNoTransfers(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	l.pay(t, "USDT", stranger("new"), decimal.NewFromInt(5))
	height := l.node.Mine(1)
	log := func(path ...any) []any { return append([]any{0, "log", 0}, path...) }
	for name, lie := range map[string]func(any) any{
		"another contract":      members(strings.Repeat("ab", 20), log("address")...),
		"nothing (poisoning)":   members(strings.Repeat("0", 64), log("data")...),
		"another event":         members(strings.Repeat("ab", 32), log("topics", 0)...),
		"a number too short":    members("05", log("data")...),
		"no number":             members("", log("data")...),
		"no hex":                members("zz", log("topics", 2)...),
		"an NFT":                func(a any) any { return members([]any{"a", "b", "c", "d"}, log("topics")...)(a) },
		"nobody":                members(nil, log("topics")...),
		"no log":                members(nil, 0, "log"),
		"a log without address": members(nil, log("address")...),
	} {
		p.tell("wallet/gettransactioninfobyblocknum", lie)
		l.Forget()
		blocks, err := l.Blocks(t.Context(), height, 1)
		if err != nil || len(blocks[0].Transfers) != 0 {
			t.Errorf("%s: %+v, %v", name, blocks, err)
		}
	}
}

// TestHeadsThatCannotBe: a node that contradicts itself, or goes back behind what was final, is down.
func TestHeadsThatCannotBe(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	top := l.head(t).Height
	for name, lie := range map[string]struct {
		path string
		lie  func(any) any
	}{
		"solid above the best":    {"walletsolidity/getblock", members(json.Number("99999"), "block_header", "raw_data", "number")},
		"no solid block":          {"walletsolidity/getblock", always(map[string]any{})},
		"solid without its time":  {"walletsolidity/getblock", members(nil, "block_header", "raw_data", "timestamp")},
		"a solid one of tomorrow": {"walletsolidity/getblock", members(json.Number("4102444800000"), "block_header", "raw_data", "timestamp")},
		"a best one without name": {"wallet/getblock", members("short", "blockID")},
		"no blocks at all":        {"wallet/getblock", always(map[string]any{})},
	} {
		p.tell(lie.path, lie.lie)
		if h, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
			t.Errorf("%s: %+v, %v, want ErrDown", name, h, err)
		}
	}
	p.tell("", nil)
	h, err := l.Head(t.Context(), top)
	check(t, err)
	_, err = l.Head(t.Context(), h.Final)
	check(t, err)
	p.tell("wallet/getblock", members(json.Number("3"), "block_header", "raw_data", "number"))
	if _, err := l.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) {
		t.Errorf("%v, want ErrDown", err)
	}
}

// TestSecretsStayInside: neither the address of the node nor the key comes out of an error.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	cfg := settings(t, "http://127.0.0.1:1/very-secret", tron.Mainnet)
	cfg.APIKey = "very-secret-too"
	c, err := tron.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(c.Close)
	if _, err := c.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || says(err, "secret") {
		t.Errorf("%v", err)
	}
	node := tronnode.Start(t, tronnode.Options{Key: "another"})
	cfg.RPC = tron.At(node.URL)
	refused, err := tron.Open(t.Context(), cfg, nil)
	check(t, err)
	t.Cleanup(refused.Close)
	if _, err := refused.Head(t.Context(), -1); !says(err, "api_key") || says(err, "secret") {
		t.Errorf("%v", err)
	}
}

// TestTheClockIsOfTheChain: a solid header of tomorrow with an id of its own would have every transaction dead. Its block is a mark, which
// the follower holds against its own chain.
func TestTheClockIsOfTheChain(t *testing.T) {
	t.Parallel()
	l, p := between(t)
	honest := l.head(t)
	of := func(h chains.Head, height int64) (hash string) {
		for _, m := range h.Marks {
			if m.Height == height {
				hash = m.Hash
			}
		}
		return hash
	}
	hash, err := l.Hash(t.Context(), honest.Final)
	check(t, err)
	if got := of(honest, honest.Final); got != hash {
		t.Errorf("the solid block is marked as %q, want %s", got, hash)
	}
	other := tronnode.Start(t, tronnode.Options{Name: "another chain", Begin: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
	other.Mine(int(honest.Final) - 39)
	var of2100 any
	resp, err := http.Post(other.URL+"/wallet/getblock", "application/json", strings.NewReader(fmt.Sprintf(`{"id_or_num": "%d", "detail": false}`, honest.Final)))
	check(t, err)
	check(t, json.NewDecoder(resp.Body).Decode(&of2100))
	check(t, resp.Body.Close())
	p.tell("walletsolidity/getblock", always(of2100))
	lied, err := l.Head(t.Context(), -1)
	check(t, err)
	if got := of(lied, honest.Final); lied.Clock < 4_000_000_000_000 || got == "" || got == hash {
		t.Errorf("%+v: a clock of another chain is told without its block", lied)
	}
}
