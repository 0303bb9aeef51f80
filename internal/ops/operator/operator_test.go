package operator_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/ops/operator"
	"causeway/internal/store"
)

// port is an operator port on a database and a Redis of the test's own.
type port struct {
	*httptest.Server
	db    *bun.DB
	redis asynq.RedisConnOpt
}

func open(t *testing.T, change func(*operator.Deps)) *port {
	t.Helper()
	db := testkit.DB(t)
	redis, err := asynq.ParseRedisURI(testkit.RedisURL(t))
	must(t, err)
	log := logrus.New()
	log.SetOutput(io.Discard)
	deps := operator.Deps{Store: store.New(db), Redis: redis, Log: log,
		Checks:   []operator.Check{{Name: "database", Ask: db.PingContext}},
		Networks: []operator.Network{{Name: "Ethereum", Kind: "sandbox"}, {Name: "Bitcoin", Kind: "sandbox"}},
		Verify:   func(h http.Header, _ []byte) bool { return h.Get("X-Service-Signature") == "good" },
	}
	if change != nil {
		change(&deps)
	}
	handler := operator.New(deps)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		if err := handler.Close(); err != nil {
			t.Error(err)
		}
	})
	return &port{Server: server, db: db, redis: redis}
}

// ask sends a request and returns the response with its body read. Headers come in pairs.
func (p *port) ask(t *testing.T, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.URL+path, strings.NewReader(body))
	must(t, err)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := p.Client().Transport.RoundTrip(request)
	must(t, err)
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	must(t, err)
	return response, string(content)
}

func (p *port) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := p.db.NewRaw(sql, args...).Exec(t.Context())
	must(t, err)
}

func TestHealth(t *testing.T) {
	t.Parallel()
	broken := errors.New("secret detail")
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, c := range map[string]struct {
		path   string
		check  func(context.Context) error
		status int
		says   string
	}{
		"alive whatever fails": {"/healthz", func(context.Context) error { return broken }, 200, `"alive"`},
		"ready":                {"/readyz", func(context.Context) error { return nil }, 200, `"schema":"ok"`},
		"not ready":            {"/readyz", func(context.Context) error { return broken }, 503, `"schema":"failing"`},
		"no answer":            {"/readyz", hangs, 503, `"schema":"failing"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, func(d *operator.Deps) { d.Checks = append(d.Checks, operator.Check{Name: "schema", Ask: c.check}) })
			response, body := p.ask(t, "GET", c.path, "")
			if response.StatusCode != c.status || !strings.Contains(body, c.says) || strings.Contains(body, "secret") {
				t.Errorf("%d %s", response.StatusCode, body)
			}
		})
	}
}

// However often somebody asks whether a role is ready, the database gets one question a second and the log a line for each change.
// The process's own state is answered at once.
func TestReadinessIsAskedOnceForAll(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	var leaving atomic.Bool
	log, lines := test.NewNullLogger()
	ready := operator.Ready(log, operator.Check{Name: "database", Ask: func(ctx context.Context) error {
		asked.Add(1)
		return errors.New("away")
	}}, operator.Check{Name: "process", Here: true, Ask: func(context.Context) error {
		if leaving.Load() {
			return errors.New("leaving")
		}
		return nil
	}})
	ask := func(want string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("GET", "/readyz", nil)
		gone, hangUp := context.WithCancel(r.Context())
		hangUp() // a client hanging up changes nothing for others
		ready.ServeHTTP(w, r.WithContext(gone))
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	start := time.Now()
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() { ask(`"database":"failing"`) })
	}
	all.Wait()
	leaving.Store(true)
	ask(`"process":"failing"`)
	if most := 1 + int64(time.Since(start)/time.Second); asked.Load() > most || len(lines.AllEntries()) != 1 {
		t.Errorf("asked %d times, at most %d; %d lines", asked.Load(), most, len(lines.AllEntries()))
	}
}

// A check aside takes no role out of service.
func TestWhatStandsAsideIsTold(t *testing.T) {
	t.Parallel()
	p := open(t, func(d *operator.Deps) {
		d.Checks = []operator.Check{{Name: "database", Ask: func(context.Context) error { return nil }},
			{Name: "sandbox", Aside: true, Ask: func(context.Context) error { return errors.New("away") }}}
	})
	for path, says := range map[string]string{"/healthz": `{"sandbox":"away","status":"alive"}`,
		"/readyz": `"checks":{"database":"ok","sandbox":"failing"},"status":"ready"`} {
		if response, body := p.ask(t, "GET", path, ""); response.StatusCode != http.StatusOK || !strings.Contains(body, says) {
			t.Errorf("%s: %d %s", path, response.StatusCode, body)
		}
	}
}

func TestOverview(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	_, quiet := p.ask(t, "GET", "/", "")
	if !strings.Contains(quiet, "Everything is running well") || !strings.Contains(quiet, "not started") {
		t.Errorf("of an empty installation: %s", quiet)
	}
	p.exec(t, "insert into followers (network, head, error, halted) values ('Ethereum', 1234567, 'too deep a <reorganisation>', true)")
	p.exec(t, "insert into chain_blocks values ('Ethereum', 1234000, 'h', 'p')")
	p.exec(t, "insert into jobs (kind, ref, run_at) values ('payout.broadcast', gen_random_uuid(), now() - interval '5 minutes')")
	p.exec(t, "insert into stopped_assets (asset, reason) values ('USDT', 'balances differ')")
	p.exec(t, "insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', 'a', 3, 5)")
	_, body := p.ask(t, "GET", "/", "")
	for _, want := range []string{"4 things need attention", "Payouts of USDT are stopped: balances differ",
		"up to 4, our books know nonces up to 2", "halted", "too deep a &lt;reorganisation&gt;", "1\u202f234\u202f567", "567",
		"payout.broadcast", "5 min", `href="/inbox/"`} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %q: %s", want, body)
		}
	}
}

func TestOverviewWithoutItsSources(t *testing.T) {
	t.Parallel()
	p := open(t, func(d *operator.Deps) {
		d.Redis = asynq.RedisClientOpt{Addr: "127.0.0.1:1"}
		d.Verify = nil
	})
	must(t, p.db.Close())
	response, body := p.ask(t, "GET", "/", "")
	if response.StatusCode != 200 || !strings.Contains(body, "The database cannot be used") || !strings.Contains(body, "Redis does not answer") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	if strings.Contains(body, "/inbox/") {
		t.Error("shows the way to an inbox that is not there")
	}
	if response, _ := p.ask(t, "POST", "/inbox/orders", "{}"); response.StatusCode != 404 {
		t.Errorf("an inbox that is not there answers %d", response.StatusCode)
	}
}

func TestPagesAskNobodyOutside(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	for _, path := range []string{"/", "/inbox/", "/queues/"} {
		response, body := p.ask(t, "GET", path, "", "Accept", "text/html")
		if response.StatusCode != 200 {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
		if !strings.Contains(response.Header.Get("Content-Security-Policy"), "default-src") {
			t.Errorf("%s may load from anywhere", path)
		}
		for _, outside := range []string{`src="http`, `href="http`, "googleapis"} {
			if strings.Contains(body, outside) {
				t.Errorf("%s has %q", path, outside)
			}
		}
	}
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	if response, body := open(t, nil).ask(t, "GET", "/debug/pprof/goroutine?debug=1", ""); response.StatusCode != 200 ||
		!strings.Contains(body, "goroutine profile") {
		t.Errorf("%d %.100s", response.StatusCode, body)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
