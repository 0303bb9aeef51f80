package panel_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"causeway/internal/people"
)

// cookie is the value of the session's cookie in the browser.
func (p *person) cookie() string {
	p.Helper()
	at, err := url.Parse(p.url)
	p.must(err)
	for _, k := range p.http.Jar.Cookies(at) {
		if k.Name == "causeway-panel" {
			return k.Value
		}
	}
	return ""
}

// thief is somebody who has read the cookie of a person's browser by now.
func (p *person) thief() *person {
	p.Helper()
	out := p.stranger(p.email)
	at, err := url.Parse(p.url)
	p.must(err)
	out.http.Jar.SetCookies(at, []*http.Cookie{{Name: "causeway-panel", Value: p.cookie(), Path: "/"}})
	if code, _ := out.get(""); code != http.StatusOK {
		p.Fatalf("the cookie shows %d", code)
	}
	return out
}

// in reports whether a browser shows the balances.
func (p *person) in() bool {
	p.Helper()
	code, _ := p.get("")
	return code == http.StatusOK
}

// TestACookieOfBeforeIsWorthless: a cookie that was known before a login, a code, a passkey or a new password opens nothing after it.
func TestACookieOfBeforeIsWorthless(t *testing.T) {
	t.Parallel()
	f := openAt(t, func(port string) string { return "http://localhost:" + port })
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	known := strings.Repeat("A", 43)
	fixed := f.stranger(ann.email)
	at, err := url.Parse(f.url)
	f.must(err)
	fixed.http.Jar.SetCookies(at, []*http.Cookie{{Name: "causeway-panel", Value: known, Path: "/"}})
	if fixed.login(password); fixed.cookie() == known || !fixed.in() {
		t.Error("a login goes on with a cookie that somebody has set")
	}
	thief := ann.thief()
	code := ann.newCode()
	if thief.in() || !ann.in() || fixed.in() {
		t.Errorf("after a code was set up: the thief %v, the person %v, the other browser %v", thief.in(), ann.in(), fixed.in())
	}
	fixed.login(password)
	waiting := fixed.cookie()
	if got, _, _ := fixed.ask(http.MethodPost, "login/code", url.Values{"code": {code()}}); got != http.StatusSeeOther || fixed.cookie() == waiting {
		t.Errorf("the code is answered %d, with the same cookie %v", got, fixed.cookie() == waiting)
	}
	thief = fixed.thief()
	if _, page := fixed.do("account/password", "old", password, "new", password+"2"); fixed.in() || thief.in() || ann.in() {
		t.Errorf("a new password leaves logins: %s", page)
	}
}

// TestANewPasswordEndsLinks: a link for a new password is good no more once its person has set one.
func TestANewPasswordEndsLinks(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	made, err := f.admin.ResetPerson(t.Context(), ann.email)
	f.must(err)
	at := strings.TrimPrefix(made.Path, "/panel/")
	if code, _ := f.stranger("thief").get(at); code != http.StatusOK {
		t.Fatalf("the link shows %d", code)
	}
	ann.do("account/password", "old", password, "new", password+"2")
	_, token, _ := strings.Cut(at, "token=")
	if code, _, _ := f.stranger("thief").ask(http.MethodPost, "reset", url.Values{"token": {token}, "password": {"the thief's own"}}); code != http.StatusNotFound {
		t.Errorf("the link is answered %d", code)
	}
}
