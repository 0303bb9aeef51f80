package workers_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/pay"
	"causeway/tasks"
)

// told records a failed payin whose merchant is still to be told so at a path.
func (w *world) told(path string) *pay.Payin {
	w.t.Helper()
	p := w.payin("Tron", "USDT", "5", func(p *pay.Payin) { p.WebhookURL = w.receiver.URL + path })
	w.expires(p)
	return p
}

// delivery is where the only delivery of a payin stands, and how long its job waits now.
func (w *world) delivery(p *pay.Payin) (status string, attempts int, waits time.Duration) {
	w.t.Helper()
	var row struct {
		Status   string
		Attempts int
		Waits    float64
	}
	require.NoError(w.t, w.db.NewRaw(`select d.status, d.attempts, coalesce(extract(epoch from j.run_at - now()), -1)::float8 as waits
		from deliveries d left join jobs j on j.ref = d.id where d.subject = ?`, p.ID).Scan(context.Background(), &row))
	return row.Status, row.Attempts, time.Duration(row.Waits * float64(time.Second))
}

// tries makes one try of each due delivery.
func (w *world) tries() {
	w.t.Helper()
	w.exec("update jobs set run_at = now() - interval '1 second' where kind = ?", tasks.DeliverWebhook)
	due, err := w.store.TakeDue(context.Background(), []string{string(tasks.DeliverWebhook)}, 10, tasks.Visibility)
	require.NoError(w.t, err)
	for _, j := range due {
		require.NoError(w.t, w.workers.Do(context.Background(), tasks.Job{Kind: tasks.DeliverWebhook, Ref: j.Ref, Attempt: j.Attempt}))
	}
}

// Eleven tries, each after its wait of the schedule, and no more.
//
// Covers addendum §11: POST of JSON
func TestDeliveryIsTriedByTheScheduleAndExhausted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.receiver.answers("/no", 500)
	p := w.told("/no")
	for i, wait := range []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour,
		6 * time.Hour, 12 * time.Hour,
		24 * time.Hour, 24 * time.Hour} {
		w.tries()
		status, attempts, waits := w.delivery(p)
		require.Equal(t, "pending", status)
		require.Equal(t, i+1, attempts)
		require.InDelta(t, wait.Seconds(), waits.Seconds(), wait.Seconds()/10+5)
	}
	w.tries()
	status, attempts, waits := w.delivery(p)
	require.Equal(t, "exhausted", status)
	require.Equal(t, 11, attempts)
	require.Negative(t, waits)
	require.Len(t, w.receiver.at("/no"), 11)
	for _, n := range w.receiver.at("/no") {
		require.Equal(t, w.receiver.at("/no")[0].Delivery, n.Delivery)
		require.Equal(t, false, n.Data["is_duplicated"])
	}
}

// Covers addendum §11: POST of JSON
func TestGoneEndsADelivery(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.receiver.answers("/gone", 410)
	p := w.told("/gone")
	w.tries()
	status, attempts, waits := w.delivery(p)
	require.Equal(t, "exhausted", status)
	require.Equal(t, 1, attempts)
	require.Negative(t, waits)
}

// Covers addendum §11: POST of JSON
func TestRetryAfterIsKeptTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.receiver.answers("/busy", 503)
	w.receiver.after("/busy", "7200")
	p := w.told("/busy")
	w.tries()
	status, _, waits := w.delivery(p)
	require.Equal(t, "pending", status)
	require.InDelta(t, 7200, waits.Seconds(), 10)
}

// A try broken off, as when the process stops, is none: the job has not failed, and comes again soon.
func TestATryThatIsBrokenOffIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		close(arrived)
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	p := w.payin("Tron", "USDT", "5", func(p *pay.Payin) { p.WebhookURL = server.URL })
	w.expires(p)
	w.exec("update jobs set run_at = now() - interval '1 second' where kind = ?", tasks.DeliverWebhook)
	due, err := w.store.TakeDue(t.Context(), []string{string(tasks.DeliverWebhook)}, 10, tasks.Visibility)
	require.NoError(t, err)
	require.Len(t, due, 1)
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-arrived; stop() }()
	require.NoError(t, w.workers.Do(ctx, tasks.Job{Kind: tasks.DeliverWebhook, Ref: due[0].Ref, Attempt: due[0].Attempt}))
	status, attempts, waits := w.delivery(p)
	require.Equal(t, "pending", status)
	require.Zero(t, attempts)
	require.LessOrEqual(t, waits, time.Second)
	var failures int
	require.NoError(t, w.db.NewRaw("select failures from jobs where ref = ?", due[0].Ref).Scan(t.Context(), &failures))
	require.Zero(t, failures)
}
