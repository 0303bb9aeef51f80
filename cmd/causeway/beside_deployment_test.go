package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// twins is an installation with a real Ethereum and a sandbox beside it: three roles, each running both.
type twins struct {
	*testing.T
	node          *realEthereum
	live, sandbox *books
	environ       []string
	url           string
	doors         []string // operator ports of the API: live, sandbox
	running       []*exec.Cmd
	said          []*bytes.Buffer
	http          *http.Client
}

// books are one set of them, with a merchant and its receiver.
type books struct {
	*twins
	flags    []string // before a command
	name     string   // of the database
	db       *bun.DB
	merchant string
	key      string
	client   *client.Client
	receiver *integrator
}

func newTwins(t *testing.T) *twins {
	t.Helper()
	w := &twins{T: t, node: newEthereumNode(t), http: &http.Client{Timeout: time.Minute}, doors: []string{freePort(t), freePort(t)}}
	t.Cleanup(w.http.CloseIdleConnections)
	w.live = &books{twins: w, db: testkit.DB(t), receiver: newIntegrator(t)}
	w.sandbox = &books{twins: w, db: testkit.EmptyDB(t), receiver: newIntegrator(t), flags: []string{"--sandbox"}}
	for _, b := range []*books{w.live, w.sandbox} {
		must(t, b.db.NewRaw("select current_database()").Scan(t.Context(), &b.name))
	}
	address, err := url.Parse(testkit.DSN(t))
	must(t, err)
	address.Path = "/" + w.sandbox.name
	redis := testkit.PrivateRedis(t).URL
	listen := freePort(t)
	w.url = "http://" + listen
	w.environ = []string{"DATABASE_URL=" + testkit.DSN(t), "REDIS_URL=" + redis, "SECRETS_KEY=" + commandtest.SecretsKey,
		"NETWORKS_FILE=" + w.node.networks,
		"SANDBOX_DATABASE_URL=" + address.String(), "SANDBOX_REDIS_URL=" + strings.TrimSuffix(redis, "/0") + "/1",
		"SANDBOX_SECRETS_KEY=c2FuZGJveHNhbmRib3hzYW5kYm94c2FuZGJveHNhbmQ=", "LISTEN_ADDR=" + listen, "PUBLIC_BASE_URL=" + w.url,
		"DATA_DIR=" + t.TempDir(), "WEBHOOK_ALLOWED_HOSTS=127.0.0.1", quickBlocks}
	t.Cleanup(w.kill)
	return w
}

// run runs a command on the environment of the installation.
func (w *twins) run(args ...string) (code int, stdout, stderr string) {
	var out, problem bytes.Buffer
	code = newProgram(w.environ, &out, &problem).run(w.Context(), args)
	return code, out.String(), problem.String()
}

// do runs a command on these books and reads its output; the command must succeed.
func (b *books) do(into any, args ...string) {
	b.Helper()
	code, stdout, stderr := b.run(append(b.flags, args...)...)
	require.Equal(b, command.ExitOK, code, "causeway %v: %s", args, stderr)
	require.NoError(b, json.Unmarshal([]byte(stdout), into))
}

const deskPassword = "a password of some length"

// operator makes an operator with the role of a viewer.
func (b *books) operator(name string) {
	b.Helper()
	p, _, stderr := programIn(b.TempDir(), b.environ...)
	p.Stdin = strings.NewReader(deskPassword + "\n")
	require.Equal(b, command.ExitOK, p.run(b.Context(), append(b.flags, "admin", "operator", "create", name)), stderr)
}

// opens makes a merchant and its key.
func (b *books) opens(mark string) {
	b.Helper()
	var made struct {
		ID     string
		Secret string `json:"webhook_secret"`
		Key    string `json:"api_key"`
	}
	b.do(&made, "admin", "merchant", "create", "--name", "Shop")
	b.merchant, b.receiver.secret = made.ID, made.Secret
	b.do(&made, "admin", "key", "create", "--merchant", b.merchant)
	require.True(b, strings.HasPrefix(made.Key, mark), made.Key)
	b.key = made.Key
	var err error
	b.client, err = client.New(client.Config{BaseURL: b.url, Key: b.key, Retries: -1, HTTP: b.http})
	require.NoError(b, err)
}

// start runs the roles as processes.
func (w *twins) start() {
	w.Helper()
	w.running, w.said = nil, nil
	for _, role := range [][]string{{"scheduler"}, {"worker", "--queues", "chain,webhooks,upkeep"}, {"worker", "--queues", "signing"}, {"api"}} {
		doors := []string{freePort(w.T), freePort(w.T)}
		if role[0] == "api" {
			doors = w.doors
		}
		said, process := new(bytes.Buffer), exec.Command(os.Args[0], role...) // itself
		process.Env = append(append(os.Environ(), asCauseway+"=1", "OPERATOR_ADDR="+doors[0], "SANDBOX_OPERATOR_ADDR="+doors[1]), w.environ...)
		process.Stdout, process.Stderr = io.Discard, said
		require.NoError(w, process.Start())
		w.running, w.said = append(w.running, process), append(w.said, said)
	}
}

// kill ends the processes as a power cut does.
func (w *twins) kill() {
	for i, process := range w.running {
		_ = process.Process.Kill()
		_ = process.Wait()
		if w.Failed() {
			w.Logf("%s said:\n%s", process.Args[1], w.said[i].String()[max(0, w.said[i].Len()-6000):])
		}
	}
	w.running = nil
}

// stop ends them as an operator does; each must end well.
func (w *twins) stop() {
	w.Helper()
	for _, process := range w.running {
		require.NoError(w, process.Process.Signal(syscall.SIGTERM))
	}
	for i, process := range w.running {
		require.NoError(w, process.Wait(), w.said[i])
	}
	w.running = nil
}

// ask sends a request with a key; status 0 is no answer.
func (w *twins) ask(address, key string) (status int, body string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodGet, address, http.NoBody)
	must(w.T, err)
	r.Header.Set("X-Service-Invoke", key)
	response, err := w.http.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	must(w.T, err)
	return response.StatusCode, string(text)
}

// awaits waits until an address answers with a status and words.
func (w *twins) awaits(address, key string, status int, words string) {
	w.Helper()
	testkit.Eventually(w, time.Minute, func() bool {
		got, body := w.ask(address, key)
		return got == status && strings.Contains(body, words)
	}, address+" answers "+words)
}

// away takes the sandbox's database away, or gives it back.
func (w *twins) away(away bool) {
	w.Helper()
	_, err := w.live.db.ExecContext(w.Context(), "alter database "+w.sandbox.name+" with allow_connections ?", !away)
	must(w.T, err)
	if away {
		_, err = w.live.db.ExecContext(w.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where datname = ?", w.sandbox.name)
		must(w.T, err)
	}
}

// asks creates a payin of USDT, once its network is followed.
func (b *books) asks(network, amount string) (made *client.CreatedPayin) {
	b.Helper()
	wanted := client.Payin{ReferenceID: uuid.NewString(), Network: network, CryptoCurrency: "USDT", ProcessBy: client.ByCrypto,
		CryptoAmount: amount, WebhookURL: b.receiver.url}
	var err error
	testkit.Eventually(b, time.Minute, func() bool {
		made, err = b.client.CreatePayin(b.Context(), wanted)
		return !client.Is(err, "no_processor_configured")
	}, network+" is followed")
	require.NoError(b, err)
	return made
}

// pays creates a payout of USDT and returns its reference.
func (b *books) pays(network, amount, to string) string {
	b.Helper()
	made, err := b.client.CreatePayout(b.Context(), "", client.Payout{ReferenceID: uuid.NewString(), Network: network, CryptoCurrency: "USDT",
		ProcessBy: client.ByCrypto, CryptoAmount: amount, Wallet: to, WebhookURL: b.receiver.url})
	require.NoError(b, err)
	return made.InternalReference
}

// has waits until the merchant has an amount, and all of it is final, while the real chain goes on.
func (b *books) has(amount string) {
	b.Helper()
	b.eventually("the balance is "+amount, func(ctx context.Context) bool {
		now, err := b.client.GetBalances(ctx)
		return err == nil && now.Available["USDT"] == amount && now.Locked["USDT"] == "0.00000000"
	})
}

// paid waits until payouts are completed.
func (b *books) paid(reference string) {
	b.Helper()
	b.eventually("the payout is completed", func(ctx context.Context) bool {
		p, err := b.client.CheckPayout(ctx, reference)
		return err == nil && p.Status == "completed"
	})
}

func (w *twins) eventually(what string, cond func(ctx context.Context) bool) {
	w.Helper()
	testkit.Eventually(w, 2*time.Minute, func() bool {
		w.node.node.Mine(w.T, 1)
		return cond(w.Context())
	}, what)
}

// addsUp compares the books with themselves and their networks.
func (b *books) addsUp() {
	b.Helper()
	var report struct{ Differences []any }
	b.do(&report, "reconcile")
	require.Empty(b, report.Differences)
}

// knows counts the rows of these books, in every table, with a word in them.
func (b *books) knows(word string) (rows int) {
	b.Helper()
	var tables []string
	must(b.T, b.db.NewRaw("select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'").
		Scan(b.Context(), &tables))
	require.Greater(b, len(tables), 30)
	for _, table := range tables {
		var n int
		must(b.T, b.db.NewRaw("select count(*) from ? t where t::text like ?", bun.Ident(table), "%"+word+"%").Scan(b.Context(), &n))
		rows += n
	}
	return rows
}

// kind returns the kind the database is claimed for.
func (b *books) kind() store.BooksKind {
	b.Helper()
	kind, err := store.New(b.db).Books(b.Context())
	must(b.T, err)
	return kind
}
