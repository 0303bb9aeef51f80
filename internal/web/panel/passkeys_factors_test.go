package panel_test

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/login"
	"causeway/internal/people"
	"causeway/internal/store"
)

// A login by a passkey is confirmed by this passkey alone, and one by a code by codes: an old code makes no new passkey older.
func TestEachFactorConfirmsItsOwnLogins(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	code := ann.coded()
	d, second := ann.device(), ann.device()
	d.add("phone", code())
	if status, _ := ann.do("account"); status == http.StatusSeeOther {
		t.Error("a passkey beside a code ends the login by the code")
	}
	if _, page := ann.get("withdraw"); !strings.Contains(page, "Token and network") {
		t.Errorf("the login by the code shows %s", page)
	}
	stranger := f.stranger(ann.email)
	away := &device{stranger, d.site, d.with, d.key}
	if status, page := away.enter(away.sign(away.asked())); status != http.StatusSeeOther {
		t.Fatalf("the passkey is answered %d %s", status, page)
	}
	if status, page := away.do("withdraw/check", asked...); status != http.StatusForbidden || !strings.Contains(page, "Your passkey is new") {
		t.Errorf("a new passkey beside an old code withdraws: %d %s", status, page)
	}
	signed := away.proof()
	if status, page := ann.do("withdraw", append(ann.confirmed(), "code", signed)...); status != http.StatusOK || !strings.Contains(page, "code is wrong") {
		t.Errorf("a signature for a code is answered %d %s", status, page)
	}
	f.settled()
	second.add("key", code())
	confirmed := away.confirmed()
	if status, page := away.do("withdraw", append(confirmed, "code", code())...); status != http.StatusOK || !strings.Contains(page, "was not accepted") {
		t.Errorf("a code for a signature is answered %d %s", status, page)
	}
	_, challenge := away.post("account/passkeys/challenge")
	if strings.Contains(challenge, "allowCredentials\":[{") && strings.Count(challenge, `"type":"public-key"`) != 1 {
		t.Errorf("other passkeys are asked for: %s", challenge)
	}
	if status, page := away.do("withdraw", append(confirmed, "code", second.sign(challenge))...); status != http.StatusOK || !strings.Contains(page, "was not accepted") {
		t.Errorf("another passkey of the person is answered %d %s", status, page)
	}
	if len(f.withdrawals.recorded) > 0 {
		t.Fatalf("%d are recorded", len(f.withdrawals.recorded))
	}
	if status, _ := away.do("withdraw", append(confirmed, "code", away.proof())...); status != http.StatusSeeOther || len(f.withdrawals.recorded) != 1 {
		t.Errorf("its own passkey is answered %d", status)
	}
	if status, page := ann.post("account/passkeys/challenge"); status != http.StatusForbidden {
		t.Errorf("a challenge for a login by a code is answered %d %s", status, page)
	}
}

// A login whose password was checked before a passkey was added begins no session.
func TestALoginFromBeforeThePasskey(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	desk := &people.Desk{Store: f.panelStore, Vault: f.admin.Vault}
	was, err := desk.Login(t.Context(), ann.email, password, "home")
	f.must(err)
	ann.device().add("phone", password)
	enter := func(p *store.Person) error {
		return desk.LetIn(t.Context(), p, people.Entry{Session: []byte(uuid.NewString()), Address: "home"})
	}
	if err := enter(was); !errors.Is(err, login.ErrNoLogin) {
		t.Errorf("the login of before ends with %v", err)
	}
	now, err := desk.Login(t.Context(), ann.email, password, "home")
	f.must(err)
	if err := enter(now); !errors.Is(err, people.ErrPasskey) {
		t.Errorf("a login by the password alone ends with %v", err)
	}
}

// Of a signature that is sent many times at once, one lets in.
func TestASignatureSentAtOnce(t *testing.T) {
	t.Parallel()
	_, _, d := withPhone(t)
	form := url.Values{"passkey": {d.sign(d.asked())}}
	const tries = 5
	codes := make(chan int, tries)
	for range tries {
		go func() {
			code, _, _ := d.ask(http.MethodPost, "login/passkey", form)
			codes <- code
		}()
	}
	in := 0
	for range tries {
		if <-codes == http.StatusSeeOther {
			in++
		}
	}
	if in != 1 {
		t.Errorf("%d of %d are let in", in, tries)
	}
}
