package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/migrations"
)

// aged records a delivery that was made and, where it is not pending, ended some days ago, with a failed try.
func aged(t *testing.T, s *store.Store, of pay.Delivery, status string, days int) uuid.UUID {
	t.Helper()
	at := time.Now().AddDate(0, 0, -days)
	first := store.FirstIDAt(at)
	of.ID = uuid.New()
	copy(of.ID[:8], first[:8])
	require.NoError(t, s.AddDeliveries(t.Context(), []pay.Delivery{of}))
	_, err := s.Q.NewRaw(`with tried as (insert into failed_attempts (delivery_id, attempt, status, duration_ms) values (?0, 1, 500, 5))
		update deliveries set status = ?1, created_at = ?2, finished_at = case when ?1 <> 'pending' then ?2::timestamptz end where id = ?0`, of.ID, status, at).Exec(t.Context())
	require.NoError(t, err)
	return of.ID
}

// A worker deletes old deliveries with their tries, the oldest first and no more than asked for. One that is to go out stays however old
// it is, and so does one with a job.
func TestOnlyEndedDeliveriesAreForgotten(t *testing.T) {
	t.Parallel()
	s, worker := store.New(testkit.DB(t)), store.New(testkit.DBAs(t, migrations.WorkerRole))
	merchant := uuid.Must(uuid.NewV7())
	exec(t, s.DB, "insert into merchants (id, name, webhook_secret) values ('"+merchant.String()+"', 'Shop', 'sealed')")
	of := pay.Delivery{MerchantID: merchant, Subject: uuid.Must(uuid.NewV7()), Event: pay.PaymentProcessed, URL: "https://shop.example/hook", Body: []byte("{}")}

	older := aged(t, s, of, pay.DeliveryDelivered, 40)
	again := of
	again.RedeliveryOf = &older
	exhausted := aged(t, s, of, pay.DeliveryExhausted, 32)
	due := aged(t, s, of, pay.DeliveryPending, 90)
	atWork := aged(t, s, of, pay.DeliveryExhausted, 60)
	require.NoError(t, s.AddJob(t.Context(), delivering, atWork, time.Hour))
	repeated := aged(t, s, again, pay.DeliveryDelivered, 29)
	endedLate := aged(t, s, of, pay.DeliveryDelivered, 35)
	exec(t, s.DB, "update deliveries set finished_at = now() - interval '29 days' where id = '"+endedLate.String()+"'")

	left := func() (ids []uuid.UUID) {
		require.NoError(t, s.Q.NewRaw("select id from deliveries where id in (select delivery_id from failed_attempts)").Scan(t.Context(), &ids))
		return ids
	}
	forget := func(most int) int {
		gone, err := worker.ForgetDeliveries(t.Context(), 30, most)
		require.NoError(t, err)
		return gone
	}
	require.Equal(t, 1, forget(1))
	require.ElementsMatch(t, []uuid.UUID{exhausted, due, atWork, repeated, endedLate}, left(), "the oldest goes first")
	require.Equal(t, 1, forget(10))
	require.ElementsMatch(t, []uuid.UUID{due, atWork, repeated, endedLate}, left())
	require.Zero(t, forget(10))

	kept, err := s.Delivery(t.Context(), repeated)
	require.NoError(t, err)
	require.Equal(t, &older, kept.RedeliveryOf, "it still says what it repeats")
	_, err = worker.ForgetDeliveries(t.Context(), 6, 10)
	require.ErrorContains(t, err, "7 days at least")
	_, err = worker.Q.NewRaw("delete from deliveries").Exec(t.Context())
	require.ErrorContains(t, err, "permission denied")
	var payouts int
	require.NoError(t, s.Q.NewRaw("select count(*) from told_payins").Scan(t.Context(), &payouts))
	require.Zero(t, payouts, "nothing is kept of payouts")
}

// While the oldest deliveries cannot go, a step reads these and those that it deletes, and no newer one.
func TestForgettingReadsNoNewerDeliveries(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	_, err := s.ForgetDeliveries(t.Context(), 30, 5) // its plan is that of an empty table
	require.NoError(t, err)
	exec(t, s.DB, "insert into merchants (id, name, webhook_secret) values (gen_random_uuid(), 'Shop', 'sealed')")
	exec(t, s.DB, "insert into jobs (kind, ref, run_at) select 'webhook.deliver', gen_random_uuid(), now() from generate_series(1, 500)")
	for _, days := range []int{40, 3} {
		exec(t, s.DB, `insert into deliveries (id, merchant_id, subject, event, url, body, status, finished_at)
			select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid, m.id, gen_random_uuid(),
			'payment_processed', '', '', 'delivered', at from merchants m, generate_series(1, 500) n, lateral (select now() - make_interval(days => `+strconv.Itoa(days)+`)) a(at)`)
	}
	exec(t, s.DB, "begin")
	gone, err := s.ForgetDeliveries(t.Context(), 30, 5)
	require.NoError(t, err)
	require.Equal(t, 5, gone)
	var read int
	require.NoError(t, s.Q.NewRaw("select sum(seq_tup_read + idx_tup_fetch) from pg_stat_xact_user_tables where relname in ('deliveries', 'failed_attempts', 'jobs')").
		Scan(t.Context(), &read))
	exec(t, s.DB, "rollback")
	require.LessOrEqual(t, read, 20)
}
