package console_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"causeway/internal/ops/admin"
)

// The page of an untaken webhook has the time of the next try, and the receiver's answers. The page of the one behind it leads to
// it.
//
// Covers operator §Console: A webhook's page
func TestAWebhooksPageTellsWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Trace", "42")
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("<b>no such order</b>\x00"))
	}))
	t.Cleanup(receiver.Close)
	d.hook = receiver.URL
	paid, _ := d.payin()
	told, err := d.store.DeliveriesOf(t.Context(), paid.ID)
	must(t, err)
	if len(told) < 2 {
		t.Fatalf("%d webhooks", len(told))
	}
	d.exec("update deliveries set status = 'pending', finished_at = null, attempts = 1") // the work of a test is due at once, and all of it was tried
	d.exec("delete from failed_attempts where attempt > 1 or delivery_id <> ?", told[0].ID)
	d.exec(`insert into jobs (kind, ref, run_at, last_error) values ('webhook.deliver', ?, '2030-01-02 03:04:05+00', 'HTTP status 418')`, told[0].ID)
	p := d.person()
	p.login("ann", password)
	for i, want := range [][]string{
		{"2030-01-02 03:04:05", "HTTP status 418", "X-Trace: 42", "&lt;b&gt;no such order&lt;/b&gt;\ufffd", "Attempt 1: HTTP 418"},
		{"after " + string(told[0].Event), `href="/console/webhooks/` + told[0].ID.String() + `"`, "An earlier webhook of the same payin or payout goes first"},
	} {
		_, page := p.get("/console/webhooks/" + told[i].ID.String())
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("the page of webhook %d does not say %q", i, text)
			}
		}
		if strings.Contains(page, "goes first.") != (i == 1) {
			t.Errorf("webhook %d waits for another: %v", i, i == 0)
		}
	}
	d.exec("update deliveries set status = 'exhausted', finished_at = now() where id = ?", told[0].ID)
	if _, page := p.get("/console/webhooks/" + told[0].ID.String()); !strings.Contains(page, "<dt>Next attempt</dt><dd><span>none<") {
		t.Error("a webhook that has ended is tried again")
	}
}

// The page of a payin or payout says after how long webhooks are deleted, once it is as old as that. A deleted webhook has no page, and is
// not sent again.
//
// Covers operator §Console: Once a payin or payout is as old
func TestDeletedWebhooks(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	d.console.WebhooksKept = 30
	paid, _ := d.payin()
	told, err := d.store.DeliveriesOf(t.Context(), paid.ID)
	must(t, err)
	p := d.person()
	p.login("ann", password)
	const gone, none = "Webhooks are deleted 30 days after they ended.", "No webhooks are left."
	says := func(at string, want ...bool) {
		t.Helper()
		_, page := p.get("/console/" + at)
		if got := []bool{strings.Contains(page, gone), strings.Contains(page, none)}; !slices.Equal(got, want) {
			t.Errorf("%s says %v, not %v", at, got, want)
		}
	}
	says("payins/"+paid.ID.String(), false, false)
	d.exec("update payins set created_at = now() - interval '31 days'")
	says("payins/"+paid.ID.String(), true, false)
	d.exec(`update deliveries set id = overlay(id::text placing '00' from 1 for 2)::uuid, status = 'delivered', finished_at = now() - interval '31 days'`)
	n, err := d.workers.Store.ForgetDeliveries(t.Context(), 30, 100)
	must(t, err)
	if n != len(told) || n == 0 {
		t.Fatalf("%d of %d webhooks were deleted", n, len(told))
	}
	says("payins/"+paid.ID.String(), true, true)
	payout := d.payout("order-2", "10")
	says("payouts/"+payout.ID.String(), false, false)
	d.exec("update payouts set created_at = now() - interval '31 days'")
	says("payouts/"+payout.ID.String(), true, true)

	id := "00" + told[0].ID.String()[2:]
	if code, _ := p.get("/console/webhooks/" + id); code != http.StatusNotFound {
		t.Errorf("the page of a deleted webhook is %d", code)
	}
	if _, page := p.do("webhooks/" + id + "/redeliver"); !strings.Contains(page, "there is no delivery "+id) {
		t.Errorf("a deleted webhook sent again is %s", page)
	}
}
