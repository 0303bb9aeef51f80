package panel_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"causeway/internal/people"
)

// With a code in use, the password alone opens nothing, a code is good once, and the cookie of the password is no session.
func TestLoginWithACode(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	code := ann.coded()
	again := f.stranger(ann.email)
	if got := again.login(password); got != http.StatusSeeOther {
		t.Fatalf("the password is answered %d", got)
	}
	if got, _ := again.get(""); got != http.StatusSeeOther {
		t.Errorf("without the code the balances are %d", got)
	}
	now := code()
	if got, _, _ := again.ask(http.MethodPost, "login/code", url.Values{"code": {"000000"}}); got != http.StatusUnauthorized {
		t.Errorf("a wrong code is answered %d", got)
	}
	if got, _, page := again.ask(http.MethodPost, "login/code", url.Values{"code": {now}}); got != http.StatusSeeOther {
		t.Fatalf("the code is answered %d %s", got, page)
	}
	if got, _ := again.get(""); got != http.StatusOK {
		t.Errorf("after the code the balances are %d", got)
	}
	third := f.stranger(ann.email)
	third.login(password)
	if got, _, _ := third.ask(http.MethodPost, "login/code", url.Values{"code": {now}}); got != http.StatusUnauthorized {
		t.Errorf("a used code is answered %d", got)
	}
}

// Failed logins are counted by address and by name, and an unknown address is answered as a wrong password.
func TestFailedLogins(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	guesser := f.stranger(ann.email)
	guesser.from = "elsewhere"
	for range 10 {
		if got := guesser.login("wrong password"); got != http.StatusUnauthorized {
			t.Fatalf("a wrong password is answered %d", got)
		}
	}
	if got := guesser.login(password); got != http.StatusTooManyRequests {
		t.Errorf("the eleventh is answered %d", got)
	}
	if got := ann.login(password); got != http.StatusSeeOther {
		t.Errorf("the person is kept out at home: %d", got)
	}
	unknown := f.stranger("nobody@example.com")
	unknown.from = "a third place"
	if got := unknown.login("wrong password"); got != http.StatusUnauthorized {
		t.Errorf("nobody's login is answered %d", got)
	}
	if got := f.audited(f.shop); strings.Count(strings.Join(got, ","), "person.login-failed") != 0 {
		t.Errorf("the merchant's audit has failed logins of a person of several: %v", got)
	}
}

// Fifty wrong codes lock a person, and an operator unlocks.
func TestWrongCodesLock(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	ann.coded()
	_, err := f.db.NewRaw("update people set wrong_codes = 49").Exec(t.Context())
	f.must(err)
	again := f.stranger(ann.email)
	again.login(password)
	if got, _, _ := again.ask(http.MethodPost, "login/code", url.Values{"code": {"000000"}}); got != http.StatusUnauthorized {
		t.Fatalf("the last wrong code is answered %d", got)
	}
	if got, _ := ann.get(""); got != http.StatusSeeOther {
		t.Errorf("a locked person's session shows %d", got)
	}
	if got, _, page := again.ask(http.MethodPost, "login", url.Values{"email": {ann.email}, "password": {password}}); got != http.StatusUnauthorized ||
		!strings.Contains(page, "locked") {
		t.Errorf("a locked person is answered %d %s", got, page)
	}
	if view, err := f.admin.UnlockPerson(t.Context(), ann.email, true); err != nil || view.TOTP {
		t.Fatalf("unlocking: %+v, %v", view, err)
	}
	if got := ann.login(password); got != http.StatusSeeOther {
		t.Errorf("after it the login is answered %d", got)
	}
	if got, _ := ann.get(""); got != http.StatusOK {
		t.Errorf("after it the balances are %d", got)
	}
}

// A person ends their other logins one by one, and all of them by another password.
func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Viewer)
	phone := f.stranger(ann.email)
	phone.login(password)
	_, page := ann.get("account")
	_, rest, found := strings.Cut(page, `action="/panel/account/sessions/`)
	id, _, _ := strings.Cut(rest, "/end")
	if !found || strings.Count(page, "account/sessions/") != 1 {
		t.Fatalf("the logins are %s", page)
	}
	ann.do("account/sessions/" + id + "/end")
	if got, _ := phone.get(""); got != http.StatusSeeOther {
		t.Errorf("the ended login shows %d", got)
	}
	phone.login(password)
	if got, body := ann.do("account/password", "old", "wrong password", "new", password+"2"); !strings.Contains(body, "current password is wrong") {
		t.Errorf("a wrong old password is answered %d %s", got, body)
	}
	ann.do("account/password", "old", password, "new", password+"2")
	for name, p := range map[string]*person{"this one": ann, "the phone": phone} {
		if got, _ := p.get(""); got != http.StatusSeeOther {
			t.Errorf("%s still shows %d", name, got)
		}
	}
	if got := ann.login(password + "2"); got != http.StatusSeeOther {
		t.Errorf("the new password is answered %d", got)
	}
	token := ann.csrf()
	ann.ask(http.MethodPost, "logout", url.Values{"csrf": {token}})
	if got, _ := ann.get(""); got != http.StatusSeeOther {
		t.Errorf("after logging out the balances are %d", got)
	}
}

// An act that lets somebody reach money asks for the password again once the login is a while old.
func TestProofIsAsked(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	_, err := f.db.NewRaw("update person_sessions set proved_at = now() - interval '5 minutes 1 second'").Exec(t.Context())
	f.must(err)
	invite := []string{"email", "eve@example.com", "role", people.Owner}
	if got, page := ann.do("people", invite...); got != http.StatusForbidden || !strings.Contains(page, "Confirm that it is you") {
		t.Fatalf("the act is answered %d %s", got, page)
	}
	if got, page := ann.do("people", append(invite, "proof", "wrong password")...); got != http.StatusForbidden || !strings.Contains(page, "password is wrong") {
		t.Errorf("a wrong proof is answered %d %s", got, page)
	}
	all, err := f.admin.People(t.Context(), f.shop)
	f.must(err)
	if len(all.Invitations) > 0 {
		t.Error("somebody was invited without a proof")
	}
	if got, page := ann.do("people", append(invite, "proof", password)...); got != http.StatusOK || !strings.Contains(page, "token=") {
		t.Errorf("the right proof is answered %d %s", got, page)
	}
}
