package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
	"causeway/migrations"
)

// webhook puts a webhook of a merchant down, as the workers would.
func (s *shop) webhook(merchant uuid.UUID, subject, event, status string) uuid.UUID {
	s.t.Helper()
	id := uuid.Must(uuid.NewV7())
	body := fmt.Sprintf(`{"data":{"status":"success","reference_id":"of %s","amount":"1.50"},"event":%q,"timestamp":"2026-01-02 03:04:05"}`,
		subject[:8], event)
	s.exec(`insert into deliveries (id, merchant_id, subject, event, url, body, status, finished_at)
		values (?, ?, ?, ?, 'https://hooks.test/w', ?, ?, case when ? <> 'pending' then now() end)`, id, merchant, subject, event, []byte(body), status, status)
	return id
}

// tried puts one try of a webhook down.
func (s *shop) tried(id uuid.UUID, attempt, status int, problem string) {
	s.t.Helper()
	s.exec(`insert into failed_attempts (delivery_id, attempt, at, status, error, duration_ms) values (?, ?, '2026-05-06 07:08:09+00', ?, ?, 120)`,
		id, attempt, status, problem)
	s.exec(`update deliveries set attempts = greatest(attempts, ?) where id = ?`, attempt, id)
}

func someone() string { return uuid.Must(uuid.NewV7()).String() }

const deliveriesPath = "/v1/webhook-deliveries"

// Webhooks are listed newest first, by status, event and subject.
func TestListOfWebhooks(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: GET /v1/webhook-deliveries (webhooks:read) lists", "api-v1 §Webhook deliveries: Its filters are",
		"api-v1 §Webhook deliveries: A webhook has")
	s := newShop(t)
	_, asked := s.payin()
	payin := asked.at("data.internal_reference").(string)
	s.exec(`update payins set reference_id = 'order/1 ü' where id = ?`, payin)
	first := s.webhook(s.merchant, payin, "payment_detected", "delivered")
	s.tried(first, 1, 0, "timed out")
	s.tried(first, 2, 204, "")
	second := s.webhook(s.merchant, payin, "payment_confirmed", "exhausted")
	s.tried(second, 1, 500, "HTTP status 500")
	third := s.webhook(s.merchant, someone(), "payment_confirmed", "pending")
	s.get(deliveriesPath).wants(t, map[string]any{
		"message": "webhook_deliveries_retrieved_success", "meta.total": 3, "meta.total_pages": 1, "meta.current_page": 1, "meta.per_page": 50,
		"deliveries.0.id": third.String(), "deliveries.0.status": "pending", "deliveries.0.finished_at": nil,
		"deliveries.0.last_attempt": nil, "deliveries.0.attempt_count": 0,
		"deliveries.1.id": second.String(), "deliveries.1.last_attempt.http_status": 500, "deliveries.1.last_attempt.error": "HTTP status 500",
		"deliveries.2.id": first.String(), "deliveries.2.event": "payment_detected", "deliveries.2.internal_reference": payin,
		"deliveries.2.reference_id": "of " + payin[:8],
		"deliveries.2.webhook_url":  "https://hooks.test/w", "deliveries.2.attempt_count": 2, "deliveries.2.redelivery_of": nil,
		"deliveries.2.last_attempt.attempt": 2, "deliveries.2.last_attempt.http_status": 204, "deliveries.2.last_attempt.error": nil,
		"deliveries.2.last_attempt.attempted_at": "2026-05-06 07:08:09", "deliveries.2.last_attempt.duration_ms": 120, "deliveries.3": nil,
	})
	for query, want := range map[string][]uuid.UUID{
		"?status=": {third, second, first}, "?status=EXHAUSTED": {second}, "?status=delivered": {first}, "?event=payment_confirmed": {third, second},
		"?event=Payment_Detected&status=pending": {}, "?reference=" + payin: {second, first}, "?reference=order%2F1%20%C3%BC": {second, first},
		"?reference=" + payin + "&event=payment_detected": {first}, "?reference=" + payin + "&per_page=1&page=2": {first},
		"?reference=nobody": {}, "?reference=" + someone(): {},
		"?per_page=2": {third, second}, "?per_page=2&page=2": {first}, "?page=3&per_page=2": {}, "?page=2147483647&per_page=100": {},
		"?page=99999999999999999999": {},
		"?unknown=1":                 {third, second, first}, "?reference=" + strings.ToUpper(payin): {second, first},
	} {
		r := s.get(deliveriesPath + query)
		got := r.list("deliveries")
		if len(got) != len(want) {
			t.Errorf("%s: %v", query, r)
			continue
		}
		for i := range want {
			r.wants(t, map[string]any{fmt.Sprintf("deliveries.%d.id", i): want[i].String()})
		}
	}
	s.get(deliveriesPath+"?status=Pending&event=PAYMENT_CONFIRMED&per_page=7&reference="+payin).wants(t, map[string]any{
		"meta.filters.status": "pending", "meta.filters.event": "payment_confirmed", "meta.filters.reference": payin, "meta.per_page": 7, "meta.total": 0, "meta.total_pages": 0})
	for query, code := range map[string]string{
		"?page=-1": "invalid_page_number", "?per_page=101": "invalid_per_page_limit", "?per_page=-1": "invalid_per_page_limit",
		"?status=failed": "invalid_status_filter",
		"?event=nothing": "invalid_parameters", "?reference=" + strings.Repeat("x", 256): "invalid_reference_id",
	} {
		if status, r := s.call(http.MethodGet, deliveriesPath+query, ""); status != 400 || r.code() != code {
			t.Errorf("%s: %d %v", query, status, r)
		}
	}
}

// Its parameter is reference, not reference_id.
func TestARefusedReferenceIsCalledAsItWasSent(t *testing.T) {
	t.Parallel()
	_, r := newShop(t).call(http.MethodGet, deliveriesPath+"?reference="+strings.Repeat("x", 256), "")
	r.wants(t, map[string]any{"error.message": "reference must have at most 255 characters."})
}

// A list reaches back 10,000 webhooks of those fitting the filter; an older one is found by its reference.
func TestHowFarAListOfWebhooksReaches(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: A list has the newest")
	s := newShop(t)
	oldest := someone()
	s.webhook(s.merchant, oldest, "payment_failed", "exhausted")
	s.exec(`insert into deliveries (id, merchant_id, subject, event, url, body, status)
		select gen_random_uuid(), ?, gen_random_uuid(), (array['payment_processed', 'payment_failed'])[1 + n % 2], 'https://hooks.test/w', '{}', 'delivered' from generate_series(1, 20100) n`, s.merchant)
	s.exec(`analyze deliveries`)
	s.get(deliveriesPath+"?per_page=100&page=100").wants(t, map[string]any{"meta.total": 10000, "meta.total_pages": 100, "deliveries.100": nil})
	if n := len(s.get(deliveriesPath + "?per_page=100&page=100").list("deliveries")); n != 100 {
		t.Errorf("%d on the last page", n)
	}
	s.get(deliveriesPath+"?per_page=100&page=101").wants(t, map[string]any{"meta.total": 10000, "deliveries.0": nil})
	s.get(deliveriesPath+"?event=payment_failed").wants(t, map[string]any{"meta.total": 10000, "deliveries.0.status": "delivered"})
	s.get(deliveriesPath+"?event=payment_failed&status=exhausted").
		wants(t, map[string]any{"meta.total": 1, "deliveries.0.internal_reference": oldest})
	s.get(deliveriesPath+"?reference="+oldest).wants(t, map[string]any{"meta.total": 1, "deliveries.0.status": "exhausted"})
}

// One webhook is shown with every try and the sent body, as it stands.
func TestOneWebhook(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: GET /v1/webhook-deliveries/{id}")
	s := newShop(t)
	id := s.webhook(s.merchant, someone(), "payment_confirmed", "delivered")
	s.get(deliveriesPath+"/"+id.String()).wants(t, map[string]any{"delivery.attempts.0": nil, "delivery.last_attempt": nil})
	s.tried(id, 1, 0, "connection refused")
	s.tried(id, 2, 200, "")
	r := s.get(deliveriesPath + "/" + id.String())
	r.wants(t, map[string]any{
		"message": "webhook_delivery_retrieved_success", "delivery.id": id.String(), "delivery.status": "delivered", "delivery.attempt_count": 2,
		"delivery.attempts.0.attempt": 1, "delivery.attempts.0.http_status": nil, "delivery.attempts.0.error": "connection refused",
		"delivery.attempts.0.duration_ms":  120,
		"delivery.attempts.0.attempted_at": "2026-05-06 07:08:09", "delivery.attempts.1.http_status": 200, "delivery.attempts.1.error": nil,
		"delivery.attempts.2":           nil,
		"delivery.last_attempt.attempt": 2, "delivery.body.event": "payment_confirmed", "delivery.body.data.amount": "1.50",
	})
}

// Another account's webhook is as unknown as one never sent, and stays untouched.
func TestWebhooksOfOthers(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: Another account's webhooks")
	s := newShop(t)
	subject := someone()
	theirs := s.webhook(s.merchant, subject, "payment_confirmed", "exhausted").String()
	_, other := s.newKey()
	before := s.contents()
	for _, c := range []struct{ method, path string }{
		{"GET", "/" + theirs}, {"POST", "/" + theirs + "/redeliver"}, {"GET", "/" + someone()}, {"POST", "/" + someone() + "/redeliver"},
		{"GET", "/x"}, {"POST", "/x/redeliver"},
		{"GET", "/" + strings.ReplaceAll(theirs, "-", "")}, {"GET", "/%7B" + theirs + "%7D"}, {"GET", "/" + strings.Repeat("9", 800)},
		{"POST", "/%00/redeliver"},
	} {
		a := ask(t, s.front, request(c.method, deliveriesPath+c.path, other, ""))
		a.is(t, 404, "record_not_found")
		if a.body.Error.Details["resource"] != "webhook_delivery" {
			t.Errorf("%s: %s", c.path, a.text)
		}
	}
	for _, query := range []string{"", "?reference=" + subject, "?status=exhausted"} {
		decodeReply(t, ask(t, s.front, request("GET", deliveriesPath+query, other, "")).text).
			wants(t, map[string]any{"meta.total": 0, "deliveries.0": nil})
	}
	for _, c := range []struct{ method, path string }{
		{"HEAD", ""}, {"POST", ""}, {"DELETE", "/" + theirs}, {"HEAD", "/" + theirs}, {"PUT", "/" + theirs + "/redeliver"},
		{"GET", "/" + theirs + "/redeliver"}, {"GET", "/"}, {"POST", "/" + theirs + "/redeliver/"},
	} {
		if a := ask(t, s.front, request(c.method, deliveriesPath+c.path, s.key, "")); a.status != 404 {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.text)
		}
	}
	if s.contents() != before {
		t.Error("something was recorded")
	}
}

// A deleted webhook is as one that was never sent. Its repetition still names it, and can be sent again itself.
func TestDeletedWebhooks(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: A webhook may be deleted")
	s := newShop(t)
	gone := s.webhook(s.merchant, someone(), "payment_confirmed", "exhausted")
	_, answer := s.again(gone)
	again := answer.at("delivery.id").(string)
	s.exec("update deliveries set status = 'delivered', finished_at = now() where id = ?", again)
	s.exec("delete from jobs where ref = ?", again)
	old := uuid.UUID{}
	copy(old[6:], gone[6:])
	s.exec("update deliveries set id = ?, finished_at = now() - interval '31 days' where id = ?", old, gone)
	s.exec("update deliveries set redelivery_of = ? where id = ?", old, again)
	n, err := store.New(testkit.DBAs(t, migrations.WorkerRole)).ForgetDeliveries(t.Context(), 30, 10)
	if err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for _, c := range []struct{ method, path string }{{"GET", "/" + old.String()}, {"POST", "/" + old.String() + "/redeliver"}} {
		ask(t, s.front, request(c.method, deliveriesPath+c.path, s.key, "")).is(t, 404, "record_not_found")
	}
	s.get(deliveriesPath).wants(t, map[string]any{"meta.total": 1, "deliveries.0.id": again, "deliveries.0.redelivery_of": old.String()})
	if status, _ := s.again(uuid.MustParse(again)); status != 201 {
		t.Errorf("its repetition sent again is %d", status)
	}
}

func (s *shop) again(id uuid.UUID) (int, reply) {
	s.t.Helper()
	return s.call(http.MethodPost, deliveriesPath+"/"+id.String()+"/redeliver", "")
}

// A webhook is sent once more as a new one, due at once, with its audit row; asked again meanwhile, the API answers the new
// one.
func TestRedelivery(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: POST /v1/webhook-deliveries/{id}/redeliver",
		"api-v1 §Webhook deliveries: While such a repetition",
		"api-v1 §Webhook deliveries: Each redelivery")
	s := newShop(t)
	subject := someone()
	waits := s.webhook(s.merchant, subject, "payment_detected", "pending")
	id := s.webhook(s.merchant, subject, "payment_confirmed", "exhausted")
	s.exec(`insert into jobs (kind, ref, run_at) values ('webhook.deliver', ?, now() + interval '1 hour')`, waits)
	status, r := s.again(id)
	if status != http.StatusCreated {
		t.Fatalf("%d %v", status, r)
	}
	fresh := r.at("delivery.id").(string)
	r.wants(t, map[string]any{"message": "webhook_redelivered_success", "delivery.redelivery_of": id.String(), "delivery.status": "pending",
		"delivery.event": "payment_confirmed", "delivery.internal_reference": subject, "delivery.attempt_count": 0, "delivery.finished_at": nil})
	s.get(deliveriesPath+"/"+fresh).wants(t, map[string]any{"delivery.body.data.is_duplicated": true, "delivery.body.data.amount": "1.50",
		"delivery.body.event": "payment_confirmed"})
	s.get(deliveriesPath+"/"+id.String()).wants(t, map[string]any{"delivery.body.data.is_duplicated": nil, "delivery.status": "exhausted"})
	if n := s.count(`select count(*) from jobs where kind = 'webhook.deliver' and ref in (?, ?) and run_at <= now()`, fresh, waits); n != 2 {
		t.Errorf("%d jobs are due, want that of the repetition and that of what goes before it", n)
	}
	if n := s.count(`select count(*) from audit where actor = ? and action = 'webhook.redeliver' and subject = ? and after->>'id' = ?`,
		"key:"+s.keyID, "delivery:"+id.String(), fresh); n != 1 {
		t.Errorf("%d audit rows", n)
	}
	status, r = s.again(id)
	if r.wants(t, map[string]any{"message": "webhook_already_redelivered", "delivery.id": fresh}); status != http.StatusOK {
		t.Errorf("%d %v", status, r)
	}
	s.exec(`update deliveries set status = 'delivered' where id = ?`, fresh)
	if status, r = s.again(id); status != http.StatusCreated || r.at("delivery.id") == fresh {
		t.Errorf("%d %v", status, r)
	}
	if n := s.count(`select count(*) from deliveries where redelivery_of = ?`, id); n != 2 || s.count(`select count(*) from audit`) != 2 {
		t.Errorf("%d repetitions", n)
	}
}

// However many ask at once, one webhook has one repetition going out.
func TestRedeliveryAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.webhook(s.merchant, someone(), "payment_confirmed", "exhausted")
	var made, found atomic.Int32
	together(20, func(int) {
		switch a := ask(t, s.front, request("POST", deliveriesPath+"/"+id.String()+"/redeliver", s.key, "")); a.status {
		case http.StatusCreated:
			made.Add(1)
		case http.StatusOK:
			found.Add(1)
		default:
			t.Errorf("%d %s", a.status, a.text)
		}
	})
	if made.Load() != 1 || found.Load() != 19 || s.count(`select count(*) from deliveries`) != 2 {
		t.Errorf("%d made, %d found", made.Load(), found.Load())
	}
}

// An account has 100 an hour, whichever keys and webhooks; another account has its own.
func TestRedeliveriesAreLimited(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: An account has at most")
	s := newShop(t)
	id := s.webhook(s.merchant, someone(), "payment_confirmed", "exhausted")
	s.exec(`insert into deliveries (id, merchant_id, subject, event, url, body, status, redelivery_of, created_at)
		select gen_random_uuid(), ?, gen_random_uuid(), 'payment_confirmed', 'https://hooks.test/w', '{}', 'delivered', ?, now() - interval '59 minutes' from generate_series(1, 98)`, s.merchant, id)
	more := s.webhook(s.merchant, someone(), "payment_confirmed", "delivered")
	for _, of := range []uuid.UUID{id, more} {
		if status, r := s.again(of); status != http.StatusCreated {
			t.Fatalf("%d %v", status, r)
		}
	}
	last := s.webhook(s.merchant, someone(), "payment_confirmed", "delivered")
	before := s.contents()
	a := ask(t, s.front, request("POST", deliveriesPath+"/"+last.String()+"/redeliver", s.key, ""))
	a.is(t, 429, "rate_limit_exceeded")
	wait, _ := a.body.Error.Details["retry_after_seconds"].(float64)
	if wait < 1 || wait > 60 || a.header.Get("Retry-After") != fmt.Sprint(wait) || a.body.Error.Details["limit"] != 100.0 ||
		a.body.Error.Details["window_seconds"] != 3600.0 {
		t.Errorf("%v %s", a.header, a.text)
	}
	if status, r := s.again(more); status != http.StatusOK { // what is answered costs nothing
		t.Errorf("%d %v", status, r)
	}
	if s.contents() != before {
		t.Error("a refused redelivery was recorded")
	}
	s.exec(`update deliveries set created_at = created_at - interval '1 minute' where redelivery_of is not null`)
	if status, r := s.again(last); status != http.StatusCreated {
		t.Errorf("a minute later: %d %v", status, r)
	}
	otherID, other := s.newKey()
	var merchant uuid.UUID
	if err := s.db.NewRaw("select merchant_id from keys where id = ?", otherID).Scan(t.Context(), &merchant); err != nil {
		t.Fatal(err)
	}
	theirs := s.webhook(merchant, someone(), "payment_confirmed", "delivered")
	ask(t, s.front, request("POST", deliveriesPath+"/"+theirs.String()+"/redeliver", other, "")).is(t, 201, "")
}

// The new scopes are granted to nobody without asking: a key from before scopes has neither, and reading is not sending.
func TestScopesOfWebhooks(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Webhook deliveries: The scopes")
	s := newShop(t)
	_, legacy := s.newKey("scopes = null")
	ask(t, s.front, request("GET", deliveriesPath, legacy, "")).is(t, 403, "scope_denied")
	_, reads := s.newKey("scopes = '{webhooks:read}'")
	ask(t, s.front, request("GET", deliveriesPath, reads, "")).is(t, 200, "")
	a := ask(t, s.front, request("POST", deliveriesPath+"/"+someone()+"/redeliver", reads, ""))
	a.is(t, 403, "scope_denied")
	if fmt.Sprint(a.body.Error.Details["required_scopes"]) != "[webhooks:write]" {
		t.Error(a.text)
	}
}
