package store_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// The reasons of unsigned payouts, and the number of those waiting for approval, are read from the failing and waiting
// payouts, not from all open ones.
func TestWhatFailsIsReadAlone(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	exec(t, s.DB, planMade, 1, 2000, "queued", "signed")
	exec(t, s.DB, "update jobs set failures = 3, last_error = 'too little: ' || attempt || '.5' where ref in (select id from payouts order by id limit 2)")
	exec(t, s.DB, "update payouts set created_at = now() - interval '1 hour'")
	exec(t, s.DB, "insert into payout_approvals (payout_id, why, decision, decided_by, decided_at) select id, 'x', 'approved', 'a', now() - interval '1 hour' from payouts")
	exec(t, s.DB, "update payout_approvals set decision = null, decided_by = null, decided_at = null where payout_id = (select id from payouts order by id desc limit 1)")
	exec(t, s.DB, "vacuum analyze")
	rows, _ := testkit.Touched(t, s.DB)
	unsigned, err := s.UnsignedVitals(t.Context())
	require.NoError(t, err)
	approvals, err := s.ApprovalVitals(t.Context())
	require.NoError(t, err)
	after, _ := testkit.Touched(t, s.DB)
	require.Less(t, after-rows, 40, "2000 are not meant")
	require.Len(t, unsigned, 1)
	require.Equal(t, []any{int64(2), uuid.MustParse("00000000-0000-0000-0000-000000000001"), "too little: 1.5"},
		[]any{unsigned[0].Payouts, unsigned[0].Oldest, unsigned[0].Reason})
	require.Equal(t, int64(1), approvals.Payouts)
}

// Payouts waiting while a merchant is suspended are read from the open ones, not from all ever paid.
func TestWhatASuspensionHoldsIsReadAlone(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	exec(t, s.DB, planMade, 1, 3000, "completed", "final")
	exec(t, s.DB, planMade, 5000, 5, "queued", "signed")
	exec(t, s.DB, "update payouts set merchant_id = '00000000-0000-0000-0000-000000000001', reference_id = id::text where id in (select id from payouts order by id limit 2500)")
	exec(t, s.DB, "update payouts set merchant_id = '00000000-0000-0000-0000-000000000001', reference_id = id::text where id in (select id from payouts order by id desc limit 2)")
	exec(t, s.DB, "update merchants set suspended = true where id = '00000000-0000-0000-0000-000000000001'")
	exec(t, s.DB, "vacuum analyze")
	rows, _ := testkit.Touched(t, s.DB)
	found, err := s.WaitingPayouts(t.Context(), uuid.Nil, 50)
	require.NoError(t, err)
	counts, err := s.WaitingCounts(t.Context())
	require.NoError(t, err)
	approvals, err := s.ApprovalVitals(t.Context())
	require.NoError(t, err)
	after, _ := testkit.Touched(t, s.DB)
	require.Less(t, after-rows, 100, "3000 are not meant")
	require.Len(t, found, 2)
	require.Equal(t, []int64{2, 2}, []int64{counts.Approvals, approvals.Payouts})
}
