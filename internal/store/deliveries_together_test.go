package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const delivering = "webhook.deliver"

// deliveries records some of one subject, with their jobs, and starts the jobs.
func deliveries(t *testing.T, s *store.Store, n int) (ids []uuid.UUID, jobs []store.DueJob) {
	t.Helper()
	merchant, subject := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	if _, err := s.DB.ExecContext(t.Context(), "insert into merchants (id, name, webhook_secret) values (?, 'Shop', 'sealed')",
		merchant); err != nil {
		t.Fatal(err)
	}
	var rows []pay.Delivery
	for range n {
		id := uuid.Must(uuid.NewV7())
		ids, jobs = append(ids, id), append(jobs, store.DueJob{Kind: delivering, Ref: id})
		rows = append(rows, pay.Delivery{ID: id, MerchantID: merchant, Subject: subject, Event: pay.PaymentProcessed,
			URL: "https://shop.example/hook", Body: []byte(`{"a":1}`)})
	}
	if err := errors.Join(s.AddDeliveries(t.Context(), rows), s.AddJobs(t.Context(), delivering, ids, time.Hour)); err != nil {
		t.Fatal(err)
	}
	return ids, jobs
}

func TestStartDeliveriesOnlyOfTheirAttempt(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	ids, jobs := deliveries(t, s, 3)
	jobs[2].Attempt = 7
	started, err := s.StartDeliveries(t.Context(), append(jobs, jobs[0]), time.Minute)
	if err != nil || len(started) != 2 {
		t.Fatalf("%d started, %v", len(started), err)
	}
	first, second := started[jobs[0]], started[jobs[1]]
	if first.ID != ids[0] || string(first.Body) != `{"a":1}` || string(first.WebhookSecret) != "sealed" || first.WebhookSecretOld != nil ||
		first.Waits {
		t.Errorf("the first is %+v", first)
	}
	if !second.Waits || second.Status != "pending" {
		t.Errorf("the second is %+v", second)
	}
}

// If one job of a group is another attempt's, the group changes nothing; without it, all is kept and the next delivery
// is woken.
func TestEndDeliveriesAllOrNone(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	ids, jobs := deliveries(t, s, 3)
	end := func(j store.DueJob) store.DeliveryEnd {
		return store.DeliveryEnd{Job: j, Attempt: pay.Attempt{Attempt: 1, Status: 200, DurationMS: 5}, Status: "delivered"}
	}
	state := func() (row struct{ Delivered, Tries, Jobs, Due int }) {
		err := s.DB.NewRaw(`select (select count(*) from deliveries where status = 'delivered' and attempts = 1 and finished_at is not null) as delivered,
			(select count(*) from delivery_attempts where status = 200) as tries, (select count(*) from jobs) as jobs,
			(select count(*) from jobs where run_at <= now() and ref = ?) as due`, ids[2]).Scan(context.Background(), &row)
		if err != nil {
			t.Fatal(err)
		}
		return row
	}
	stale := jobs[1]
	stale.Attempt = 4
	if err := s.EndDeliveries(t.Context(), []store.DeliveryEnd{end(jobs[0]), end(stale)}); !errors.Is(err, store.ErrNotAll) {
		t.Fatalf("a group with a stale attempt: %v", err)
	}
	if row := state(); row.Delivered+row.Tries+row.Due != 0 || row.Jobs != 3 {
		t.Fatalf("a group with a stale attempt left %+v", row)
	}
	if err := s.EndDeliveries(t.Context(), []store.DeliveryEnd{end(jobs[0]), end(jobs[1])}); err != nil {
		t.Fatal(err)
	}
	if row := state(); row.Delivered != 2 || row.Tries != 2 || row.Jobs != 1 || row.Due != 1 {
		t.Fatalf("a group left %+v", row)
	}
}
