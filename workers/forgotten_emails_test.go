package workers_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"causeway/tasks"
	"causeway/workers/desk"
	"causeway/workers/upkeep"
)

// The cleanup forgets addresses of customers after the days of the setting, and none without it.
func TestTheCleanupForgetsEmails(t *testing.T) {
	t.Parallel()
	w := newWorldThatMayDiffer(t, "Tron")
	for _, days := range []int{44, 46} {
		w.exec(`insert into payment_requests (id, merchant_id, key_id, reference_id, amount, currency, is_fiat, email, webhook_url, expires_at)
			values (?0, ?1, 'k', ?0::text, 25, 'USD', true, 'anna@example.com', '', now() - make_interval(days => ?2))`, uuid.New(), w.merchant, days)
	}
	log, _ := test.NewNullLogger()
	for _, c := range []struct{ kept, left int }{{0, 2}, {45, 1}} {
		worker := &upkeep.Worker{Desk: &desk.Desk{Store: w.worker, Networks: w.registry, Bell: silent{}, Log: log}, EmailsKept: c.kept}
		j, err := w.store.TakeJob(t.Context(), string(tasks.Cleanup), tasks.RefOf(string(tasks.Cleanup)), tasks.Visibility, "")
		require.NoError(t, err)
		require.NoError(t, worker.Periodic(t.Context(), j))
		var left int
		require.NoError(t, w.db.NewRaw("select count(*) from payment_requests where email <> ''").Scan(t.Context(), &left))
		require.Equal(t, c.left, left)
	}
}
