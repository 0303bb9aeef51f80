package panel_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/pquerna/otp/totp"
	"github.com/sirupsen/logrus"
	"github.com/uptrace/bun"

	"causeway/api"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/vault"
	"causeway/internal/web/panel"
	"causeway/migrations"
)

const password = "correct horse battery"

// floor is a panel on a database of the test's own, acting as the API's role, with two merchants.
type floor struct {
	*testing.T
	url   string
	db    *bun.DB
	admin *admin.Admin
	shop  uuid.UUID
	other uuid.UUID

	address string // as people reach it

	withdrawals *fakeWithdrawals
	panelStore  *store.Store // of the panel: with the rights of the API's role
	asked       counted      // the panel's statements to the database
}

// counted counts the statements of a database.
type counted struct{ n atomic.Int64 }

func (c *counted) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context {
	c.n.Add(1)
	return ctx
}

func (*counted) AfterQuery(context.Context, *bun.QueryEvent) {}

// visitors have no quota; an origin is a header.
type visitors struct{}

func (visitors) Origin(r *http.Request) string { return "at " + r.Header.Get("X-From") }

func (visitors) Spend(r *http.Request) time.Duration {
	if r.Header.Get("X-Too-Many") != "" {
		return time.Minute
	}
	return 0
}

func open(t *testing.T) *floor {
	t.Helper()
	return openAt(t, func(string) string { return "https://pay.example" })
}

// openAt is open at the address that people reach, made of the port that the panel listens on.
func openAt(t *testing.T, address func(port string) string) *floor {
	t.Helper()
	db := testkit.DB(t)
	safe := vault.New(make([]byte, vault.KeySize))
	log := logrus.New()
	log.SetOutput(t.Output())
	f := &floor{T: t, db: db, withdrawals: newFakeWithdrawals(), admin: &admin.Admin{Store: store.New(testkit.DBAs(t, migrations.OperatorRole)), Vault: safe, Actor: "the operator"}}
	f.shop, f.other = f.merchant("Shop & Sons"), f.merchant("Other")
	f.panelStore = store.New(testkit.DBAs(t, migrations.APIRole).WithQueryHook(&f.asked))
	server := httptest.NewUnstartedServer(nil)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	f.must(err)
	f.address = address(port)
	server.Config.Handler = panel.New(panel.Deps{Store: f.panelStore, Vault: safe, Visitors: visitors{}, Log: log,
		Payable: func(_, address string) (string, error) {
			if len(address) < 20 {
				return "this is no address", nil
			}
			return "", nil
		},
		Deposits: fakeDeposits{f}, PayerPage: func(id uuid.UUID) string { return "https://pay.example/pay/" + id.String() },
		Withdrawals: f.withdrawals, Refunds: refundsOf(f.panelStore), Address: f.address,
		Requests: fakeRequests{f.panelStore}, RequestPage: func(id uuid.UUID) string { return "https://pay.example/pay/request/" + id.String() },
		EmbedScript: "https://pay.test/pay/embed.js", EmbedPinned: "https://pay.test/pay/files/abc/embed.js",
		LogoPath: func(hash string) string { return "/pay/look/" + hash + ".png" },
		Links:    fakeLinks{f.panelStore}, LinkPage: func(slug string) string { return "https://pay.example/pay/link/" + slug },
		WebhooksKept: 30,
		Redeliver: func(ctx context.Context, merchant, delivery uuid.UUID, actor string) (panel.Redelivery, error) {
			again, err := (&api.Deliveries{Store: f.panelStore}).Again(ctx, merchant, delivery, actor)
			if err != nil || again.Delivery == nil {
				return panel.Redelivery{Wait: again.Wait}, err
			}
			return panel.Redelivery{ID: again.Delivery.ID, Already: again.Already}, nil
		},
		Receivers: func(_ context.Context, url string) (string, error) {
			if strings.Contains(url, "refused") {
				return "not_public", nil
			}
			return "", nil
		}})
	server.Start()
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *floor) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

func (f *floor) merchant(name string) uuid.UUID {
	f.Helper()
	m, err := f.admin.CreateMerchant(f.Context(), admin.NewMerchant{Name: name, Verified: true, PreferredFiat: "EUR"})
	f.must(err)
	return m.ID
}

// person is somebody with a browser without scripts.
type person struct {
	*floor
	email string
	http  *http.Client
	from  string
}

func (f *floor) stranger(email string) *person {
	jar, err := cookiejar.New(nil)
	f.must(err)
	return &person{f, email, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, "home"}
}

// member is a person of a merchant, logged in.
func (f *floor) member(merchant uuid.UUID, email, role string) *person {
	f.Helper()
	p := f.stranger(email)
	if code, _ := p.accept(f.invited(merchant, email, role)); code != http.StatusSeeOther {
		f.Fatalf("accepting is answered %d", code)
	}
	if code := p.login(password); code != http.StatusSeeOther {
		f.Fatalf("the login is answered %d", code)
	}
	return p
}

// invited returns the token of a new link.
func (f *floor) invited(merchant uuid.UUID, email, role string) string {
	f.Helper()
	made, err := f.admin.InvitePerson(f.Context(), merchant, email, role)
	f.must(err)
	_, token, _ := strings.Cut(made.Path, "token=")
	return token
}

func (p *person) accept(token string) (int, string) {
	p.Helper()
	code, _, body := p.ask(http.MethodPost, "invitation", url.Values{"token": {token}, "name": {"Ann of " + p.email}, "password": {password}})
	return code, body
}

func (p *person) login(pass string) int {
	p.Helper()
	code, _, _ := p.ask(http.MethodPost, "login", url.Values{"email": {p.email}, "password": {pass}})
	return code
}

// ask returns a status, where it redirects to, and the body. Headers come in pairs.
func (p *person) ask(method, path string, form url.Values, headers ...string) (code int, to, body string) {
	p.Helper()
	if form != nil {
		headers = append(headers, "Content-Type", "application/x-www-form-urlencoded")
	}
	return p.raw(method, path, strings.NewReader(form.Encode()), headers...)
}

// raw is ask with any body.
func (p *person) raw(method, path string, content io.Reader, headers ...string) (code int, to, body string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method, p.url+"/panel/"+path, content)
	p.must(err)
	request.Header.Set("X-From", p.from)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	request.Close = true
	response, err := p.http.Do(request)
	p.must(err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	p.must(err)
	return response.StatusCode, response.Header.Get("Location"), string(answer)
}

func (p *person) get(path string) (int, string) {
	p.Helper()
	code, _, body := p.ask(http.MethodGet, path, nil)
	return code, body
}

var tokenForm = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// csrf is the token of the forms that the person sees now.
func (p *person) csrf() string {
	p.Helper()
	_, page := p.get("account")
	found := tokenForm.FindStringSubmatch(page)
	if found == nil {
		p.Fatalf("no form on %s", page)
	}
	return found[1]
}

// do sends a form with its token; fields come in pairs. It returns the answer, and the next page where the answer leads to one.
func (p *person) do(path string, fields ...string) (int, string) {
	p.Helper()
	code, to := p.post(path, fields...)
	if code == http.StatusSeeOther {
		_, to = p.get(strings.TrimPrefix(to, "/panel/"))
	}
	return code, to
}

// post is do without the next page: it returns where the answer leads to, or its page.
func (p *person) post(path string, fields ...string) (code int, to string) {
	p.Helper()
	form := url.Values{"csrf": {p.csrf()}, "back": {"/panel/"}}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	code, to, body := p.ask(http.MethodPost, path, form)
	if code != http.StatusSeeOther {
		return code, body
	}
	return code, to
}

var secretShown = regexp.MustCompile(`data-copy="([A-Z2-7]{32})"`)

// coded takes a login code into use a day ago; the returned function makes a code that is still good.
func (p *person) coded() func() string {
	p.Helper()
	code := p.newCode()
	p.settle(p.email)
	return code
}

// settle makes a person's code a day older.
func (f *floor) settle(email string) {
	f.Helper()
	_, err := f.db.NewRaw("update people set coded_at = coded_at - interval '1 day' where email = ?", email).Exec(f.Context())
	f.must(err)
}

// newCode takes a login code into use now.
func (p *person) newCode() func() string {
	p.Helper()
	_, page := p.get("account")
	found := secretShown.FindStringSubmatch(page)
	if found == nil {
		p.Fatalf("no secret on %s", page)
	}
	at := func(t time.Time) string {
		code, err := totp.GenerateCode(found[1], t)
		p.must(err)
		return code
	}
	const tries = 5 // on a slow machine a code is too old by the time it is checked
	for try := 1; ; try++ {
		code, body := p.do("account/code", "password", password, "code", at(time.Now().Add(-30*time.Second)))
		if strings.Contains(body, "logging in also takes a code") {
			break
		}
		if try == tries {
			p.Fatalf("the code is answered %d %s", code, body)
		}
	}
	step := -1
	return func() string { step++; return at(time.Now().Add(time.Duration(step) * 30 * time.Second)) }
}

// audited returns the audited acts of a merchant's people, oldest first.
func (f *floor) audited(merchant uuid.UUID) (out []string) {
	f.Helper()
	rows, err := f.admin.Store.AuditOfMerchant(f.Context(), merchant, 0, 1000)
	f.must(err)
	for i := len(rows) - 1; i >= 0; i-- {
		out = append(out, rows[i].Actor+" "+rows[i].Action)
	}
	return out
}
