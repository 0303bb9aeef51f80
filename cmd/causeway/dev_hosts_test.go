package main

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/dev/testkit"
)

// Covers operator §dev: Before it makes anything
func TestDevChecksItsPortsFirst(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = taken.Close() })
	free := freePort(t)
	for says, flags := range map[string][]string{
		"--listen: cannot listen":          {"--listen", taken.Addr().String(), "--operator-listen", free},
		"--operator-listen: cannot listen": {"--listen", free, "--operator-listen", free},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		code, _, stderr := call(t, append([]string{"dev", "--data-dir", dir}, flags...)...)
		require.Equal(t, command.ExitFailed, code)
		require.Contains(t, stderr, says)
		require.Contains(t, stderr, "address already in use")
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		_, err := os.Stat(dir)
		require.ErrorIs(t, err, os.ErrNotExist, "something was made")
	}
}

// A browser led to dev by the name of another page is told nothing; programs with a key, or asking for health, are answered.
//
// Covers operator §dev: Pages of dev
// Covers operator §dev: Its /readyz
// Covers operator §dev: Its API keys
func TestDevIsReadyOnceItHasTold(t *testing.T) {
	t.Parallel()
	i := prepare(t, quickBlocks)
	i.start()
	t.Cleanup(i.stop)
	ask := func(address, path, host string) int {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+path, http.NoBody)
		require.NoError(t, err)
		if request.Host = address; host != "" {
			request.Host = host
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return 0
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	testkit.Eventually(t, time.Minute, func() bool { return ask(i.operator, "/readyz", "") == http.StatusOK }, "dev is ready")
	d := i.file() // is there already
	require.Equal(t, http.StatusOK, ask(i.listen, "/readyz", ""))
	var made struct {
		Key string `json:"api_key"`
	}
	require.NoError(t, json.Unmarshal([]byte(i.command("admin", "key", "create", "--merchant", d.MerchantID)), &made))
	for _, key := range []string{d.APIKey, d.ReadOnlyKey, d.SignedKey, made.Key} {
		require.True(t, strings.HasPrefix(key, "cw_test_"), key)
	}
	for path, status := range map[string]int{"/console/login": http.StatusMisdirectedRequest, "/inbox": http.StatusMisdirectedRequest,
		"/": http.StatusMisdirectedRequest, "/healthz": http.StatusOK, "/metrics": http.StatusOK} {
		require.Equal(t, status, ask(i.operator, path, "evil.example"), path)
	}
	for path, status := range map[string]int{"/docs": http.StatusMisdirectedRequest, "/pay/x": http.StatusMisdirectedRequest,
		"/v1/balances": http.StatusUnauthorized, "/readyz": http.StatusOK} {
		require.Equal(t, status, ask(i.listen, path, "evil.example"), path)
	}
	require.Equal(t, http.StatusOK, ask(i.operator, "/console/login", "localhost:1"))
}
