package console_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
	"causeway/internal/web/panel"
	"causeway/migrations"
)

// seen are the pages of a merchant's panel with something on each, by their paths of the panel.
func (d *desk) seen() map[string]string {
	d.t.Helper()
	ctx, form := d.t.Context(), uuid.New()
	in, _ := d.payin()
	d.work()
	out := d.payout("mine", "10")
	q := &pay.PaymentRequest{ID: uuid.New(), MerchantID: d.merchant, KeyID: pay.PanelKey("eve@example.com"), ReferenceID: "r", Amount: dec("5"), Currency: "EUR", IsFiat: true,
		Items: []pay.Item{}, Offers: []pay.Offer{}, ExpiresAt: time.Now().Add(time.Hour)}
	_, err := d.store.AddPaymentRequest(ctx, q)
	must(d.t, err)
	l := &pay.PaymentLink{ID: uuid.New(), MerchantID: d.merchant, KeyID: pay.PanelKey("eve@example.com"), Slug: "tea", Label: "Tea", Currency: "EUR", IsFiat: true, Offers: []pay.Offer{}}
	_, err = d.store.AddPaymentLink(ctx, l)
	must(d.t, err)
	must(d.t, d.store.AddWallet(ctx, &pay.Wallet{ID: uuid.New(), MerchantID: d.merchant, Family: "ethereum", CustomerInfo: "eve", Wallet: "0xwallet", Origin: pay.OriginAPI, Status: pay.WalletAssigned},
		&pay.Address{Family: "ethereum", Match: "0xwallet", Address: "0xwallet", Position: 1000}))
	must(d.t, d.store.AskSecond(ctx, form, "eve@example.com", "above the rule", []*pay.Payout{out}))
	_, err = d.admin.CreateKey(ctx, admin.NewKey{Merchant: d.merchant})
	must(d.t, err)
	_, err = d.admin.InvitePerson(ctx, d.merchant, "eve@example.com", people.Owner)
	must(d.t, err)
	var delivery, wallet string
	must(d.t, d.db.NewRaw("select id from deliveries limit 1").Scan(ctx, &delivery))
	must(d.t, d.db.NewRaw("select id from wallets limit 1").Scan(ctx, &wallet))
	return map[string]string{"payins/{id}": in.ID.String(), "payouts/{id}": out.ID.String(), "payment-requests/{id}": q.ID.String(), "links/{id}": l.ID.String(),
		"webhooks/{id}": delivery, "wallets/{id}": wallet, "confirm/{form}": form.String()}
}

// at is a path of the panel with its id.
func at(path string, ids map[string]string) string {
	if before, _, has := strings.Cut(path, "{"); has {
		return before + ids[path]
	}
	return path
}

// Covers operator §Console: What a merchant sees in the panel is shown to every operator
// Covers operator §Console: Each page that is opened there is in the audit
//
// A viewer of the operators sees each page of a merchant's panel without a form, and each look is in both audits before the page is made.
// Another merchant's things are not there, and nobody looks without a login.
func TestLookingAtAPanel(t *testing.T) {
	t.Parallel()
	d := open(t)
	ids := d.seen()
	other, err := d.admin.CreateMerchant(t.Context(), admin.NewMerchant{Name: "Other"})
	must(t, err)
	d.operator("bob", admin.RoleViewer)
	bob, nobody := d.person(), d.person()
	bob.login("bob", password)
	base := "/console/merchants/" + d.merchant.String() + "/panel/"
	if _, page := bob.get("/console/merchants/" + d.merchant.String()); !strings.Contains(page, base) {
		t.Errorf("the merchant's page does not lead to its panel: %s", page)
	}
	for _, path := range panel.Looked() {
		path = at(path, ids)
		status, page := bob.get(base + path)
		if status != http.StatusOK || !strings.Contains(page, "Nothing can be done here") {
			t.Errorf("%q is answered %d %s", path, status, page)
		}
		if strings.Contains(page, `"/panel/`) {
			t.Errorf("%q leads into the panel: %s", path, page)
		}
		if strings.Count(page, `method="post"`) != strings.Count(page, `action="/console/logout"`) {
			t.Errorf("%q has a form: %s", path, page)
		}
		if got := d.lastLook(); got != "bob merchant.look "+path {
			t.Errorf("the look at %q is audited as %q", path, got)
		}
		if status, to, _ := nobody.ask(http.MethodGet, base+path, nil); status != http.StatusSeeOther || !strings.HasPrefix(to, "/console/login?to=") {
			t.Errorf("%q is answered to nobody by %d", path, status)
		}
		if !strings.Contains(path, "/") {
			continue
		}
		if status, _ := bob.get("/console/merchants/" + other.ID.String() + "/panel/" + path); status != http.StatusNotFound {
			t.Errorf("%q of another merchant is answered %d", path, status)
		}
	}
	if status, _ := bob.get("/console/merchants/" + uuid.NewString() + "/panel/payouts"); status != http.StatusNotFound {
		t.Errorf("nobody's panel is answered %d", status)
	}
	d.operator("gone", admin.RoleAdmin)
	gone := d.person()
	gone.login("gone", password)
	_, err = d.admin.DisableOperator(t.Context(), "gone")
	must(t, err)
	if status, _, _ := gone.ask(http.MethodGet, base, nil); status != http.StatusSeeOther {
		t.Errorf("a disabled operator is answered %d", status)
	}
}

// lastLook is the newest row of the audit.
func (d *desk) lastLook() (out string) {
	d.t.Helper()
	rows, err := d.store.AuditOfMerchant(d.t.Context(), d.merchant, 0, 1)
	must(d.t, err)
	for _, r := range rows {
		must(d.t, d.db.NewRaw("select actor || ' ' || action || ' ' || (after->>'page') from audit where id = ?", r.ID).Scan(d.t.Context(), &out))
	}
	return out
}

// A file of a list is looked at as the merchant has it, in one look. The merchant's own audit names no operator.
func TestAFileOfAPanel(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.seen()
	d.operator("bob", admin.RoleViewer)
	bob := d.person()
	bob.login("bob", password)
	base := "/console/merchants/" + d.merchant.String() + "/panel/"
	if status, file := bob.get(base + "payouts?format=csv"); status != http.StatusOK || !strings.Contains(file, "mine") {
		t.Errorf("the file is answered %d %s", status, file)
	}
	if _, page := bob.get(base + "payouts?status=completed"); strings.Contains(page, "mine") || !strings.Contains(page, `action="`+base+`payouts"`) {
		t.Errorf("the filter shows %s", page)
	}
	_, page := bob.get(base + "audit?format=csv")
	if strings.Count(page, store.LookAction) != 3 || !strings.Contains(page, "the operator of this service") || strings.Contains(page, "bob") {
		t.Errorf("the merchant's audit is %s", page)
	}
	for _, path := range []string{"payouts?below=x%00&status=%FF", "payins/%00", "payins/%FF", "payins/" + strings.Repeat("x", 5000)} {
		if status, page := bob.get(base + path); status >= http.StatusInternalServerError {
			t.Errorf("%.20s is answered %d %s", path, status, page)
		}
	}
}

// Covers operator §Console: Nothing is done there
//
// No act of the panel is one of the console, whatever the operator's role. What the pages read with cannot write.
func TestNothingIsDoneByLooking(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	ann := d.person()
	ann.login("ann", password)
	_, home := ann.get("/console/")
	token := tokenForm.FindStringSubmatch(home)[1]
	before := d.audited()
	for _, path := range append(panel.Looked(), "account", "deposit", "withdraw", "withdraw/check", "keys", "people/role", "links", "secret/rotate", "confirm/rule", "account/passkeys") {
		path = "/console/merchants/" + d.merchant.String() + "/panel/" + strings.TrimSuffix(at(path, map[string]string{}), "{$}")
		if status, _, _ := ann.ask(http.MethodPost, path, url.Values{"csrf": {token}}); status != http.StatusMethodNotAllowed {
			t.Errorf("%s takes a form: %d", path, status)
		}
	}
	if after := d.audited(); !slices.Equal(before, after) {
		t.Errorf("audited %q", after[len(before):])
	}
	for _, path := range []string{"account", "deposit", "withdraw", "withdraw/sheet", "links/new", "payment-requests/new", "login"} {
		if status, _ := ann.get("/console/merchants/" + d.merchant.String() + "/panel/" + path); status != http.StatusNotFound {
			t.Errorf("%s is shown: %d", path, status)
		}
	}
	acts := store.New(testkit.DBAs(t, migrations.OperatorRole))
	for name, act := range map[string]func(context.Context, *admin.Admin) error{
		"a key": func(ctx context.Context, a *admin.Admin) error { _, err := a.RevokeKey(ctx, "x"); return err },
		"a person": func(ctx context.Context, a *admin.Admin) error {
			return a.RemovePerson(ctx, d.merchant, "eve@example.com")
		},
		"an audit": func(ctx context.Context, a *admin.Admin) error { return a.Store.AddAudit(ctx, "x", "x", "x", nil, nil) },
	} {
		err := acts.Snapshot(t.Context(), func(tx *store.Store) error { return act(t.Context(), &admin.Admin{Store: tx, Actor: "ann"}) })
		if err == nil || !strings.Contains(fmt.Sprint(err), "read-only transaction") {
			t.Errorf("%s is written by a look: %v", name, err)
		}
	}
}
