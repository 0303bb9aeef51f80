package evm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/evm"
)

// TestHostile asks every question of nodes with arbitrary answers.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"null": `null`, "a number": `7`, "a string": `"x"`, "an empty list": `[]`, "an empty object": `{}`,
		"a list of nulls": `[null,null]`, "a list of empty objects": `[{},{}]`, "a huge quantity": `"0x` + strings.Repeat("f", 64) + `"`,
		"a quantity over 256 bits": `"0x1` + strings.Repeat("f", 64) + `"`, "empty data": `"0x"`,
		"a block of another height": `{"number":"0x7fffffffffffffff","hash":"` + common.Hash{1}.Hex() + `","parentHash":"` +
			common.Hash{2}.Hex() + `","timestamp":"0x1"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, m := meddled(t, launchOptions{})
			signed := l.pay(t, order("ETH", "1"))
			m.set(func(asked, answer) *answer { return says(result) })
			l.hostile(t, signed)
		})
	}
	for name, handler := range map[string]http.HandlerFunc{
		"no JSON":        func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>504</html>") },
		"nothing":        func(http.ResponseWriter, *http.Request) {},
		"an empty batch": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[]") },
		"a lone object":  func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1}`) },
		"an odd error":   func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"error":"no"}`) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		"too many asked":   func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "slow down", http.StatusTooManyRequests) },
		"deep JSON":        func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("[", 1_000_000)) },
		"a hanging socket": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"an endless body": func(w http.ResponseWriter, _ *http.Request) {
			for spaces := strings.Repeat(" ", 1<<20); ; {
				if _, err := io.WriteString(w, spaces); err != nil {
					return
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			broken := &atomic.Bool{}
			l := launch(t, launchOptions{
				change: func(c *evm.Config) { c.Timeout = 4 * time.Second },
				proxy: func(node string) string {
					through := (&meddling{}).proxy(t)(node)
					server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if broken.Load() {
							_, _ = io.Copy(io.Discard, r.Body)
							handler(w, r)
							return
						}
						resp, err := http.Post(through, "application/json", r.Body)
						if err != nil {
							return
						}
						defer func() { _ = resp.Body.Close() }()
						_, _ = io.Copy(w, resp.Body)
					}))
					t.Cleanup(server.Close)
					return server.URL
				},
			})
			signed := l.pay(t, order("ETH", "1"))
			broken.Store(true)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			l.hostileFor(ctx, t, signed)
		})
	}
}

func (l *launched) hostile(t *testing.T, signed chains.Signed) {
	t.Helper()
	l.hostileFor(t.Context(), t, signed)
}

// hostileFor asks every question, and believes no answer: each must be an error wrapping ErrDown, or an answer of nothing.
func (l *launched) hostileFor(ctx context.Context, t *testing.T, signed chains.Signed) {
	t.Helper()
	o := order("USDT", "1")
	_, head := l.Head(ctx, -1)
	blocks, scan := l.Blocks(ctx, 1, 10)
	hash, hashed := l.Hash(ctx, 1)
	states, status := l.Status(ctx, []string{signed.Txid})
	held, holding := l.Holdings(ctx, "USDT", []string{l.Hot()}, 1)
	_, nonce := l.sender.NextNonce(ctx, l.sender.Hot())
	_, prepare := l.sender.Prepare(ctx, single(o))
	_, bump := l.sender.Prepare(ctx, again(o, [][]byte{signed.Raw}))
	_, cancel := l.sender.Prepare(ctx, chains.Spend{Over: [][]byte{signed.Raw}})
	for verb, err := range map[string]error{
		"head": head, "blocks": scan, "hash": hashed, "status": status, "holdings": holding, "next nonce": nonce,
		"prepare": prepare, "bump": bump, "cancel": cancel,
	} {
		if err != nil && !errors.Is(err, chains.ErrDown) && !errors.Is(err, chains.ErrShort) {
			t.Errorf("%s: %v, want ErrDown", verb, err)
		}
	}
	if head == nil || prepare == nil || bump == nil || cancel == nil || len(blocks) > 0 {
		t.Errorf("believed: head %v, prepare %v, bump %v, cancel %v, %d blocks", head, prepare, bump, cancel, len(blocks))
	}
	if hash != "" || states[signed.Txid].State == chains.TxMined || decimal.Sum(decimal.Zero, held...).GreaterThan(decimal.NewFromBigInt(new(big.Int).Lsh(big.NewInt(1), 256), 0)) {
		t.Errorf("believed: hash %q, state %v, holdings %s", hash, states, held)
	}
	if outcome, reason := l.sender.Broadcast(ctx, signed.Raw); outcome != chains.Unknown && outcome != chains.NotTaken || reason == "" {
		t.Errorf("outcome %d (%q), want unknown or not taken", outcome, reason)
	}
}

// TestMissingFields takes every field out of every kind of answer, one at a time: either it is missed, or it changes nothing.
func TestMissingFields(t *testing.T) {
	t.Parallel()
	l, m := meddled(t, launchOptions{change: func(c *evm.Config) { c.Traces = true }})
	to := l.deposit(t, 0)
	l.node.Send(t, l.node.Accounts[1], to, whole(1, 18), nil)
	l.tokens["USDT"].Transfer(t, l.node.Accounts[2], to, whole(1, 6))
	signed := l.pay(t, order("USDT", "1"))
	height := l.node.Height(t)
	names := map[string]bool{}
	m.set(func(q asked, node answer) *answer {
		var value any
		_ = json.Unmarshal(node.Result, &value)
		without(value, func(name string) bool { names[q.Method+"."+name] = true; return false })
		return nil
	})
	seen := func() (string, error) {
		blocks, err := l.Blocks(t.Context(), height, 1)
		if err != nil {
			return "", err
		}
		states, err := l.Status(t.Context(), []string{signed.Txid})
		return fmt.Sprintf("%+v %+v", blocks, states), err
	}
	want, err := seen()
	check(t, err)
	noticed := 0
	for name := range names {
		m.set(func(q asked, node answer) *answer {
			var value any
			_ = json.Unmarshal(node.Result, &value)
			without(value, func(at string) bool { return q.Method+"."+at == name })
			out, _ := json.Marshal(value)
			return says(string(out))
		})
		got, err := seen()
		switch {
		case err != nil && !errors.Is(err, chains.ErrDown):
			t.Errorf("without %s: %v, want ErrDown", name, err)
		case err != nil:
			noticed++
		case got != want && name != "eth_getBlockByNumber.to" && name != "eth_getBlockByNumber.from":
			// no recipient would be a new contract, and the sender is only shown
			t.Errorf("without %s: %s\nwant %s", name, got, want)
		}
	}
	if len(names) < 40 || noticed < 10 {
		t.Errorf("%d fields, %d noticed: nothing was tried", len(names), noticed)
	}
}

// without takes the fields chosen by drop out of a JSON value.
func without(value any, drop func(name string) bool) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			without(item, drop)
		}
	case map[string]any:
		for name, item := range v {
			if drop(name) {
				delete(v, name)
				continue
			}
			without(item, drop)
		}
	}
}
