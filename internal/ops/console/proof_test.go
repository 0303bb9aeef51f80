package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// stale makes every proof of the logins older than five minutes.
func (d *desk) stale() {
	d.exec("update operator_sessions set proved_at = now() - interval '301 seconds'")
}

// An act sending or releasing money asks for the password, or for a code, when none was given within five minutes. The right one
// does the act as it was asked for, and holds for the next acts; a wrong one does nothing.
//
// Covers operator §Console: Acts that send or release money
func TestActsAskForAFreshProof(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleAdmin)
	code := d.codes("bob")
	p := d.person()
	p.login("ann", password)
	limit := func(fields ...string) (int, string) {
		return p.do("merchants/"+d.merchant.String()+"/limits", append([]string{"unit", "USDT", "above", "7"}, fields...)...)
	}
	limits := func() []store.PayoutLimit {
		found, err := d.store.PayoutLimits(t.Context(), d.merchant)
		must(t, err)
		return found
	}
	d.stale()
	status, body := limit()
	if status != http.StatusForbidden || !strings.Contains(body, "Confirm that it is you") || len(limits()) != 0 {
		t.Fatalf("%d, %v", status, limits())
	}
	for _, carried := range []string{`name="unit" value="USDT"`, `name="above" value="7"`, `name="proof"`, `name="back" value="/console/operators"`} {
		if !strings.Contains(body, carried) {
			t.Errorf("the question lacks %s", carried)
		}
	}
	if strings.Count(body, `name="back" value="/console/operators"`) != strings.Count(body, `name="back"`) {
		t.Error("after the question the way leads elsewhere")
	}
	if status, body = limit("proof", "not it, not it"); status != http.StatusForbidden || !strings.Contains(body, "The password is wrong.") || len(limits()) != 0 {
		t.Errorf("a wrong password: %d, %v", status, limits())
	}
	if _, body = limit("proof", password); !strings.Contains(body, "The limit was set") || len(limits()) != 1 {
		t.Errorf("the right password: %v", limits())
	}
	if _, body = p.do("prices", "base", "BTC", "quote", "USD", "price", "60000"); !strings.Contains(body, "pinned") {
		t.Error("a proof does not hold for the next act")
	}

	coded := d.person()
	coded.login("bob", password)
	coded.ask(http.MethodPost, "/console/login/code", map[string][]string{"code": {code()}})
	d.stale()
	d.exec("update operators set totp_step = 0")
	pin := []string{"base", "BTC", "quote", "USD", "price", "50000"}
	if status, body = coded.do("prices", append(pin, "proof", password)...); status != http.StatusForbidden || !strings.Contains(body, "The code is wrong") {
		t.Errorf("a password in place of a code is answered %d", status)
	}
	if _, body = coded.do("prices", append(pin, "proof", code())...); !strings.Contains(body, "pinned") {
		t.Error("the right code does not do the act")
	}
}

// Every act sending or releasing money asks. Looking at something, or stopping it, does not.
//
// Covers operator §Console: Acts that send or release money
func TestWhichActsAskForAProof(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	p := d.person()
	p.login("ann", password)
	m := "merchants/" + d.merchant.String()
	for _, c := range []struct {
		path  string
		form  []string
		asked bool
	}{
		{"payouts/x/approve", nil, true}, {"payouts/x/decline", nil, false}, {"payouts/x/complete", nil, true}, {"payouts/x/refund", nil, true}, {"unclaimed/x/assign", nil, true},
		{m + "/limits", nil, true}, {m + "/limits/clear", nil, true}, {"prices", nil, true}, {"prices/clear", nil, true},
		{"treasury/correct", nil, true}, {"networks/Ethereum/resume", nil, true}, {"networks/Ethereum/resume-wallet", nil, true},
		{"networks/Ethereum/book", nil, true}, {"assets/USDT/resume", nil, true}, {"operators", nil, true}, {"operators/ann/enable", nil, true},
		{"operators/ann/unlock", nil, true}, {"operators/nobody/disable", nil, false}, {"audit/verify", nil, false},
		{m + "/set", []string{"suspended", "true"}, false}, {m + "/set", []string{"suspended", "false"}, true},
		{m + "/keys", nil, false}, {m + "/keys", []string{"scopes", pay.ScopePayoutWrite}, true}, {m + "/keys", []string{"scopes", pay.ScopePayinRead}, false},
	} {
		d.stale()
		if _, body := p.do(c.path, c.form...); strings.Contains(body, "Confirm that it is you") != c.asked {
			t.Errorf("%s %v asks for a proof: %v", c.path, c.form, !c.asked)
		}
	}
}

// Fifty wrong codes in a row lock an operator for good: neither the right code nor another day lets in, until somebody unlocks.
//
// Covers operator §Console: Fifty wrong codes in a row
func TestFiftyWrongCodesLock(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleAdmin)
	code := d.codes("ann")
	p := d.person()
	wrong := func(before int) { // one more than so many
		d.exec("update operators set wrong_codes = wrong_codes + ?", before)
		p.login("ann", password)
		p.ask(http.MethodPost, "/console/login/code", map[string][]string{"code": {"000000"}})
	}
	in := func() int {
		d.exec("delete from operator_tries")
		d.exec("update operators set totp_step = 0")
		p.login("ann", password)
		status, _, _ := p.ask(http.MethodPost, "/console/login/code", map[string][]string{"code": {code()}})
		return status
	}
	wrong(48)
	if in() != http.StatusSeeOther {
		t.Fatal("after 49 wrong codes the right one does not let in")
	}
	wrong(48)
	wrong(0)
	in()
	if status, _ := p.get("/console/"); status == http.StatusOK {
		t.Error("after 50 wrong codes, the right one lets in")
	}
	if _, _, body := p.ask(http.MethodPost, "/console/login", map[string][]string{"name": {"ann"}, "password": {password}}); !strings.Contains(body, "locked after too many wrong codes") {
		t.Errorf("the login does not say why: %s", body)
	}
	other := d.person()
	other.login("bob", password)
	if _, body := other.get("/console/operators"); !strings.Contains(body, "locked: 50 wrong codes") {
		t.Error("the operators' page does not show the lock")
	}
	if _, body := other.do("operators/ann/unlock"); !strings.Contains(body, "can log in again") {
		t.Error("another admin cannot unlock")
	}
	if in() != http.StatusSeeOther {
		t.Error("once unlocked, the right code does not let in")
	}
	if said := strings.Join(d.audited(), "\n"); !strings.Contains(said, "ann operator.locked") || !strings.Contains(said, "bob operator.unlock") {
		t.Errorf("the audit has %s", said)
	}
}

// An admin of live books logged in by password alone can do nothing but take a code into use; another role may go on, and so may
// everybody on other books.
//
// Covers operator §Console: An admin of live books
func TestAdminsOfLiveBooksTakeACode(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("vic", admin.RoleViewer)
	p, viewer := d.person(), d.person()
	p.login("ann", password)
	viewer.login("vic", password)
	if status, _ := p.get("/console/"); status != http.StatusOK {
		t.Fatalf("on other books an admin is answered %d", status)
	}
	d.console.LiveBooks = true
	for _, path := range []string{"/console/", "/console/payouts", "/queues/"} {
		if status, to, _ := p.ask(http.MethodGet, path, nil); status != http.StatusSeeOther || to != "/console/account" {
			t.Errorf("%s answers %d to %s", path, status, to)
		}
		if status, _ := viewer.get(path); status != http.StatusOK {
			t.Errorf("a viewer is answered %d at %s", status, path)
		}
	}
	_, account := p.get("/console/account")
	csrf := tokenForm.FindStringSubmatch(account)
	if csrf == nil || !regexp.MustCompile(`until then, no other page opens`).MatchString(account) {
		t.Fatal("the own page does not say what to do")
	}
	if status, _, _ := p.ask(http.MethodPost, "/console/assets/stop", map[string][]string{"csrf": {csrf[1]}, "asset": {"USDT"}, "reason": {"x"}}); status != http.StatusForbidden {
		t.Errorf("an act is answered %d", status)
	}
	code := d.codes("ann")
	p.login("ann", password)
	p.ask(http.MethodPost, "/console/login/code", map[string][]string{"code": {code()}})
	if status, _ := p.get("/console/"); status != http.StatusOK {
		t.Errorf("with a code, an admin is answered %d", status)
	}
}
