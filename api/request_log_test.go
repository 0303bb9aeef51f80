package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// The log has each request whose key is certain, with the form of its path, its status and its error, and no value of it.
func TestRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	log := &RequestLog{Store: s.store, Log: s.deps.Log}
	s.deps.Requests = log
	front := s.open()
	mine := "merchant_id = '" + s.merchant.String() + "'"
	id, key := s.newKey(mine)
	elsewhere, barred := s.newKey(mine, "ips = '{192.0.2.9}'")
	asked := func(method, path, key, body string) answer {
		s.wait(time.Millisecond)
		return ask(t, front, request(method, path, key, body))
	}
	asked(http.MethodGet, "/v1/balances?secret=value", key, "").is(t, http.StatusOK, "")
	asked(http.MethodGet, "/v1/check-payin/customers-secret", key, "").is(t, http.StatusNotFound, "record_not_found")
	asked(http.MethodPost, "/v1/payin", key, `{"customer_info":"secret"}`).is(t, http.StatusBadRequest, "invalid_parameters")
	asked(http.MethodGet, "/v1/balances", barred, "").is(t, http.StatusForbidden, "ip_not_authorized")
	ask(t, front, request(http.MethodGet, "/v1/balances", key[:len(key)-4]+"0000", "")).is(t, http.StatusUnauthorized, "api_key_invalid")
	if err := log.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := s.store.LoggedRequests(t.Context(), store.RequestFilter{Merchant: s.merchant}, 100)
	if err != nil || len(found) != 4 {
		t.Fatalf("%d are logged: %+v, %v", len(found), found, err)
	}
	if r := found[0]; r.KeyID != elsewhere || r.Status != http.StatusForbidden || r.Code != "ip_not_authorized" || r.Address == "" || r.RequestID == "" {
		t.Errorf("the newest is %+v", r)
	}
	if r := found[2]; r.KeyID != id || r.Method != http.MethodGet || r.Path != "/v1/check-payin/:reference" || r.Status != http.StatusNotFound {
		t.Errorf("the check is %+v", r)
	}
	if found[3].Code != "" || found[3].Status != http.StatusOK {
		t.Errorf("the oldest is %+v", found[3])
	}
	if n := s.count("select count(*) from request_log r where r::text like '%secret%'"); n != 0 {
		t.Errorf("%d rows have values", n)
	}
	for f, want := range map[store.RequestFilter]int{{Status: 4}: 3, {Status: 403}: 1, {Code: "ip_not_authorized"}: 1, {Key: elsewhere}: 1, {Key: "nobody"}: 0, {Status: 5}: 0} {
		f.Merchant = s.merchant
		if found, err := s.store.LoggedRequests(t.Context(), f, 100); err != nil || len(found) != want {
			t.Errorf("%+v finds %d: %v", f, len(found), err)
		}
	}
}

// Of each key the last 500 stay, whatever comes at once and from how many processes, and those for a week.
func TestTheLogIsBounded(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	many := func(key string, from, n int) (out []store.LoggedRequest) {
		for i := range n {
			out = append(out, store.LoggedRequest{KeyID: key, At: s.clock(), RequestID: strings.Repeat("x", 1), Status: from + i, Took: time.Second})
		}
		return out
	}
	for _, some := range [][]store.LoggedRequest{many("a", 1, 300), append(many("b", 1, 3), many("a", 301, 1200)...), many("a", 1501, 7), many("b", 4, 1)} {
		if err := s.store.LogRequests(t.Context(), some); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count("select count(*) from request_log where key_id = 'a' and status between 1008 and 1507 and took_ms = 1000"); n != 500 {
		t.Errorf("%d of the last are there", n)
	}
	if n := s.count("select count(*) from request_log where key_id = 'b'"); n != 4 {
		t.Errorf("%d of the other key are there", n)
	}
	s.exec("update request_log set at = now() - interval '8 days' where key_id = 'a'")
	if err := store.New(s.db).DeleteExpired(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.count("select count(*) from request_log"); n != 4 {
		t.Errorf("%d are left", n)
	}
}

// A burst keeps no more in memory than it may, and is written by itself.
func TestTheLogWritesByItself(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	log := &RequestLog{Store: s.store, Log: s.deps.Log}
	for range mostLogged + 10 {
		log.Note(store.LoggedRequest{KeyID: "a"})
	}
	if len(log.gathered) != mostLogged {
		t.Errorf("%d are kept", len(log.gathered))
	}
	testkit.Eventually(t, time.Minute, func() bool { return s.count("select count(*) from request_log") == 500 }, "the log to be written")
}
