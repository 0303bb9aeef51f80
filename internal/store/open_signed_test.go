package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// signedAt keeps transactions of a hot wallet in a state, with the nonces from first to last.
func signedAt(t *testing.T, s *store.Store, hot, state string, first, last int) {
	t.Helper()
	id := uuid.New()
	for _, q := range []struct {
		text string
		args []any
	}{
		{threeEther, []any{id, "sent"}},
		{`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state, height)
			select 'ethereum', ?1 || n, ?0, 'pay', ?1, n, 'raw', 0, ?2, case when ?2 in ('mined', 'final') then 10 end
			from generate_series(?3::int, ?4) n`, []any{id, hot, state, first, last}},
	} {
		_, err := s.DB.NewRaw(q.text, q.args...).Exec(t.Context())
		require.NoError(t, err)
	}
}

func txidsOf(t *testing.T, s *store.Store, final int64, limit int) (txids []string) {
	t.Helper()
	open, err := s.OpenSigned(t.Context(), "ethereum", final, limit)
	require.NoError(t, err)
	for _, o := range open {
		txids = append(txids, o.Txid)
	}
	return txids
}

// The first nonces of each hot wallet are answered, so a replaced wallet is not forgotten behind the new one's. Final
// transactions are not answered, nor those in a block not yet final, and a replacement comes after the replaced one.
func TestOpenTransactionsOfEachWallet(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	signedAt(t, s, "old", "sent", 90, 92)
	signedAt(t, s, "hot", "final", 0, 1)
	signedAt(t, s, "hot", "mined", 2, 3)
	signedAt(t, s, "hot", "sent", 4, 5)
	signedAt(t, s, "hot", "signed", 6, 6)
	_, err := s.DB.NewRaw(`insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state, signed_at)
		select network, 'again', payout_id, 'pay', address, nonce, raw, fee, state, signed_at + interval '1 hour' from signed_transactions where txid = 'hot4'`).Exec(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"hot2", "hot3", "old90", "old91"}, txidsOf(t, s, 10, 2))
	require.Equal(t, []string{"hot4", "again", "old90", "old91"}, txidsOf(t, s, 9, 2))
	require.Equal(t, []string{"hot4", "again", "hot5", "hot6", "old90", "old91", "old92"}, txidsOf(t, s, 9, 10))
}

// A plan made by a connection before there were rows reads no more of the later open rows than asked for.
func TestOpenTransactionsByPlansOfEmptyTables(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	conn, err := s.DB.DB.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	look := func(want int) {
		var got int
		require.NoError(t, conn.QueryRowContext(t.Context(), "select count(*) from open_signed('ethereum', 10, 5)").Scan(&got))
		require.Equal(t, want, got)
	}
	reads := func() (rows int) {
		require.NoError(t, conn.QueryRowContext(t.Context(), `select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)
			from pg_stat_xact_user_tables where relname = 'signed_transactions'`).Scan(&rows))
		return rows
	}
	look(0)
	for i := range 20 {
		signedAt(t, s, "hot", "sent", 100*i, 100*i+99)
	}
	for _, before := range []string{"select 1", "analyze signed_transactions"} {
		_, err = conn.ExecContext(t.Context(), before)
		require.NoError(t, err)
		_, err = conn.ExecContext(t.Context(), "begin")
		require.NoError(t, err)
		earlier := reads() // of transactions before, not told to the server yet
		look(5)
		require.Less(t, reads()-earlier, 40, "2,000 are open, after "+before)
		_, err = conn.ExecContext(t.Context(), "rollback")
		require.NoError(t, err)
	}
}

// Whether anything is open is one row to look at, however much is.
func TestAFollowerSeesWhatIsOpenByOneRow(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	for i := range 20 {
		signedAt(t, s, "hot", "sent", 100*i, 100*i+99)
	}
	job := store.DueJob{Kind: "network.follow", Ref: uuid.New()}
	require.NoError(t, s.PlanJob(t.Context(), job.Kind, job.Ref))
	for _, before := range []string{"select 1", "analyze signed_transactions"} {
		_, err := s.DB.NewRaw(before).Exec(t.Context())
		require.NoError(t, err)
		require.NoError(t, s.InTx(t.Context(), func(tx *store.Store) error {
			states, err := tx.StartFollows(t.Context(), []store.FollowStart{{Job: job, Network: "ethereum"}}, time.Minute)
			require.NoError(t, err)
			require.NotNil(t, states[0])
			require.True(t, states[0].Signed)
			var read int
			require.NoError(t, tx.Q.NewRaw(`select coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)
				from pg_stat_xact_user_tables where relname = 'signed_transactions'`).Scan(t.Context(), &read))
			require.Less(t, read, 5, "2,000 are open, after "+before)
			return nil
		}))
	}
}
