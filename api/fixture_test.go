package api

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"github.com/uptrace/bun"

	"causeway/client"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/migrations"
)

// shop is where a test of the API begins: a merchant with a key of every scope, at a front with every operation, on the test's
// own database and Redis. All traffic of the front is held against the OpenAPI document.
//
//	s := newShop(t, holding("100"))               // the merchant has 100 USDT
//	s.payOut(item("salary-1")).is(t, 200, "")     // POST /v1/payout, rehearsed by a dry run
//	status, body := s.payin("network", `"Tron"`)  // POST /v1/payin, with one field changed
//	s.get("/v1/list-payout").wants(t, map[string]any{"meta.total": 1, "payments.0.status": "pending"})
//	s.ask("GET", "/v1/list-payout?page=x", "").is(t, 400, "invalid_format")
//
// A change of deps has its effect in the next front returned by open.
type shop struct {
	t          testing.TB
	db         *bun.DB
	store      *store.Store
	deps       Deps
	operations *Operations
	front      http.Handler
	merchant   uuid.UUID
	keyID      string
	key        string

	deriver *fakeDeriver     // makes the addresses of payins and wallets
	rung    *rungJobs        // by payouts
	log     *strings.Builder // as written by the front

	alone  bool // payOut makes no dry run before
	echoes bool // see echoing

	mu  sync.Mutex
	now time.Time // stands still but for wait
}

// option says how a shop differs from the usual one.
type option func(*options)

type options struct {
	db        *bun.DB
	usdt      string
	echoes    bool
	addresses networkAddresses
}

// echoing has four stand-ins for operations, answering with the request they see (answer.body). It is for the steps before an
// operation: keys, signatures, quotas, routes. Only refusals are held against the document.
func echoing(o *options) { o.echoes = true }

// holding gives the merchant USDT, final at once.
func holding(usdt string) option { return func(o *options) { o.usdt = usdt } }

// on is for a test with a further database, or a pool of its own.
func on(db *bun.DB) option { return func(o *options) { o.db = db } }

// knowing puts real addresses in the place of the fakes.
func knowing(addresses networkAddresses) option {
	return func(o *options) { o.addresses = addresses }
}

// newShop makes the shop at the beginning of nearly every test of this package.
func newShop(t testing.TB, changes ...option) *shop {
	var o options
	for _, change := range changes {
		change(&o)
	}
	acts := o.db
	if o.db == nil {
		o.db, acts = testkit.DB(t), testkit.DBAs(t, migrations.APIRole)
	}
	s := &shop{
		t: t, db: o.db, store: store.New(acts), echoes: o.echoes, log: new(strings.Builder), now: time.Now().Truncate(time.Second),
		deriver: &fakeDeriver{}, rung: &rungJobs{},
	}
	log := logrus.New()
	log.SetOutput(s.log)
	s.deps = Deps{
		Keys:     NewCallers(s.store),
		Vault:    vault.New(make([]byte, vault.KeySize)),
		Redis:    testkit.Redis(t),
		Quota:    Quota{Requests: 1_000_000, Window: time.Minute},
		Failures: FailureRule{Failures: 10, Within: 5 * time.Minute, Block: 15 * time.Minute},
		Log:      log,
		Now:      s.clock,
	}
	s.operations = s.everyOperation(o.addresses)
	s.deps.Routes = s.operations.Routes()
	if s.echoes {
		s.deps.Routes = echoes()
	}
	s.front = s.open()
	s.keyID, s.key = s.newKey()
	s.merchant = s.merchantOf(s.keyID)
	if o.usdt != "" {
		s.fund(s.merchant, "USDT", o.usdt)
	}
	return s
}

// everyOperation has the wiring of cmd/causeway; addresses are fakes when nil.
func (s *shop) everyOperation(addresses networkAddresses) *Operations {
	var payable Addresses = fakeAddresses{}
	var deriver Deriver = s.deriver
	if addresses != nil {
		payable, deriver = addresses, addresses
	}
	catalogues, urls := NewCatalogues(s.store, s.clock), webhooks.NewURLPolicy([]string{"hooks.test"}, nil)
	o := &Operations{
		Payouts: Payouts{Store: s.store, Catalogues: catalogues, Recorder: NewRecorder(s.store, s.rung, nil),
			Addresses: payable, URLs: urls, Seals: vault.NewSealer("payout", make([]byte, vault.KeySize))},
		Payins:     Payins{Store: s.store, Catalogues: catalogues, Addresses: deriver, URLs: urls, Credits: creditRules{}},
		Queries:    Queries{Store: s.store, Catalogues: catalogues},
		Wallets:    Wallets{Store: s.store, Catalogues: catalogues, Addresses: deriver, URLs: urls},
		Deliveries: Deliveries{Store: s.store},
		Quotes:     Quotes{Catalogues: catalogues},
	}
	o.Requests = Requests{Payins: &o.Payins}
	o.Links = Links{Requests: &o.Requests}
	o.Refunds = Refunds{Payouts: &o.Payouts}
	return o
}

// echoes are stand-ins for an operation of each kind: with a parameter, idempotent, and of different scopes.
func echoes() []Route {
	echo := func(c *Call) error {
		remembered := ""
		if m := c.Caller.Remembered; m != nil {
			remembered = string(m.Body)
		}
		reference, _ := c.Param("reference")
		return c.JSON(http.StatusOK, map[string]any{
			"reference": reference, "q": c.Query("q"), "body": string(c.Body), "merchant": c.Caller.Merchant.ID,
			"idempotency": c.IdempotencyKey, "remembered": remembered, "ip": c.IP.String(),
		})
	}
	return []Route{
		{Method: "GET", Path: "/v1/balances", Scope: pay.ScopeBalancesRead, Handler: echo},
		{Method: "GET", Path: "/v1/check-payin/:reference", Scope: pay.ScopePayinRead, Handler: echo},
		{Method: "POST", Path: "/v1/payin", Scope: pay.ScopePayinWrite, Handler: echo},
		{Method: "POST", Path: "/v1/payout", Scope: pay.ScopePayoutWrite, Idempotent: true, Handler: echo},
	}
}

// open is a front of the shop as its deps are now. A benchmark has it without the document.
func (s *shop) open() http.Handler {
	s.t.Helper()
	front := New(s.deps)
	if _, benchmark := s.t.(*testing.B); benchmark {
		return front
	}
	if s.echoes {
		return loadTraffic(s.t).Refusals(s.t, front)
	}
	return loadTraffic(s.t).Handler(s.t, front)
}

// client is the Go client with the shop's key, requiring signed requests from now on. Traffic is checked on both ends.
func (s *shop) client() *client.Client {
	s.t.Helper()
	server := httptest.NewServer(s.open())
	s.t.Cleanup(server.Close)
	s.exec("update keys set signs = true where id = ?", s.keyID)
	c, err := client.New(client.Config{BaseURL: server.URL, Key: s.key, SigningSecret: signingSecret, Now: s.clock, Retries: -1,
		HTTP: &http.Client{Transport: loadTraffic(s.t).Transport(s.t, http.DefaultTransport)}})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// ask sends one request with the merchant's key; headers come in pairs.
func (s *shop) ask(method, target, body string, headers ...string) answer {
	s.t.Helper()
	r := request(method, target, s.key, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return ask(s.t, s.front, r)
}

// call is ask for tests reading the body alone.
func (s *shop) call(method, target, body string) (status int, decoded reply) {
	s.t.Helper()
	a := s.ask(method, target, body)
	return a.status, decodeReply(s.t, a.text)
}

// get returns the body of a GET and fails the test without 200.
func (s *shop) get(target string) reply {
	s.t.Helper()
	status, body := s.call(http.MethodGet, target, "")
	if status != http.StatusOK {
		s.t.Fatalf("GET %s: %d %v", target, status, body)
	}
	return body
}

// payOut sends a body to /v1/payout, such as an item or a batchOf them. Without headers, and unless the shop is alone, a dry run
// before must have said the same (rehearsed).
func (s *shop) payOut(body string, headers ...string) answer {
	s.t.Helper()
	if s.alone || len(headers) > 0 {
		return s.ask(http.MethodPost, "/v1/payout", body, headers...)
	}
	compare := s.rehearsed(body)
	a := s.ask(http.MethodPost, "/v1/payout", body)
	compare(a)
	return a
}

func (s *shop) clock() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// wait lets time pass at the front.
func (s *shop) wait(step time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(step)
}

// newKey makes a further merchant with a key of every scope; changes are applied to the key's row, such as "signs = true".
func (s *shop) newKey(changes ...string) (id, key string) {
	s.t.Helper()
	merchant := uuid.Must(uuid.NewV7())
	s.exec(`insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'x')`, merchant)
	id, key = s.deps.Vault.NewAPIKey()
	sealed := s.deps.Vault.Seal([]byte(signingSecret), vault.SigningSecretPlace(id))
	s.exec(`insert into keys (id, merchant_id, hash, scopes, signing_secret) values (?, ?, ?, string_to_array(?, ','), ?)`,
		id, merchant, s.deps.Vault.Hash(key), strings.Join(pay.Scopes, ","), sealed)
	for _, change := range changes {
		s.exec(`update keys set `+change+` where id = ?`, id)
	}
	return id, key
}

func (s *shop) merchantOf(keyID string) (id uuid.UUID) {
	s.t.Helper()
	s.read(&id, "select merchant_id from keys where id = ?", keyID)
	return id
}

// fund credits a merchant, final at once.
func (s *shop) fund(merchant uuid.UUID, asset, amount string) {
	s.t.Helper()
	transfer := &pay.Transfer{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Amount: decimal.RequireFromString(amount)}
	if _, err := ledger.Post(s.t.Context(), s.db, ledger.UnclaimedAssigned(merchant, asset, transfer)); err != nil {
		s.t.Fatal(err)
	}
}

// balance is the merchant's available balance.
func (s *shop) balance(asset string) string {
	s.t.Helper()
	balances, err := ledger.Balances(s.t.Context(), s.db, s.merchant)
	if err != nil {
		s.t.Fatal(err)
	}
	return balances[asset].Available.String()
}

// exec changes the database behind the front's back.
func (s *shop) exec(query string, args ...any) {
	s.t.Helper()
	if _, err := s.db.ExecContext(s.t.Context(), query, args...); err != nil {
		s.t.Fatal(err)
	}
}

// count returns a number from the database.
func (s *shop) count(query string, args ...any) (n int) {
	s.t.Helper()
	s.read(&n, query, args...)
	return n
}

func (s *shop) read(into any, query string, args ...any) {
	s.t.Helper()
	if err := s.db.NewRaw(query, args...).Scan(s.t.Context(), into); err != nil {
		s.t.Fatal(err)
	}
}
