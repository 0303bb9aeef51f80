package console_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"causeway/internal/ops/admin"
	"causeway/internal/pay"
)

// A key without a scope only reads. A key with the scope to pay out is made only after a second confirmation.
//
// Covers operator §Console: A key is made with
func TestAKeyThatPaysOutIsAskedForTwice(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	p := d.person()
	p.login("ann", password)
	path := "merchants/" + d.merchant.String() + "/keys"
	_, page := p.get("/console/merchants/" + d.merchant.String())
	for _, scope := range pay.Scopes {
		if !strings.Contains(page, `<input type="checkbox" name="scopes" value="`+scope+`">`) {
			t.Errorf("the form has no unchecked box for %s", scope)
		}
	}
	if _, page = p.do(path); !strings.Contains(page, "shown only once") {
		t.Fatalf("no key was made: %s", page)
	}
	_, page = p.do(path, "scopes", pay.ScopePayoutWrite, "ips", "10.1.2.3", "daily", "1500", "sign", "on")
	for _, want := range []string{"The key is not created yet", "up to 1\u202f500 USD a day, from 10.1.2.3", `name="pays" value="yes"`, `name="sign"`,
		`class="danger">Create payout key`} {
		if !strings.Contains(page, want) {
			t.Errorf("the question lacks %q: %s", want, page)
		}
	}
	_, page = p.do(path, "scopes", pay.ScopePayoutWrite)
	if !strings.Contains(page, "without a limit, from anywhere") {
		t.Errorf("a key without bounds is asked for by %s", page)
	}
	if _, page = p.do(path, "scopes", pay.ScopePayoutWrite, "ips", "nowhere"); !strings.Contains(page, "neither an IP address nor a CIDR") {
		t.Errorf("an address that is none is answered %s", page)
	}
	m, err := d.admin.Merchant(t.Context(), d.merchant)
	must(t, err)
	if len(m.Keys) != 1 || slices.ContainsFunc(m.Keys[0].Scopes, func(scope string) bool { return !strings.HasSuffix(scope, ":read") }) ||
		!slices.Contains(m.Keys[0].Scopes, pay.ScopePayoutRead) {
		t.Fatalf("before it was said twice the keys are %+v", m.Keys)
	}
	p.do(path, "scopes", pay.ScopePayoutWrite+","+pay.ScopePayinRead, "ips", "10.1.2.3", "daily", "1500", "sign", "on", "pays", "yes")
	m, err = d.admin.Merchant(t.Context(), d.merchant)
	must(t, err)
	at := slices.IndexFunc(m.Keys, func(k admin.Key) bool { return slices.Contains(k.Scopes, pay.ScopePayoutWrite) })
	if at < 0 || len(m.Keys) != 2 || !m.Keys[at].Signs || m.Keys[at].DailyLimitUSD.Decimal.String() != "1500" ||
		!slices.Equal(m.Keys[at].IPs, []string{"10.1.2.3/32"}) || len(m.Keys[at].Scopes) != 2 {
		t.Errorf("the keys are %+v", m.Keys)
	}
	if status, page := p.get("/console/" + path); status != http.StatusOK || !strings.Contains(page, "New key of Shop") {
		t.Errorf("a reload of the answer shows %d %s", status, page)
	}
}
