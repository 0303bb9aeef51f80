package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// A count of an empty installation is zero: an outer join has a row even where nothing waits.
func TestNothingWaitsInAnEmptyInstallation(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	waits, err := s.WaitVitals(t.Context())
	require.NoError(t, err)
	require.Equal(t, store.WaitVitals{}, waits)
	counts, err := s.WaitingCounts(t.Context())
	require.NoError(t, err)
	require.Equal(t, store.WaitingCounts{}, counts)
	approvals, err := s.ApprovalVitals(t.Context())
	require.NoError(t, err)
	require.Equal(t, store.ApprovalVitals{}, approvals)
	first, err := s.FirstAttempts(t.Context(), time.Now())
	require.NoError(t, err)
	require.Equal(t, store.FirstAttempts{}, first)
	failing, err := s.FailingReceivers(t.Context(), time.Now(), uuid.Nil, 10)
	require.NoError(t, err)
	require.Empty(t, failing)
	for _, read := range []func() (int, error){
		func() (int, error) { found, err := s.PayoutVitals(t.Context()); return len(found), err },
		func() (int, error) { found, err := s.BroadcastVitals(t.Context()); return len(found), err },
		func() (int, error) { found, err := s.UntakenVitals(t.Context()); return len(found), err },
		func() (int, error) { found, err := s.UnsignedVitals(t.Context()); return len(found), err },
	} {
		n, err := read()
		require.NoError(t, err)
		require.Zero(t, n)
	}
}

// A followed network without a payin and a payout counts none.
func TestAFollowerWithoutWorkCountsNone(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	exec(t, s.DB, "delete from followers")
	exec(t, s.DB, "insert into followers (network, head) values ('Tron', 50)")
	found, err := s.FollowerVitals(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, []int64{0, 0}, []int64{found[0].Open, found[0].Held})
	require.NoError(t, s.TakeSamples(t.Context(), time.Now()))
	samples, err := s.Samples(t.Context(), time.Now().Add(-time.Hour), time.Hour)
	require.NoError(t, err)
	for _, sample := range samples {
		if sample.Name == "lag" || sample.Name == "volume" {
			require.Zero(t, sample.Most, "%+v", sample)
		}
	}
}

// Waiting webhooks are counted one by one, and unpriced transfers beside them without a product of both.
func TestWhatWaitsIsCounted(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	merchant := uuid.Must(uuid.NewV7())
	exec(t, s.DB, "insert into merchants (id, name, webhook_secret) values (?, 'm', '')", merchant)
	for _, status := range []string{"pending", "pending", "delivered"} {
		exec(t, s.DB, `insert into deliveries (id, merchant_id, subject, event, url, body, status, created_at)
			values (?, ?, ?, 'e', 'u', '', ?, now() - interval '10 s')`, uuid.Must(uuid.NewV7()), merchant, uuid.Must(uuid.NewV7()), status)
	}
	waits, err := s.WaitVitals(t.Context())
	require.NoError(t, err)
	require.Equal(t, int64(2), waits.Deliveries)
	require.GreaterOrEqual(t, waits.OldestDeliveryMS, int64(10_000))
	require.Zero(t, waits.Unpriced)
}
