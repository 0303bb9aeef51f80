package evm_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/chains/evm"
	"causeway/chains/nodes"
)

// TestTracesOff: a start logs the lack of a way to see coin sent by contracts.
//
// Covers operator §Settings: traces: true
func TestTracesOff(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	for name, c := range map[string]struct {
		change func(*evm.Config)
		says   bool
	}{
		"off":         {func(*evm.Config) {}, true},
		"on":          {func(c *evm.Config) { c.Traces = true }, false},
		"native logs": {func(c *evm.Config) { c.NativeLogs = "0x0000000000000000000000000000000000001010" }, false},
	} {
		cfg := l.config
		c.change(&cfg)
		var said strings.Builder
		log := logrus.New()
		log.SetOutput(&said)
		opened, err := evm.Open(t.Context(), cfg, log)
		check(t, err)
		opened.Close()
		if strings.Contains(said.String(), "ETH that contracts send is not seen") != c.says {
			t.Errorf("%s: %s", name, &said)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	l := launch(t, launchOptions{})
	cfg := l.config
	cfg.ChainID = 56
	if _, err := evm.Open(t.Context(), cfg, nil); !errors.Is(err, evm.ErrChain) {
		t.Errorf("another chain: %v, want ErrChain", err)
	}
	cfg = l.config
	cfg.Tokens = map[string]evm.Token{"USDT": {Contract: l.tokens["USDT"].Address.Hex(), Decimals: 18}}
	if _, err := evm.Open(t.Context(), cfg, nil); !errors.Is(err, evm.ErrDecimals) {
		t.Errorf("6 decimals taken for 18: %v, want ErrDecimals", err)
	}
	cfg.Tokens = map[string]evm.Token{"USDT": {Contract: payee.Hex(), Decimals: 6}}
	if _, err := evm.Open(t.Context(), cfg, nil); err != nil {
		t.Errorf("a contract that is not there: %v, want a warning only", err)
	}
	cfg.ChainID = 56
	var away atomic.Bool
	away.Store(true)
	target := l.node.URL
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() {
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		resp, err := http.Post(target, "application/json", r.Body)
		if err != nil {
			http.Error(w, "away", http.StatusBadGateway)
			return
		}
		defer func() { _ = resp.Body.Close() }()
		_, _ = io.Copy(w, resp.Body)
	}))
	t.Cleanup(server.Close)
	cfg.RPC = nodes.Addresses{server.URL + "/v3/secret-key-of-a-provider"}
	late, err := evm.Open(t.Context(), cfg, nil)
	if err != nil {
		t.Fatalf("a node that is away at the start: %v", err)
	}
	defer late.Close()
	_, err = late.Head(t.Context(), -1)
	if !errors.Is(err, chains.ErrDown) || errors.Is(err, evm.ErrChain) {
		t.Errorf("while it is away: %v, want ErrDown", err)
	}
	away.Store(false)
	if _, err = late.Head(t.Context(), -1); !errors.Is(err, evm.ErrChain) || !errors.Is(err, chains.ErrDown) {
		t.Errorf("it is of another chain: %v, want ErrChain and ErrDown", err)
	}
	server.Close()
	if _, err = late.Head(t.Context(), -1); !errors.Is(err, chains.ErrDown) || strings.Contains(err.Error(), "secret-key") {
		t.Errorf("a closed port: %v, want ErrDown without the key", err)
	}
}
