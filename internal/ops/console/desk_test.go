package console_test

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/shopspring/decimal"
	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/uptrace/bun"

	"causeway/chains"
	"causeway/chains/sandbox"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/ops/console"
	"causeway/internal/ops/onchain"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/web/panel"
	"causeway/internal/webhooks"
	"causeway/ledger"
	"causeway/migrations"
	"causeway/scheduler"
	"causeway/tasks"
	"causeway/workers"
	"causeway/workers/catalogue"
)

const password = "correct horse battery"

// seals are those of the payouts of every desk.
var seals = vault.NewSealer("payout", make([]byte, vault.KeySize))

// desk is a console on a database of the test's own, with workers driven by hand and one merchant.
type desk struct {
	t        *testing.T
	url      string
	db       *bun.DB
	store    *store.Store
	admin    *admin.Admin
	console  *console.Console
	workers  *workers.Workers
	chain    sandbox.Operator
	merchant uuid.UUID
	hook     string
	logged   *test.Hook
}

func open(t *testing.T) *desk {
	t.Helper()
	db := testkit.DB(t)
	s, safe := store.New(db), vault.New(make([]byte, vault.KeySize))
	acts := store.New(testkit.DBAs(t, migrations.OperatorRole))
	log := logrus.New()
	log.SetOutput(t.Output())
	log.SetLevel(logrus.DebugLevel)
	d := &desk{t: t, db: db, store: s, logged: test.NewLocal(log), chain: sandbox.Operator{DB: db},
		admin: &admin.Admin{Store: acts, Vault: safe, Actor: "the test"}}
	ethereum, _ := pay.NetworkNamed("Ethereum")
	must(t, sandbox.Genesis(t.Context(), db, sandbox.Funds, *ethereum))
	registry, err := chains.NewRegistry(sandbox.OpenAll(db, []pay.Network{*ethereum}, sandbox.Options{Signs: true})...)
	must(t, err)
	must(t, scheduler.Plan(t.Context(), s, []string{"Ethereum"}))
	d.workers = workers.New(workers.Options{Store: store.New(testkit.DBAs(t, migrations.DevRole)), Networks: registry, Bell: silent{}, Secrets: safe, Seals: seals, Log: log,
		Webhooks: webhooks.NewClient(webhooks.Options{AllowedHosts: []string{"127.0.0.1"}})})
	t.Cleanup(d.workers.Deliver.Webhooks.Close)
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	d.hook = receiver.URL + "/hook"
	m, err := d.admin.CreateMerchant(t.Context(), admin.NewMerchant{Name: "Shop & Sons", Verified: true})
	must(t, err)
	d.merchant = m.ID
	hot, _ := registry.Network("Ethereum")
	d.console = console.New(console.Deps{Store: acts, Vault: safe, Log: log, Networks: []console.Network{{Name: "Ethereum", Kind: "sandbox", Hot: hot.HotAddress()}},
		Panel: &panel.Deps{PayerPage: func(id uuid.UUID) string { return "https://pay.example/pay/" + id.String() },
			RequestPage: func(id uuid.UUID) string { return "https://pay.example/pay/request/" + id.String() },
			LinkPage:    func(slug string) string { return "https://pay.example/pay/link/" + slug },
			LogoPath:    func(hash string) string { return "https://pay.example/pay/look/" + hash + ".png" }},
		OnChain: &onchain.Operator{Desk: d.workers.Desk, Catalogue: new(catalogue.Catalogue)},
		Origin:  func(r *http.Request) string { return "at " + r.Header.Get("X-From") }})
	mux := http.NewServeMux()
	mux.Handle("/console/", d.console)
	mux.Handle("/queues/", d.console.Guard(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the queues") }),
		admin.RoleOperator))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	d.url = server.URL
	return d
}

// silent is a bell without a sound: the tests take due jobs themselves.
type silent struct{}

func (silent) Ring(context.Context, ...tasks.Job) error { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// operator makes an operator able to log in.
func (d *desk) operator(name, role string) {
	d.t.Helper()
	_, err := d.admin.CreateOperator(d.t.Context(), name, role, password)
	must(d.t, err)
}

// codes takes a TOTP secret into use and returns a function to make its codes. It confirms with the code of half a minute ago, so
// the present one is still good.
func (d *desk) codes(name string) func() string {
	d.t.Helper()
	offered, err := d.admin.OfferTOTP(d.t.Context(), name)
	must(d.t, err)
	at := func(t time.Time) string {
		code, err := totp.GenerateCode(offered.Secret, t)
		must(d.t, err)
		return code
	}
	_, err = d.admin.ConfirmTOTP(d.t.Context(), name, at(time.Now().Add(-30*time.Second)))
	must(d.t, err)
	return func() string { return at(time.Now().Add(30 * time.Second)) }
}

// round works on every job there is, a few times over.
func (d *desk) work() {
	d.t.Helper()
	for range 3 {
		_, err := d.db.NewRaw("update jobs set run_at = now() where kind not in ('reconcile', 'cleanup', 'prices.refresh', 'conditions.watch')").Exec(d.t.Context())
		must(d.t, err)
		due, err := d.store.TakeDue(d.t.Context(), nil, 1000, tasks.Visibility)
		must(d.t, err)
		for _, j := range due {
			must(d.t, d.workers.Do(d.t.Context(), tasks.Job{Kind: tasks.Kind(j.Kind), Ref: j.Ref, Attempt: j.Attempt}))
		}
	}
}

func (d *desk) mine(blocks int) {
	d.t.Helper()
	for range blocks {
		_, err := d.chain.Mine(d.t.Context(), "Ethereum", 1)
		must(d.t, err)
		d.work()
	}
}

// payin is 1000 USDT received by the merchant for good; it returns the payin and the transaction.
func (d *desk) payin() (*pay.Payin, string) {
	d.t.Helper()
	ctx := d.t.Context()
	n, _ := d.workers.Networks.Network("Ethereum")
	index, err := d.store.NextAddressIndex(ctx)
	must(d.t, err)
	address, err := n.Addresser.Derive(ctx, uint32(index))
	must(d.t, err)
	thousand := decimal.NewFromInt(1000)
	p := &pay.Payin{ID: uuid.Must(uuid.NewV7()), MerchantID: d.merchant, ReferenceID: "order-1", Wallet: address, Token: "USDT", Asset: "USDT",
		Network: "Ethereum", ProcessBy: pay.ByCrypto,
		Amount: thousand, FiatCurrency: "USD", MinimumPayment: decimal.NewFromInt(100), WebhookURL: d.hook, Status: pay.PayinPending,
		ExpiresAt: time.Now().Add(time.Hour)}
	_, err = d.store.AddPayin(ctx, p, &pay.Address{Family: n.Family, Match: n.Addresser.Match(address), Address: address, Position: index,
		PayinID: &p.ID})
	must(d.t, err)
	d.mine(8)
	txid, err := d.chain.Pay(ctx, sandbox.Payment{Network: "Ethereum", Token: "USDT", To: address, Amount: thousand})
	must(d.t, err)
	d.mine(4)
	return p, txid
}

func (d *desk) payout(reference, amount string) *pay.Payout {
	d.t.Helper()
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: d.merchant, KeyID: "key", ReferenceID: reference,
		Wallet: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", Token: "USDT", Asset: "USDT",
		Network: "Ethereum", ProcessBy: pay.ByCrypto, FiatCurrency: "USD", WebhookURL: d.hook}
	must(d.t, ledger.PayoutFees(p, dec(amount), 6))
	p.Seal = seals.Make(p.Sealed()...)
	out, err := d.store.RecordPayouts(d.t.Context(), []store.PayoutItem{{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}})
	must(d.t, err)
	if out[0].Outcome != "created" {
		d.t.Fatalf("the payout is %s", out[0].Outcome)
	}
	return p
}

// person is somebody with a browser without scripts.
type person struct {
	d    *desk
	http *http.Client
	from string
}

func (d *desk) person() *person {
	jar, err := cookiejar.New(nil)
	must(d.t, err)
	return &person{d, &http.Client{Jar: jar, Transport: http.DefaultTransport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, ""}
}

// ask returns a status, where it redirects to, and the body. Headers come in pairs.
func (p *person) ask(method, path string, form url.Values, headers ...string) (status int, to, body string) {
	p.d.t.Helper()
	request, err := http.NewRequestWithContext(p.d.t.Context(), method, p.d.url+path, strings.NewReader(form.Encode()))
	must(p.d.t, err)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	request.Header.Set("X-From", p.from)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	request.Close = true
	response, err := p.http.Do(request)
	must(p.d.t, err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	must(p.d.t, err)
	return response.StatusCode, response.Header.Get("Location"), string(content)
}

func (p *person) get(path string) (int, string) {
	p.d.t.Helper()
	status, _, body := p.ask(http.MethodGet, path, nil)
	return status, body
}

func (p *person) login(name, pass string) int {
	p.d.t.Helper()
	status, _, _ := p.ask(http.MethodPost, "/console/login", url.Values{"name": {name}, "password": {pass}})
	return status
}

var tokenForm = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// do sends a form as the page has it, and returns the next page.
func (p *person) do(path string, fields ...string) (int, string) {
	p.d.t.Helper()
	_, page := p.get("/console/")
	form := url.Values{"back": {"/console/operators"}}
	if found := tokenForm.FindStringSubmatch(page); found != nil {
		form.Set("csrf", found[1])
	}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	status, to, body := p.ask(http.MethodPost, "/console/"+path, form)
	if status == http.StatusSeeOther && strings.HasPrefix(to, "/console/") {
		_, body = p.get(to)
	}
	return status, body
}

// audited returns the audited acts, oldest first.
func (d *desk) audited() []string {
	d.t.Helper()
	var out []string
	must(d.t, d.db.NewRaw("select actor || ' ' || action from audit order by id").Scan(d.t.Context(), &out))
	return out
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }
