package console_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/ops/admin"
)

// Covers operator §Console: It shows what is held
func TestEveryListIsCSVToo(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	p := d.person()
	p.login("ann", password)
	for _, list := range []string{"merchants", "payins", "payouts", "unclaimed", "webhooks", "wallets", "rates", "tokens", "prices", "networks",
		"treasury", "reconcile", "audit", "operators", "approvals"} {
		status, body := p.get("/console/" + list + "?format=csv")
		if line, _, _ := strings.Cut(body, "\n"); status != http.StatusOK || strings.Contains(body, "<html") || !strings.Contains(line, ",") {
			t.Errorf("%s: %d %q", list, status, line)
		}
	}
}

// A filter by an unknown status finds nothing: everything would look like the answer.
func TestAStatusThatThereIsNotIsNothings(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.payin()
	d.payout("salary-7", "250")
	p := d.person()
	p.login("ann", password)
	for path, want := range map[string]bool{"payouts": true, "payouts?status=queued": true, "payouts?status=zz": false} {
		if _, body := p.get("/console/" + path); strings.Contains(body, "salary-7") != want {
			t.Errorf("%s: the payout is there: %v", path, !want)
		}
	}
}

// An unknown merchant has no rows on every list with a filter by merchant.
func TestAMerchantThatThereIsNotHasNothing(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.payin()
	d.payout("salary-7", "250")
	d.exec(`insert into wallets (id, merchant_id, family, customer_info, wallet, status)
		values (gen_random_uuid(), ?, 'ethereum', 'c', 'w', 'STATUS_ASSIGNED')`, d.merchant)
	p := d.person()
	p.login("ann", password)
	for _, list := range []string{"payins", "payouts", "webhooks", "wallets"} {
		for merchant, want := range map[string]bool{"": true, d.merchant.String(): true, "zzz": false, uuid.Max.String(): false} {
			if _, rows := p.file(list + "?format=csv&merchant=" + merchant); len(rows) > 0 != want {
				t.Errorf("%s of merchant %q has %d rows", list, merchant, len(rows))
			}
		}
	}
}

// A payin is paid in part once something is credited: not while it is only seen, and not once it is all taken back.
func TestAPayinIsPartialOnlyByWhatIsCredited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	paid, _ := d.payin()
	p := d.person()
	p.login("ann", password)
	tag := regexp.MustCompile(`>(partial|exact|overpaid)<`)
	for _, c := range []struct{ status, received, want string }{
		{"final", "1000", ">exact<"}, {"credited", "400", ">partial<"}, {"seen", "0", ""}, {"dropped", "0", ""},
	} {
		d.exec("update transfers set status = ?", c.status)
		d.exec("update payins set received = ?", c.received)
		if _, page := p.get("/console/payins/" + paid.ID.String()); tag.FindString(page) != c.want {
			t.Errorf("with a transfer that is %s the payin is tagged %q", c.status, tag.FindString(page))
		}
	}
}

// The page of a payin says when it is credited, and when each transfer not credited yet will be.
//
// Covers addendum §8: Small amounts may be credited
func TestAPayinSaysWhenItIsCredited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	in, _ := d.payin()
	p := d.person()
	p.login("ann", password)
	d.exec("update transfers set status = 'seen', credit_after = 3")
	for after, want := range map[int]string{12: "after 12 confirmations", 0: "by the network&#39;s rule", -1: "at a safe block", -2: "at a finalized block"} {
		d.exec("update payins set credit_after = ?", after)
		_, page := p.get("/console/payins/" + in.ID.String())
		for _, words := range []string{want, "credited after 3 confirmations"} {
			if !strings.Contains(page, words) {
				t.Errorf("credited after %d: no %q on the page", after, words)
			}
		}
	}
}

// The page of a payout shows the debited network fee, and none for a merchant who does not pay it. The page of a payin tells a fee
// of zero from one not charged to the merchant.
func TestAPayoutShowsTheNetworkFeeThatWasDebited(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	in, _ := d.payin()
	p := d.person()
	p.login("ann", password)
	one := d.payout("salary-7", "250")
	for pays, want := range map[bool]string{true: ">0 USDT<", false: ">not charged<"} {
		d.exec("update payins set pays_network_fee = ?", pays)
		if _, page := p.get("/console/payins/" + in.ID.String()); !strings.Contains(page, want) {
			t.Errorf("the page of a payin of one who pays it (%v) does not say %q", pays, want)
		}
	}
	for pays, want := range map[bool]string{true: "network fee 1.5", false: "network fee not charged"} {
		d.exec("update payouts set network_fee = 1.5, pays_network_fee = ?0, debit = amount + rate_fee + case when ?0 then 1.5 else 0 end", pays)
		if _, page := p.get("/console/payouts/" + one.ID.String()); !strings.Contains(page, want) {
			t.Errorf("of one who pays it (%v) the page does not say %q", pays, want)
		}
	}
}

// The list of unclaimed transfers names the owner of each address, and assigning one to another merchant needs a confirmation.
//
// Covers operator §Admin: unclaimed list says
func TestWhoseAnUnclaimedTransferIsIsShown(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	d.payin()
	d.exec("update transfers set status = 'unclaimed', payin_id = null, memo = 'of the payer' where payin_id is not null")
	d.exec("insert into merchants (id, name, webhook_secret) values (?, 'Other', 'x')", uuid.Max)
	p := d.person()
	p.login("ann", password)
	_, rows := p.file("unclaimed?format=csv")
	if len(rows) != 1 || rows[0]["merchant_id"] != d.merchant.String() || rows[0]["merchant"] != "Shop & Sons" || rows[0]["memo"] != "of the payer" {
		t.Fatalf("the file says %v", rows)
	}
	_, page := p.get("/console/unclaimed")
	for _, want := range []string{`href="/console/merchants/` + d.merchant.String(), ">Shop &amp; Sons<", "of the payer",
		`<a href="/console/unclaimed/` + rows[0]["id"] + `">Assign…</a>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the list lacks %q: %s", want, page)
		}
	}
	_, page = p.get("/console/unclaimed/" + rows[0]["id"])
	for _, want := range []string{"Assign to Shop &amp; Sons", "of the payer", `name="although"`, `value="` + uuid.Max.String()} {
		if !strings.Contains(page, want) {
			t.Errorf("the transfer's page lacks %q: %s", want, page)
		}
	}
	if _, page := p.get("/console/unclaimed/" + rows[0]["id"] + "?q=othe"); !strings.Contains(page, uuid.Max.String()) {
		t.Error("a merchant is not found by a part of the name")
	}
	if _, page := p.get("/console/unclaimed/" + rows[0]["id"] + "?q=nobody"); strings.Contains(page, uuid.Max.String()) {
		t.Error("another name finds a merchant, too")
	}
	path := "unclaimed/" + rows[0]["id"] + "/assign"
	if _, page := p.do(path, "merchant", uuid.Max.String()); !strings.Contains(page, "it came to an address of merchant "+d.merchant.String()) {
		t.Errorf("assigned to another it says %s", page)
	}
	if _, page := p.do(path, "merchant", uuid.Max.String(), "although", "yes"); !strings.Contains(page, "The transfer was assigned to the merchant") {
		t.Errorf("assigned to another although it is, it says %s", page)
	}
}

// Closing a page before it is there is no failure: nothing is answered.
func TestWhoLeavesIsNotAnswered(t *testing.T) {
	t.Parallel()
	d := open(t)
	gone, leave := context.WithCancel(t.Context())
	leave()
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(gone, http.MethodGet, "/console/payins", nil)
	r.AddCookie(&http.Cookie{Name: "causeway-console", Value: "anything"})
	defer func() {
		if cause := recover(); cause != any(http.ErrAbortHandler) || w.Body.Len() != 0 {
			t.Errorf("%v, answered %d %q", cause, w.Code, w.Body)
		}
	}()
	d.console.ServeHTTP(w, r)
}
