package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/cli/settings"
	"causeway/internal/dev/devstack"
	"causeway/internal/dev/testkit"
)

// deployment is api, worker and scheduler as processes of their own, on a Redis of their own, able to fail, with a merchant
// and its receiver.
type deployment struct {
	*site
	begun    []*exec.Cmd // its roles
	redis    *devstack.Redis
	control  *redis.Client
	client   *http.Client
	desk     *http.Client // the operator's browser
	url, key string
	operator string
	shop     string
	receiver *witness
}

// answersWithin is how long the API may take for any answer while something is broken. The measured time is
// in docs/reliability.md; a machine running other tests needs more.
const answersWithin = 5 * time.Second

func newDeployment(t *testing.T, environ ...string) *deployment {
	t.Helper()
	server := testkit.PrivateRedis(t)
	e := newDeploymentOn(t, server.URL, environ...)
	e.redis, e.control = server, server.Client()
	t.Cleanup(func() { _ = e.control.Close() })
	return e
}

// newDeploymentOn makes a deployment on another Redis.
func newDeploymentOn(t *testing.T, redisURL string, environ ...string) *deployment {
	t.Helper()
	return newDeploymentOf(t, redisURL, [][]string{{"scheduler"}, {"worker"}, {"api"}}, environ...)
}

// newDeploymentOf makes a deployment of other roles. The last one is the api.
func newDeploymentOf(t *testing.T, redisURL string, roles [][]string, environ ...string) *deployment {
	t.Helper()
	e := &deployment{site: newSite(t), client: &http.Client{Timeout: answersWithin}, desk: &http.Client{Timeout: time.Minute}, receiver: newWitness(t)}
	t.Cleanup(e.client.CloseIdleConnections)
	e.Writes(&settings.DevFile{DatabaseURL: testkit.DSN(t), RedisURL: redisURL, SecretsKey: commandtest.SecretsKey})
	e.shop = e.Merchant()
	var key struct {
		Key string `json:"api_key"`
	}
	e.Do(&key, "admin", "key", "create", "--merchant", e.shop, "--rate-limit", "1000000/60")
	listen := freePort(t)
	e.url, e.key = "http://"+listen, key.Key
	environ = append(environ, "LISTEN_ADDR="+listen, "WEBHOOK_ALLOWED_HOSTS=127.0.0.1", "RATE_LIMIT=1000000/60", quickBlocks)
	for _, role := range roles {
		port := freePort(t)
		e.begun = append(e.begun, e.role(append(slices.Clone(environ), "OPERATOR_ADDR="+port), role...))
		e.operator = "http://" + port
	}
	testkit.Eventually(t, time.Minute, func() bool {
		response, err := e.client.Get(e.url + "/readyz") //nolint:noctx // the client has a time limit
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	}, "the API is ready")
	return e
}

// role starts one of them; its log is shown when the test fails.
func (e *deployment) role(environ []string, args ...string) *exec.Cmd {
	e.Helper()
	said, name := new(bytes.Buffer), args[0]
	process := exec.Command(os.Args[0], append(slices.Clone(args), "--data-dir", e.Dir)...) // itself
	process.Env = append(append(os.Environ(), asCauseway+"=1"), environ...)
	process.Stdout, process.Stderr = io.Discard, said
	require.NoError(e, process.Start())
	e.Cleanup(func() {
		_ = process.Process.Kill()
		_ = process.Wait()
		if e.Failed() {
			e.Logf("%s said:\n%s", name, said.String()[max(0, said.Len()-8000):])
		}
	})
	return process
}

// ask sends a request and reads the answer; it must come in time.
func (e *deployment) ask(method, path, body string) (int, map[string]any) {
	e.Helper()
	request, err := http.NewRequestWithContext(e.Context(), method, e.url+path, strings.NewReader(body))
	must(e.T, err)
	request.Header.Set("X-Service-Invoke", e.key)
	request.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(request)
	must(e.T, err)
	defer func() { _ = response.Body.Close() }()
	var out map[string]any
	must(e.T, json.NewDecoder(response.Body).Decode(&out))
	return response.StatusCode, out
}

// funded asks for money, pays it on the sandbox network and waits until it is final.
func (e *deployment) funded(network, token, amount string) {
	e.Helper()
	name := uuid.NewString()
	status, answer := e.ask(http.MethodPost, "/v1/payin", fmt.Sprintf(`{"reference_id":%q,"network":%q,"crypto_currency":%q,"process_by":"crypto_amount",
		"crypto_amount":%q,"webhook_url":%q}`, name, network, token, amount, e.receiver.url))
	require.Equal(e, http.StatusOK, status, answer)
	var wallet string
	must(e.T, e.DB.NewRaw("select wallet from payins where reference_id = ?", name).Scan(e.Context(), &wallet))
	var paid struct{ Txid string }
	e.Do(&paid, "sandbox", "pay", "--network", network, "--token", token, "--to", wallet, "--amount", amount)
	e.eventually("the payin is final", "select exists (select from transfers t join payins p on p.id = t.payin_id where p.reference_id = ? and t.status = 'final')", name)
}

// payout asks for one and returns its reference.
func (e *deployment) payout(network, token, amount, to string) string {
	e.Helper()
	name := uuid.NewString()
	status, answer := e.ask(http.MethodPost, "/v1/payout", fmt.Sprintf(`[{"reference_id":%q,"network":%q,"crypto_currency":%q,"process_by":"crypto_amount",
		"crypto_amount":%q,"feetakenfromamount":0,"wallet":%q,"webhook_url":%q}]`, name, network, token, amount, to, e.receiver.url))
	require.Equal(e, http.StatusOK, status, answer)
	return name
}

// paidOut waits until a payout is completed and its receiver was told so.
func (e *deployment) paidOut(name string) {
	e.Helper()
	e.eventually("the payout is completed", "select exists (select from payouts where reference_id = ? and status = 'completed')", name)
	e.eventually("its webhook is delivered", "select exists (select from deliveries d join payouts p on p.id = d.subject where p.reference_id = ? and d.status = 'delivered')", name)
}

// eventually waits for a query to answer true.
func (e *deployment) eventually(what, query string, args ...any) {
	e.Helper()
	testkit.Eventually(e, 90*time.Second, func() bool {
		var yes bool
		must(e.T, e.DB.NewRaw(query, args...).Scan(e.Context(), &yes))
		return yes
	}, what)
}

// login makes an operator with the role of a viewer, and logs in to the console.
func (e *deployment) login() {
	e.Helper()
	const password = "a password of some length"
	p, _, stderr := programIn(e.Dir)
	p.Stdin = strings.NewReader(password + "\n")
	require.Equal(e, command.ExitOK, p.run(e.Context(), []string{"admin", "operator", "create", "desk", "--data-dir", e.Dir}), stderr)
	jar, err := cookiejar.New(nil)
	must(e.T, err)
	e.desk.Jar = jar
	response, err := e.desk.PostForm(e.operator+"/console/login",
		url.Values{"name": {"desk"}, "password": {password}}) //nolint:noctx // the client has a time limit
	must(e.T, err)
	must(e.T, response.Body.Close())
	require.Equal(e, http.StatusOK, response.StatusCode)
}

// page reads a page of the operator port.
func (e *deployment) page(path string) string {
	e.Helper()
	request, err := http.NewRequestWithContext(e.Context(), http.MethodGet, e.operator+path, http.NoBody)
	must(e.T, err)
	response, err := e.desk.Do(request)
	must(e.T, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	must(e.T, err)
	return string(body)
}

// witness is a receiver answering 200; it remembers when each delivery first came.
type witness struct {
	url string
	mu  sync.Mutex
	at  map[string]time.Time
}

func newWitness(t *testing.T) *witness {
	w := &witness{at: map[string]time.Time{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.url = server.URL + "/hook"
	return w
}

func (w *witness) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.mu.Lock()
	defer w.mu.Unlock()
	id := r.Header.Get("X-Service-Delivery")
	if _, known := w.at[id]; !known {
		w.at[id] = time.Now()
	}
}
