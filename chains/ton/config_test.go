package ton_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"causeway/chains"
	"causeway/chains/remotesigner"
	"causeway/chains/ton"
	"causeway/internal/dev/tonnode"
	"causeway/internal/pay"
)

// TestSettings: what cannot be meant is named by its key, and never by its value.
//
// Covers operator §Settings: TON needs an rpc
func TestSettings(t *testing.T) {
	t.Parallel()
	key, err := ton.Driver.Public(seed, pay.TON)
	check(t, err)
	good := func() ton.Config {
		c := ton.Defaults()
		c.RPC, c.PublicKey = []string{"http://user:secret@node/jsonRPC"}, key
		return c
	}
	own := good()
	check(t, own.Validate())
	c, err := ton.Open(t.Context(), own, nil)
	check(t, err)
	t.Cleanup(c.Close)
	deposit, err := c.Derive(t.Context(), 7)
	check(t, err)
	for name, change := range map[string]func(*ton.Config){
		"network":     func(c *ton.Config) { c.Network = "Tron" },
		"rpc":         func(c *ton.Config) { c.RPC = []string{"ftp://secret"} },
		"api_key":     func(c *ton.Config) { c.APIKey = "secret\n" },
		"genesis":     func(c *ton.Config) { c.Genesis = "c2VjcmV0" },
		"public_key":  func(c *ton.Config) { c.PublicKey = "secret" },
		"attach":      func(c *ton.Config) { c.Attach = decimal.RequireFromString("0.01") },
		"timeout":     func(c *ton.Config) { c.Timeout = time.Second },
		"stale_after": func(c *ton.Config) { c.StaleAfter = time.Second },
		"start":       func(c *ton.Config) { c.Start = -1 },
		"explorer":    func(c *ton.Config) { c.Explorer = "https://secret" },
		"cold":        func(c *ton.Config) { c.Cold = deposit },
		"caps":        func(c *ton.Config) { c.Caps = map[string]chains.Cap{"TON": {}} },
		"signer":      func(c *ton.Config) { c.Signer = &remotesigner.Config{URL: "ftp://secret"} },
		"tokens":      func(c *ton.Config) { c.Tokens = map[string]ton.Token{"USDT": {Contract: "secret", Decimals: 6}} },
	} {
		config := good()
		change(&config)
		if err := config.Validate(); err == nil || !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
	n := c.Network()
	if n.Exclusion != chains.ByNumber || n.Batch != 1 || n.StartAt != -1 || n.AskFor == nil || n.BumpAfter == 0 || n.Sender != nil || !n.Memo {
		t.Errorf("%+v", n)
	}
}

// The key of a seed of 64 zeros by SLIP-10, and its first two wallets, as @ton/crypto and tonweb compute them.
const (
	zeroKey     = "958bd9bf8b7b23ae72f7edf80b085e77809270a64346f27155c2620c9e751be1"
	zeroWallet  = "UQDdR-QGTFYciMK1lQVy3Us-NRbKrXczmxqIvZWiwecRFlo9"
	zeroDeposit = "UQA9kAkZYiU5elRQ87cTx6o-_blB3li9mjU1c1MSUb7EQEET"
)

// TestWalletsOfAKey: the hot wallet is the first of its key, as other programs make it, and each index has another one.
func TestWalletsOfAKey(t *testing.T) {
	t.Parallel()
	c := ton.Defaults()
	c.RPC, c.PublicKey = []string{"http://127.0.0.1:1/jsonRPC"}, zeroKey
	if key, err := ton.Driver.Public(make([]byte, 64), pay.TON); err != nil || key != zeroKey {
		t.Errorf("the key is %s, %v", key, err)
	}
	connector, err := ton.Open(t.Context(), c, nil)
	check(t, err)
	t.Cleanup(connector.Close)
	if connector.Hot() != zeroWallet {
		t.Errorf("the hot wallet is %s", connector.Hot())
	}
	if first, err := connector.Derive(t.Context(), 0); err != nil || first != zeroDeposit {
		t.Errorf("the shared wallet is %s, %v", first, err)
	}
}

// TestAnotherNodeIsAsked: a node that is away is left for the next one.
func TestAnotherNodeIsAsked(t *testing.T) {
	t.Parallel()
	l := launch(t, func(c *ton.Config) { c.RPC = append([]string{"http://127.0.0.1:1/jsonRPC"}, c.RPC...) })
	if _, err := l.Head(t.Context(), -1); err != nil {
		t.Error(err)
	}
	nodes := l.network().Nodes()
	if len(nodes) != 2 || nodes[0].Used || !nodes[1].Used {
		t.Errorf("%+v", nodes)
	}
}

// broken stands before a node, and answers as the API does when its node is away: with HTTP 500.
func broken(t *testing.T, node string) (address string, breaks func(bool)) {
	t.Helper()
	var on atomic.Bool
	target, err := url.Parse(node)
	check(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host}) }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !on.Load() {
			proxy.ServeHTTP(w, r)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"ok":false,"error":"LITE_SERVER_NETWORK: timeout for adnl query query","code":500}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + target.Path, on.Store
}

// TestANodeBehindItsAPI: if the API answers and its node does not, the next node is asked.
func TestANodeBehindItsAPI(t *testing.T) {
	t.Parallel()
	var breaks func(bool)
	l := launch(t, func(c *ton.Config) {
		first, on := broken(t, c.RPC[0])
		c.RPC, breaks = append([]string{first}, c.RPC...), on
	})
	if _, err := l.Head(t.Context(), -1); err != nil || !l.network().Nodes()[0].Used {
		t.Fatalf("%v: %+v", err, l.network().Nodes())
	}
	breaks(true)
	for range 2 {
		if _, err := l.Head(t.Context(), -1); err != nil {
			t.Error(err)
		}
		signed := l.signed(t, 0, order("TON", "1", l.stranger(t, "payee"), ""))
		if all, err := l.Status(t.Context(), []string{signed.Txid}); err != nil {
			t.Errorf("%v, %+v", err, all)
		}
	}
	if nodes := l.network().Nodes(); nodes[0].Used || !nodes[1].Used {
		t.Errorf("%+v", nodes)
	}
}

// TestAStepAsksLittle: a step without news asks for its blocks, and for one state of each followed account.
func TestAStepAsksLittle(t *testing.T) {
	t.Parallel()
	l := launch(t)
	const fixed = 50
	var wallets []string
	for index := range uint32(fixed) {
		address, err := l.Derive(t.Context(), index+1)
		check(t, err)
		wallets = append(wallets, address)
	}
	l.AskFor(func(context.Context) ([]string, error) { return wallets, nil })
	height := l.height(t)
	_, err := l.Blocks(t.Context(), height, 1)
	check(t, err)
	check(t, l.node.Mine(3))
	before := l.network().Nodes()[0].Requests
	began := time.Now()
	_, err = l.Blocks(t.Context(), height+1, 3)
	check(t, err)
	asked, took := l.network().Nodes()[0].Requests-before, time.Since(began)
	t.Logf("%d requests for 3 blocks and %d accounts in %v", asked, fixed+2, took)
	if want := int64(1 + 3 + fixed + 2); asked != want {
		t.Errorf("%d requests, want %d", asked, want)
	}
	// A payment to the last of them is found all the same.
	txid, err := l.node.Send(tonnode.Message{To: wallets[fixed-1], Units: 3_000_000_000})
	check(t, err)
	check(t, l.node.Mine(1))
	blocks, err := l.Blocks(t.Context(), height+4, 1)
	check(t, err)
	if len(blocks) != 1 || len(blocks[0].Transfers) != 1 || blocks[0].Transfers[0].Txid != txid {
		t.Errorf("%+v", blocks)
	}
}

// TestWhatATokenSaysOfItself: a master whose words are elsewhere has to be named in the settings, and what is no master is none.
func TestWhatATokenSaysOfItself(t *testing.T) {
	t.Parallel()
	l := launch(t)
	other, err := l.node.Jetton("another")
	check(t, err)
	check(t, l.node.Mine(1))
	if _, err := l.Inspect(t.Context(), other, ""); !says(err, "not on the chain") {
		t.Errorf("%v", err)
	}
	if _, err := l.Inspect(t.Context(), l.usdt, ""); !says(err, "watched already") {
		t.Errorf("%v", err)
	}
	nobody, err := l.node.Stranger("nobody")
	check(t, err)
	if _, err := l.Inspect(t.Context(), nobody, ""); !errors.Is(err, chains.ErrNoToken) {
		t.Errorf("%v, want ErrNoToken", err)
	}
	if _, err := l.Inspect(t.Context(), "no address", ""); !errors.Is(err, chains.ErrFormat) {
		t.Errorf("%v, want ErrFormat", err)
	}
}
