package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/chains/seed"
	"causeway/internal/dev/anvil"
)

// TestKeysElsewherePay is the main job with the keys on a signer's server. The installation has no seed file.
//
// Covers operator §Settings: signer has the keys
// Covers operator §Settings: A role needs no seed
func TestKeysElsewherePay(t *testing.T) {
	t.Parallel()
	e := newEthereumNode(t)
	url, signatures := e.signerServer(t)
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(e.networks), "token"), []byte("let me in\n"), 0o600))
	text, err := os.ReadFile(e.networks)
	require.NoError(t, err)
	networks, _, found := strings.Cut(string(text), "\nsigner:\n")
	require.True(t, found)
	networks += fmt.Sprintf("\n    signer: {url: %q, token_file: token}\n", url)
	require.NoError(t, os.WriteFile(e.networks, []byte(networks), 0o600))

	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+e.networks)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	e.payinAndPayout("USDT", "25", "10.5", func(to common.Address) {
		e.usdt.Transfer(t, anvil.Rich, to, big.NewInt(25_000_000))
	})
	require.Positive(t, signatures.Load())
}

// signerServer takes the seed file away, and signs with its keys for who has the token.
func (e *realEthereum) signerServer(t *testing.T) (url string, signatures *atomic.Int64) {
	secret, err := seed.Open(e.seedFile, e.passphrase)
	require.NoError(t, err)
	require.NoError(t, os.Remove(e.seedFile))
	signatures = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Path   string
			Digest hexutil.Bytes
		}
		if r.Header.Get("Authorization") != "Bearer let me in" || json.NewDecoder(r.Body).Decode(&q) != nil {
			http.Error(w, "who are you?", http.StatusForbidden)
			return
		}
		private, err := addresses.PrivateFromSeed(secret, q.Path)
		if err != nil {
			t.Error(err)
			return
		}
		key, err := crypto.ToECDSA(private)
		if err != nil {
			t.Error(err)
			return
		}
		signature, err := crypto.Sign(q.Digest, key)
		if err != nil {
			t.Error(err)
			return
		}
		signatures.Add(1)
		fmt.Fprintf(w, `{"signature": "%s"}`, hexutil.Encode(signature))
	}))
	t.Cleanup(server.Close)
	return server.URL, signatures
}
