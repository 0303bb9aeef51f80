package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
)

// TestStoppingAPIDropsNoRequest loads an API through a balancer asking for readiness, and tells it to stop: every
// request sent to it is answered, payins answered with 200 are there, and the process ends well.
//
// Covers operator §Roles: causeway api
// Covers operator §Roles: A role that gets
// Covers operator §Roles: An API of its own process is not ready
// Covers operator §Settings: LISTEN_ADDR
func TestStoppingAPIDropsNoRequest(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	var asked, dropped atomic.Int64
	var made sync.Map
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: n%2 == 0}}
			defer client.CloseIdleConnections()
			for a.inRotation.Load() {
				name := uuid.NewString()
				asked.Add(1)
				status, err := a.createPayin(client, name)
				switch {
				case err != nil:
					dropped.Add(1)
					t.Errorf("a request was dropped: %v", err)
				case status != http.StatusOK:
					t.Errorf("answered %d", status)
				default:
					made.Store(name, true)
				}
			}
		})
	}
	t.Cleanup(func() { // no request outlives the test
		_ = a.process.Process.Kill()
		all.Wait()
	})
	testkit.Eventually(t, time.Minute, func() bool { return asked.Load() > 100 }, "the API is under load")
	require.NoError(t, a.process.Process.Signal(syscall.SIGTERM))
	testkit.Eventually(t, time.Minute, func() bool { return !a.ready(t.Context()) }, "it was told")
	name := uuid.NewString()
	status, err := a.createPayin(&http.Client{Timeout: 20 * time.Second}, name)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status) // it serves on after it was told
	made.Store(name, true)
	all.Wait()
	require.False(t, a.inRotation.Load())
	require.NoError(t, a.process.Wait(), a.said)
	require.Regexp(t, `(?s)"serving".*"stopping: .*"stopped"`, a.said.String())
	require.Zero(t, dropped.Load())
	made.Range(func(name, _ any) bool {
		var found bool
		must(t, a.DB.NewRaw("select exists (select from payins where reference_id = ?)", name).Scan(t.Context(), &found))
		require.True(t, found, name)
		return true
	})
}

// Whoever cannot wait for the rest to end asks twice.
//
// Covers operator §Roles: A second signal ends
func TestASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	a := startAPI(t)
	require.NoError(t, a.process.Process.Signal(syscall.SIGTERM))
	testkit.Eventually(t, time.Minute, func() bool { return !a.inRotation.Load() }, "the first signal has arrived")
	require.NoError(t, a.process.Process.Signal(syscall.SIGTERM))
	var ended *exec.ExitError
	require.ErrorAs(t, a.process.Wait(), &ended)
	status, is := ended.Sys().(syscall.WaitStatus)
	require.True(t, is && status.Signaled() && status.Signal() == syscall.SIGTERM, ended)
}

// servedAPI is `causeway api` as a process, and a balancer taking it out of rotation when it is not ready.
type servedAPI struct {
	*site
	process    *exec.Cmd
	said       *bytes.Buffer
	url, key   string
	inRotation atomic.Bool
}

func startAPI(t *testing.T) *servedAPI {
	t.Helper()
	a := &servedAPI{site: newSite(t), said: new(bytes.Buffer)}
	a.WithRedis()
	var key struct {
		Key string `json:"api_key"`
	}
	a.Do(&key, "admin", "key", "create", "--merchant", a.Merchant(), "--rate-limit", "1000000/60")
	listen := freePort(t)
	a.url, a.key = "http://"+listen, key.Key
	a.process = exec.Command(os.Args[0], "api", "--data-dir", a.Dir) // itself
	a.process.Env = append(os.Environ(), asCauseway+"=1", "LISTEN_ADDR="+listen, "OPERATOR_ADDR="+freePort(t),
		"WEBHOOK_ALLOWED_HOSTS=127.0.0.1", "RATE_LIMIT=1000000/60")
	a.process.Stdout, a.process.Stderr = io.Discard, a.said
	require.NoError(t, a.process.Start())
	t.Cleanup(func() { _ = a.process.Process.Kill() })
	testkit.Eventually(t, time.Minute, func() bool { return a.ready(t.Context()) }, "the API is ready")
	a.inRotation.Store(true)
	go func() { // the balancer asks five times as often as most do
		for a.ready(context.WithoutCancel(t.Context())) {
			<-time.After(200 * time.Millisecond)
		}
		a.inRotation.Store(false)
	}()
	return a
}

func (a *servedAPI) ready(ctx context.Context) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+"/readyz", nil)
	must(a.T, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	_ = response.Body.Close()
	return response.StatusCode == http.StatusOK
}

func (a *servedAPI) createPayin(client *http.Client, name string) (int, error) {
	body := fmt.Sprintf(`{"reference_id":%q,"network":"Tron","crypto_currency":"USDT","process_by":"crypto_amount","crypto_amount":"5",
		"webhook_url":"http://127.0.0.1:9/hook"}`, name)
	request, err := http.NewRequest(http.MethodPost, a.url+"/v1/payin", strings.NewReader(body)) // the client has a time limit
	if err != nil {
		return 0, err
	}
	request.Header.Set("X-Service-Invoke", a.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}
