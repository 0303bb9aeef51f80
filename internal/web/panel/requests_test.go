package panel_test

import (
	"strings"
	"testing"
	"time"

	"causeway/internal/ops/admin"
	"causeway/internal/people"
	"causeway/internal/store"
)

// The page shows the last requests of the merchant's own keys, by status and error.
func TestThePageOfRequests(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Developer)
	mine, err := f.admin.CreateKey(t.Context(), admin.NewKey{Merchant: f.shop})
	f.must(err)
	theirs, err := f.admin.CreateKey(t.Context(), admin.NewKey{Merchant: f.other})
	f.must(err)
	f.must(f.panelStore.LogRequests(t.Context(), []store.LoggedRequest{
		{KeyID: mine.ID, At: time.Now(), Method: "GET", Path: "/v1/balances", Status: 200, RequestID: "one"},
		{KeyID: mine.ID, At: time.Now(), Method: "POST", Path: "/v1/payout", Status: 400, Code: "invalid_format", RequestID: "two"},
		{KeyID: theirs.ID, At: time.Now(), Method: "GET", Path: "/v1/statements", Status: 500, Code: "internal_error", RequestID: "three"},
	}))
	for query, want := range map[string][2]bool{"": {true, true}, "?status=2": {true, false}, "?status=400": {false, true}, "?code=invalid_format": {false, true},
		"?key=" + mine.ID: {true, true}, "?key=" + theirs.ID: {false, false}, "?status=x": {false, false}} {
		_, page := ann.get("requests" + query)
		if got := [2]bool{strings.Contains(page, "GET /v1/balances"), strings.Contains(page, "POST /v1/payout")}; got != want || strings.Contains(page, "/v1/statements") {
			t.Errorf("requests%s shows %s", query, page)
		}
	}
}

// The developers' page names hosts that fail to take the merchant's webhooks, and no other's.
func TestFailingReceiversOfAMerchant(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, eve := f.member(f.shop, "ann@example.com", people.Viewer), f.member(f.other, "eve@example.com", people.Viewer)
	d := f.delivery(f.shop, f.payin(f.shop, "one").ID)
	if _, page := ann.get("developers"); strings.Contains(page, "Failing receivers") {
		t.Errorf("before any try the page shows %s", page)
	}
	_, err := f.db.NewRaw("update deliveries set attempts = 1 where id = ?", d.ID).Exec(t.Context())
	f.must(err)
	if _, page := ann.get("developers"); !strings.Contains(page, "Failing receivers") || !strings.Contains(page, "shop.example") {
		t.Errorf("the page shows %s", page)
	}
	if _, page := eve.get("developers"); strings.Contains(page, "Failing receivers") {
		t.Errorf("another merchant's page shows %s", page)
	}
}
