package checkout_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// The guarding headers are on every answer, whatever it is.
func TestEveryAnswerIsGuarded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: What is no page", "operator §Payers' page: Every answer forbids")
	d := open(t)
	id := d.payin(order{})
	body := d.page(id, "en")
	for path, status := range map[string]int{
		"/pay/" + id.String(): 200, "/pay/" + uuid.NewString(): 404, "/pay/": 404, "/pay/a/b/c": 404, "/pay/" + file(t, body, "pay.css"): 200,
		"/pay/" + file(t, body, "pay.js"): 200, "/pay/files/x/page.html": 404, "/pay/files/x/..%2fpage.html": 404,
		"/pay/" + uuid.NewString() + "/live": 404,
	} {
		response, body := d.ask("GET", path, "")
		if response.StatusCode != status {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
		for header, want := range map[string]string{
			"Content-Security-Policy": "frame-ancestors 'none'", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer",
			"X-Content-Type-Options": "nosniff",
			"X-Robots-Tag":           "noindex", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if !strings.Contains(response.Header.Get(header), want) {
				t.Errorf("%s: %s is %q", path, header, response.Header.Get(header))
			}
		}
		if policy := response.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") {
			t.Errorf("%s: %s", path, policy)
		}
		kept := strings.Contains(path, "/files/") && status == 200
		if cache := response.Header.Get("Cache-Control"); kept != strings.Contains(cache, "immutable") || !kept && cache != "no-store" {
			t.Errorf("%s: Cache-Control %q", path, cache)
		}
		if kind := response.Header.Get("Content-Type"); status == 404 &&
			(!strings.HasPrefix(kind, "text/html") || !strings.Contains(body, "Payment not found")) {
			t.Errorf("%s: %s %s", path, kind, body)
		}
	}
}

// file is the address of a style or script, as the page names it.
func file(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`files/[0-9a-f]+/` + regexp.QuoteMeta(name)).FindString(page)
	if found == "" {
		t.Fatalf("the page does not name %s", name)
	}
	return found
}

// A page asks nobody outside for anything, has no script or style in itself, and works under any path before its own.
func TestPagesAskNobodyOutside(t *testing.T) {
	t.Parallel()
	d := open(t)
	for name, scene := range scenes {
		body := d.page(scene.make(d), "en")
		for _, outside := range []string{`src="http`, `href="http`, `src="/`, `href="/`, `action="/`, "<script>", "<style", ` style="`,
			" onclick", "javascript:"} {
			if strings.Contains(body, outside) {
				t.Errorf("%s has %q", name, outside)
			}
		}
		d.exec("delete from followers")
	}
	response, body := d.ask("GET", "/pay/a/b/c", "")
	if response.StatusCode != 404 || !strings.Contains(body, `href="../../files/`) {
		t.Error(body)
	}
}

// Nothing of the merchant but the name, and nothing of another payer, is on any page.
func TestNothingElseIsShown(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: It shows the merchant")
	d := open(t)
	other := d.payin(order{amount: "777.25"})
	d.sees(other, "777.25", pay.TransferSeen, 0)
	for name, scene := range scenes {
		id := scene.make(d)
		for _, lang := range []string{"en", "es"} {
			body := d.page(id, lang)
			for _, secret := range []string{"sealed-secret", "owner@example.com", d.merchant.String(), "key-id", "hook.example",
				"secret-path", "customer-7", "777.25", other.String(), `"sender"`} {
				if strings.Contains(body, secret) {
					t.Errorf("%s shows %q", name, secret)
				}
			}
		}
		d.exec("delete from followers")
	}
}

// Only the reference in its one spelling opens a page; transfers to fixed wallets have none.
func TestWhatOpensNoPage(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §The payers' page: The page is {base_url}", "api-v1 §The payers' page: Payins of fixed wallets")
	d := open(t)
	id := d.payin(order{})
	d.exec(`insert into wallets (id, merchant_id, family, customer_info, wallet, memo, origin, status)
		values (?, ?, 'tron', 'c', 'T1', '', 'external_api', 'STATUS_ASSIGNED')`, uuid.Must(uuid.NewV7()), d.merchant)
	fixed := d.payin(order{status: pay.PayinCompleted})
	d.exec("update payins set wallet_id = (select id from wallets limit 1) where id = ?", fixed)
	reference := d.text("select reference_id from payins where id = ?", id)
	for _, path := range []string{
		strings.ToUpper(id.String()), "{" + id.String() + "}", "urn:uuid:" + id.String(), strings.ReplaceAll(id.String(), "-", ""), reference,
		fixed.String(), uuid.Nil.String(), "%00", "x", "' or 1=1 --",
	} {
		response, _ := d.ask("GET", "/pay/"+url.PathEscape(path), "")
		if response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS"} {
		if response, _ := d.ask(method, "/pay/"+id.String(), ""); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", method, response.StatusCode)
		}
	}
}

func (d *desk) text(sql string, args ...any) (out string) {
	d.t.Helper()
	must(d.t, d.db.NewRaw(sql, args...).Scan(d.t.Context(), &out))
	return out
}

func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.payin(order{})
	style := file(t, d.page(id, "en"), "pay.css")
	d.visitors.mu.Lock()
	d.visitors.wait = 1500 * time.Millisecond
	d.visitors.mu.Unlock()
	for path, status := range map[string]int{id.String(): 429, id.String() + "/live": 429, uuid.NewString(): 429, style: 200} {
		response, _ := d.ask("GET", "/pay/"+path, "")
		if response.StatusCode != status || status == 429 && response.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: %d, Retry-After %q", path, response.StatusCode, response.Header.Get("Retry-After"))
		}
	}
}

// Without its database a page says so, and not why.
func TestWithoutDatabase(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.payin(order{})
	must(t, d.db.Close())
	response, body := d.ask("GET", "/pay/"+id.String(), "")
	if response.StatusCode != 503 || !strings.Contains(body, "nothing to do with your money") || strings.Contains(body, "sql") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

// A visitor leaving before the page is there has met no failure.
func TestWhoLeavesIsNotAnswered(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	log := logrus.New()
	log.SetOutput(&said)
	d := open(t, func(deps *checkout.Deps) { deps.Log = log })
	gone, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	defer func() {
		if cause := recover(); cause != any(http.ErrAbortHandler) || w.Body.Len() != 0 || said.Len() != 0 {
			t.Errorf("%v, answered %q, in the log %q", cause, w.Body, &said)
		}
	}()
	d.pages.ServeHTTP(w, httptest.NewRequestWithContext(gone, http.MethodGet, "/pay/"+d.payin(order{}).String(), nil))
}

// The page pays on simulated networks, where this process may, for the page's own visitors.
func TestPayNow(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: On a simulated network")
	d := open(t)
	id := d.payin(order{network: "TON", token: "TON", memo: "12345678"})
	form := []string{"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin"}
	response, _ := d.ask("POST", "/pay/"+id.String()+"?lang=pt", "amount=12.5", form...)
	if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != id.String()+"?lang=pt" {
		t.Fatalf("%d %v", response.StatusCode, response.Header)
	}
	if len(d.paid) != 1 || d.paid[0].Network != "TON" || d.paid[0].Token != "TON" || d.paid[0].Memo != "12345678" ||
		d.paid[0].Amount.String() != "12.5" || d.paid[0].To == "" {
		t.Errorf("paid %+v", d.paid)
	}
	for _, bad := range []string{"", "-1", "1e9", "1,5", "NaN", strings.Repeat("9", 21), "1.0000000000000000001", " 1"} {
		response, body := d.ask("POST", "/pay/"+id.String(), url.Values{"amount": {bad}}.Encode(), form...)
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, `role="alert" id="wrong"`) {
			t.Errorf("%q: %d", bad, response.StatusCode)
		}
	}
	for name, c := range map[string]struct {
		path   string
		site   string
		status int
	}{
		"from another site":    {id.String(), "cross-site", 403},
		"from a neighbour":     {id.String(), "same-site", 403},
		"a real network":       {d.payin(order{network: "Ethereum"}).String(), "same-origin", 403},
		"a payin that is paid": {d.payin(order{status: pay.PayinCompleted, received: "25"}).String(), "same-origin", 403},
		"no payin":             {uuid.NewString(), "same-origin", 404},
		"no reference":         {"x", "same-origin", 404},
	} {
		response, _ := d.ask("POST", "/pay/"+c.path, "amount=1", "Content-Type", form[1], "Sec-Fetch-Site", c.site)
		if response.StatusCode != c.status {
			t.Errorf("%s: %d", name, response.StatusCode)
		}
	}
	if len(d.paid) != 1 {
		t.Errorf("paid %+v", d.paid)
	}
}

func TestPayNowOnlyWhereTheProcessMay(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: On a simulated network")
	d := open(t, func(deps *checkout.Deps) { deps.Pay = nil })
	id := d.payin(order{})
	if body := d.page(id, "en"); strings.Contains(body, "<form") || !strings.Contains(body, "Test payment") {
		t.Error(body)
	}
	response, _ := d.ask("POST", "/pay/"+id.String(), "amount=25", "Content-Type", "application/x-www-form-urlencoded")
	if response.StatusCode != http.StatusNotFound {
		t.Errorf("%d", response.StatusCode)
	}
	if _, err := d.store.PayerPayins(t.Context(), uuid.Nil); err != nil && !errors.Is(err, pay.ErrNotFound) {
		t.Error(err)
	}
}

// A real network is named as such: no word of tests, and no means to pay.
func TestRealNetworks(t *testing.T) {
	t.Parallel()
	d := open(t)
	body := d.page(d.payin(order{network: "Ethereum"}), "en")
	if strings.Contains(body, "Test payment") || strings.Contains(body, "<form") || !strings.Contains(body, "Ethereum (ERC-20)") {
		t.Error(body)
	}
}

// The page says when a payment counts, and a transfer by how many confirmations it does.
//
// Covers addendum §8: Small amounts may be credited
func TestThePageSaysWhenItCounts(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.payin(order{})
	for after, want := range map[int]string{1: "Confirmations needed: 1.", 0: "Confirmations needed: 6.", 9: "Confirmations needed: 6.",
		-1: "The payment counts once the network marks its block as safe.", -2: "The payment counts once the network marks its block as final."} {
		d.exec("update payins set credit_after = ? where id = ?", after, id)
		if body := d.page(id, "en"); !strings.Contains(body, want) {
			t.Errorf("credited after %d: no %q in %s", after, want, body)
		}
	}
	d.sees(id, "10", pay.TransferSeen, 100)
	d.head("Tron", 100)
	for after, want := range map[int]string{1: "1 of 1 confirmations", 0: "1 of 6 confirmations"} {
		d.exec("update transfers set credit_after = ? where payin_id = ?", after, id)
		if body := d.page(id, "en"); !strings.Contains(body, want) {
			t.Errorf("credited after %d: no %q in %s", after, want, body)
		}
	}
}
