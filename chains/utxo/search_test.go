package utxo_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"causeway/chains"
	"causeway/chains/nodes"
	"causeway/chains/utxo"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
)

// TestASearchOutlivesItsCaller: the node's search through all coins takes longer than a caller waits. It goes on, and its answer is for
// the next caller: no second search is begun, also when blocks were found meanwhile.
func TestASearchOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	node := bitcoind.At(t, "BitcoinGold", coinfake.Start(t, "BitcoinGold").URL)
	to, err := url.Parse(node.URL)
	check(t, err)
	release, begun, searches := make(chan struct{}), make(chan struct{}, 9), atomic.Int64{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.SetBasicAuth("test", "test")
	}}
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte("scantxoutset")) {
			searches.Add(1)
			begun <- struct{}{}
			<-release
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(slow.Close)
	l := on(t, node, func(c *utxo.Config) { c.RPC = nodes.Addresses{slow.URL} })
	height := node.Height(t)

	impatient, leave := context.WithCancel(t.Context())
	go func() { <-begun; leave() }()
	if _, err := l.Unspent(impatient, height); !errors.Is(err, chains.ErrDown) || !says(err, "searches its coins") {
		t.Fatalf("%v", err)
	}
	if _, err := l.Unspent(impatient, height); !errors.Is(err, chains.ErrDown) {
		t.Fatalf("%v", err)
	}
	l.pay(t, l.Hot(), amount("7"))
	node.Mine(t, 2)
	close(release)
	for at, want := range map[int64]int{height: 1, height + 1: 2} {
		if coins, err := l.Unspent(t.Context(), at); err != nil || len(coins) != want {
			t.Errorf("at block %d: %d coins, want %d, %v", at, len(coins), want, err)
		}
	}
	if n := searches.Load(); n != 1 {
		t.Errorf("%d searches", n)
	}
}
