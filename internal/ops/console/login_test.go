package console_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"causeway/internal/ops/admin"
)

// Without a login there is nothing but the login, and it leads back to the requested page and nowhere else.
//
// Covers operator §Console: Once there is an operator
func TestNothingWithoutLogin(t *testing.T) {
	t.Parallel()
	d := open(t)
	p := d.person()
	if status, _ := p.get("/queues/"); status != http.StatusOK {
		t.Errorf("before there are operators, the queues answer %d", status)
	}
	if _, body := p.get("/console/login"); !strings.Contains(body, "causeway admin operator create") {
		t.Error("a new installation does not say how to make the first operator")
	}
	d.operator("ann", admin.RoleViewer)
	for path, login := range map[string]string{"/console/": "/console/login?to=%2Fconsole%2F",
		"/console/payouts?status=sent": "/console/login?to=%2Fconsole%2Fpayouts%3Fstatus%3Dsent", "/queues/": "/console/login?to=%2Fqueues%2F"} {
		if status, to, body := p.ask(http.MethodGet, path, nil); status != http.StatusSeeOther || to != login || strings.Contains(body, "Shop") {
			t.Errorf("%s answers %d to %s", path, status, to)
		}
	}
	if status, _, _ := p.ask(http.MethodGet, "/queues/api/queues", nil); status != http.StatusUnauthorized {
		t.Errorf("a program is answered %d", status)
	}
	if status, _, _ := p.ask(http.MethodPost, "/console/operators", url.Values{"name": {"eve"}}); status != http.StatusUnauthorized {
		t.Errorf("an act is answered %d", status)
	}
	for to, want := range map[string]string{"/queues/": "/queues/", "https://evil.test/": "/console/", "//evil.test/": "/console/",
		"/\\evil.test": "/console/", "javascript:alert(1)": "/console/"} {
		_, got, _ := p.ask(http.MethodPost, "/console/login", url.Values{"name": {"ann"}, "password": {password}, "to": {to}})
		if got != want {
			t.Errorf("a login for %q leads to %q", to, got)
		}
	}
}

// Only the right password lets in, and a guess does not show whether there is such a name.
//
// Covers operator §Console: Ten failed logins
func TestPasswordsAndTheirLimits(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.operator("gone", admin.RoleViewer)
	_, err := d.admin.DisableOperator(t.Context(), "gone")
	must(t, err)
	p := d.person()
	var answers []string
	for _, try := range [][2]string{{"ann", "wrong password"}, {"nobody", "wrong password"}, {"gone", password}, {"ann", ""},
		{"ann", strings.Repeat("x", 10_000)}} {
		status, _, body := p.ask(http.MethodPost, "/console/login", url.Values{"name": {try[0]}, "password": {try[1]}})
		if status != http.StatusUnauthorized {
			t.Errorf("%s is answered %d", try[0], status)
		}
		answers = append(answers, strings.ReplaceAll(body, `value="`+try[0]+`"`, ""))
	}
	if len(slices.Compact(answers)) != 1 {
		t.Error("the answers differ, and tell what was wrong")
	}
	if p.login("ann", password) != http.StatusSeeOther {
		t.Error("the right password does not let in")
	}
	guesser, fresh := d.person(), d.person()
	guesser.from, fresh.from = "elsewhere", "where ann never was"
	for range 10 {
		guesser.login("ann", "guess guess")
	}
	if status := fresh.login("ann", password); status != http.StatusTooManyRequests {
		t.Errorf("after ten failures under a name, the right password is answered %d", status)
	}
	for i := range 15 {
		guesser.login("somebody"+strconv.Itoa(i), "guess guess")
	}
	d.operator("bob", admin.RoleViewer)
	if status := guesser.login("bob", password); status != http.StatusTooManyRequests {
		t.Errorf("after twenty failures from a place, another name is answered %d", status)
	}
	if status := d.person().login("bob", password); status != http.StatusSeeOther {
		t.Errorf("from another place, bob is answered %d", status)
	}
}

// Guesses of an operator's password keep the operator out only from addresses where the operator never was.
//
// Covers operator §Console: Ten failed logins
func TestAnOperatorIsNotKeptOutByGuessesElsewhere(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.operator("bob", admin.RoleViewer)
	at := func(place string) *person {
		p := d.person()
		p.from = place
		return p
	}
	if at("home").login("ann", password) != http.StatusSeeOther {
		t.Fatal("the right password does not let in")
	}
	for i := range 12 {
		at(strconv.Itoa(i)).login("ann", "guess guess")
	}
	if status := at("home").login("ann", password); status != http.StatusSeeOther {
		t.Errorf("after failures elsewhere, ann is answered %d at home", status)
	}
	for range 10 {
		at("home").login("ann", "guess guess")
	}
	if status := at("home").login("ann", password); status != http.StatusTooManyRequests {
		t.Errorf("after ten failures at home, ann is answered %d", status)
	}
	for i := range 12 {
		at(strconv.Itoa(i)).login("bob", "guess guess")
	}
	if status := at("home").login("bob", password); status != http.StatusTooManyRequests {
		t.Errorf("bob, who was never at ann's home, is answered %d", status)
	}
	for name, place := range map[string]string{"ann": "long ago", "bob": "somewhere"} {
		_, err := d.db.NewRaw(`insert into audit (at, actor, action, subject, after) values (now() - interval '31 days', ?, 'operator.login', ?,
			jsonb_build_object('from', ?::text))`, name, "operator:"+name, "at "+place).Exec(t.Context())
		must(t, err)
		if status := at(place).login(name, password); status != http.StatusTooManyRequests {
			t.Errorf("a month after a login there, %s is answered %d", name, status)
		}
	}
}

// Many guesses at once are no more than one after the other, and a right login does not count.
func TestGuessesAtOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	for range 12 {
		if d.person().login("ann", password) != http.StatusSeeOther {
			t.Fatal("a right login counts as a failure")
		}
	}
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			p := d.person()
			p.from = strconv.Itoa(i)
			status := p.login("ann", "guess guess")
			mu.Lock()
			defer mu.Unlock()
			answers[status]++
		})
	}
	all.Wait()
	if answers[http.StatusUnauthorized] > 10 || answers[http.StatusUnauthorized]+answers[http.StatusTooManyRequests] != 40 {
		t.Errorf("answers %v", answers)
	}
}

// Odd input is no failure of ours.
func TestOddInputIsNo500(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	p := d.person()
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", 5000), "Ann"} {
		if status := p.login(name, password); status != http.StatusUnauthorized {
			t.Errorf("the name %.10q is answered %d", name, status)
		}
	}
	p.login("ann", password)
	for path, want := range map[string]int{
		"search?q=%00%ff": http.StatusOK, "search?q=%25_%5C%27%22%3Cb%3E": http.StatusOK, "payouts/%00": http.StatusNotFound,
		"payouts/%27":    http.StatusNotFound,
		"payins/nothing": http.StatusNotFound, "merchants/1": http.StatusNotFound,
		"payouts?below=nothing&merchant=nothing&status=nothing&network=%00": http.StatusOK,
		"webhooks?below=-1": http.StatusOK, "webhooks?status=nothing": http.StatusNotFound, "audit?below=99999999999999999999": http.StatusOK,
		"tokens/USDT/Mars": http.StatusNotFound,
		"files/page.html":  http.StatusNotFound, "files/x/page.html": http.StatusNotFound,
	} {
		if status, body := p.get("/console/" + path); status != want || strings.Contains(body, "<b>") && strings.Contains(path, "search") {
			t.Errorf("/console/%s is answered %d", path, status)
		}
	}
	if status, said := p.do("merchants/"+d.merchant.String()+"/limits", "unit", "\x00", "above", "1e9"); status != http.StatusSeeOther ||
		!strings.Contains(said, "not a plain number") {
		t.Errorf("an odd limit is answered %d", status)
	}
}

// With a code, a password alone opens nothing, and a code is good once.
//
// Covers operator §Console: Operators log in by name
func TestACodeIsNeededAndGoodOnce(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	code := d.codes("ann")()
	p := d.person()
	if p.login("ann", password) != http.StatusSeeOther {
		t.Fatal("the password is refused")
	}
	if status, _ := p.get("/console/payouts"); status != http.StatusSeeOther {
		t.Errorf("the password alone is answered %d", status)
	}
	if status, _ := p.get("/queues/"); status != http.StatusSeeOther {
		t.Errorf("the password alone opens the queues: %d", status)
	}
	for given, want := range map[string]int{"000000": http.StatusUnauthorized, "": http.StatusUnauthorized, "12345a": http.StatusUnauthorized} {
		if status, _, _ := p.ask(http.MethodPost, "/console/login/code", url.Values{"code": {given}}); status != want {
			t.Errorf("code %q is answered %d", given, status)
		}
	}
	if status, to, _ := p.ask(http.MethodPost, "/console/login/code", url.Values{"code": {code}}); status != http.StatusSeeOther ||
		to != "/console/" {
		t.Fatalf("the code is answered %d to %s", status, to)
	}
	if status, _ := p.get("/console/payouts"); status != http.StatusOK {
		t.Errorf("after the code: %d", status)
	}
	thief := d.person()
	thief.login("ann", password)
	if status, _, _ := thief.ask(http.MethodPost, "/console/login/code", url.Values{"code": {code}}); status != http.StatusUnauthorized {
		t.Errorf("the same code again is answered %d", status)
	}
	_, err := d.admin.DropTOTP(t.Context(), "ann")
	must(t, err)
	if status, _ := p.get("/console/payouts"); status != http.StatusSeeOther {
		t.Errorf("without the lost device, the old login goes on: %d", status)
	}
}

// A login ends when its time is over, when it is ended, when the password changes and when the operator may no more.
//
// Covers operator §Console: A login ends
func TestLoginsEnd(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *desk, p *person){
		"idle": func(d *desk, _ *person) {
			d.exec("update operator_sessions set seen_at = now() - interval '31 minutes'")
		},
		"its time": func(d *desk, _ *person) {
			d.exec("update operator_sessions set created_at = now() - interval '13 hours'")
		},
		"logout": func(_ *desk, p *person) { p.do("logout") },
		"password": func(d *desk, _ *person) {
			_, err := d.admin.SetOperatorPassword(d.t.Context(), "ann", "another password")
			must(d.t, err)
		},
		"disabled": func(d *desk, _ *person) {
			_, err := d.admin.DisableOperator(d.t.Context(), "ann")
			must(d.t, err)
		},
		"no cookie": func(_ *desk, p *person) { p.http.Jar = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := open(t)
			d.operator("ann", admin.RoleViewer)
			p := d.person()
			p.login("ann", password)
			if status, _ := p.get("/console/payouts"); status != http.StatusOK {
				t.Fatalf("logged in: %d", status)
			}
			end(d, p)
			if status, _ := p.get("/console/payouts"); status != http.StatusSeeOther {
				t.Errorf("afterwards: %d", status)
			}
		})
	}
}

func (d *desk) exec(sql string, args ...any) {
	d.t.Helper()
	_, err := d.db.NewRaw(sql, args...).Exec(d.t.Context())
	must(d.t, err)
}

// The cookie is out of reach of scripts and of other sites, and behind TLS it goes nowhere else.
func TestCookies(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	for proto, want := range map[string][]string{"": {"causeway-console=", "HttpOnly", "SameSite=Strict", "Path=/"},
		"https": {"__Host-causeway-console=", "HttpOnly", "SameSite=Strict", "Secure", "Path=/"}} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url+"/console/login",
			strings.NewReader(url.Values{"name": {"ann"}, "password": {password}}.Encode()))
		must(t, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("X-Forwarded-Proto", proto)
		request.Close = true
		response, err := http.DefaultTransport.RoundTrip(request)
		must(t, err)
		_ = response.Body.Close()
		set := response.Header.Get("Set-Cookie")
		for _, part := range want {
			if !strings.Contains(set, part) {
				t.Errorf("over %q the cookie is %q, without %s", proto, set, part)
			}
		}
		token, _, _ := strings.Cut(strings.SplitN(set, "=", 2)[1], ";")
		var kept int
		must(t, d.db.NewRaw("select count(*) from operator_sessions where encode(hash, 'escape') like '%' || ? || '%'", token).
			Scan(t.Context(), &kept))
		if kept != 0 {
			t.Error("the cookie itself is in the database")
		}
	}
}

// An act needs the token of its page, comes from our own pages, and takes a role; each is audited under its operator.
//
// Covers operator §Console: A viewer looks
// Covers operator §Console: Every act is one that
func TestActsAreGuarded(t *testing.T) {
	t.Parallel()
	d := open(t)
	for _, role := range admin.Roles {
		d.operator(role, role)
	}
	people := map[string]*person{}
	for _, role := range admin.Roles {
		people[role] = d.person()
		people[role].login(role, password)
	}
	boss := people[admin.RoleAdmin]
	if status, _, _ := boss.ask(http.MethodPost, "/console/operators",
		url.Values{"name": {"eve"}, "role": {"admin"}, "password": {password}}); status != http.StatusForbidden {
		t.Errorf("without a token: %d", status)
	}
	if status, _, _ := boss.ask(http.MethodPost, "/console/operators", url.Values{}, "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
		t.Errorf("from another site: %d", status)
	}
	if status, _, _ := d.person().ask(http.MethodPost, "/console/login", url.Values{"name": {"admin"}, "password": {password}}, "Origin",
		"https://evil.test"); status != http.StatusForbidden {
		t.Errorf("a login from another site: %d", status)
	}
	for role, want := range map[string]int{admin.RoleViewer: http.StatusForbidden, admin.RoleOperator: http.StatusForbidden,
		admin.RoleAdmin: http.StatusSeeOther} {
		if status, _ := people[role].do("operators", "name", "new-"+role, "role", "viewer", "password", password); status != want {
			t.Errorf("a %s makes an operator: %d", role, status)
		}
	}
	for role, want := range map[string]int{admin.RoleViewer: http.StatusForbidden, admin.RoleOperator: http.StatusOK} {
		if status, _, _ := people[role].ask(http.MethodPost, "/queues/api/pause", url.Values{}); status != want {
			t.Errorf("a %s changes a queue: %d", role, status)
		}
	}
	got := d.audited()
	for _, want := range []string{"viewer operator.login", "admin operator.login", "admin operator.create"} {
		if !slices.Contains(got, want) {
			t.Errorf("the audit lacks %q: %q", want, got)
		}
	}
	if _, err := d.admin.VerifyAudit(t.Context(), 0, ""); err != nil {
		t.Error(err)
	}
}

// The page tells the result when an operator is disabled and enabled again; either is refused the second time.
func TestOperatorsAreDisabledAndEnabled(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.operator("boss", admin.RoleAdmin)
	boss := d.person()
	boss.login("boss", password)
	for _, step := range [][2]string{{"enable", "operator ann is not disabled"}, {"disable", "ann was disabled and logged out."},
		{"disable", "operator ann is disabled already"}, {"enable", "ann can log in again."}} {
		if _, page := boss.do("operators/ann/" + step[0]); !strings.Contains(page, step[1]) {
			t.Errorf("%s does not say %q: %s", step[0], step[1], page)
		}
	}
}
