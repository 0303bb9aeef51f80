package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// A follower is locked after its job.
func TestAFollowerIsLockedAfterItsJob(t *testing.T) {
	t.Parallel()
	const kind = "network.follow"
	job := store.DueJob{Kind: kind, Ref: guardedID, Attempt: 1}
	for name, run := range map[string]func(context.Context, *store.Store) error{
		"a step": func(ctx context.Context, s *store.Store) error {
			_, err := s.AdvanceFollows(ctx, []store.FollowAdvance{{Job: job, Network: "ethereum", Head: 5}})
			return err
		},
		"a step that fails": func(ctx context.Context, s *store.Store) error {
			_, err := s.NoteFollower(ctx, job, "ethereum", "why", false)
			return err
		},
		"the end of following": func(ctx context.Context, s *store.Store) error {
			if _, _, err := s.ClaimBooks(ctx, store.LiveBooks); err != nil {
				return err
			}
			return s.Unfollow(ctx, []string{"ethereum"}, kind, []uuid.UUID{guardedID})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store.New(testkit.DB(t))
			exec(t, s.DB, "insert into jobs (kind, ref, run_at, attempt) values (?, ?, now(), 1)", kind, guardedID)
			exec(t, s.DB, "insert into followers (network, head) values ('ethereum', 4)")
			other, err := s.DB.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			_, err = other.NewRaw("select from jobs for update").Exec(t.Context())
			require.NoError(t, err)
			done := make(chan error, 1)
			go func() {
				done <- s.InTx(t.Context(), func(tx *store.Store) error { return run(t.Context(), tx) })
			}()
			waitsForALock(t, s)
			_, err = other.NewRaw("select from followers for update nowait").Exec(t.Context())
			require.NoError(t, err)
			require.NoError(t, other.Commit())
			require.NoError(t, <-done)
		})
	}
}

// waitsForALock waits until some statement of the test's database does.
func waitsForALock(t *testing.T, s *store.Store) {
	t.Helper()
	testkit.Eventually(t, time.Minute, func() bool {
		waiting := 0
		err := s.DB.NewRaw("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'").
			Scan(t.Context(), &waiting)
		return err == nil && waiting > 0
	}, "it waits for a lock")
}

// Statements lock several rows in one order: a statement waiting for the first has not locked the last, whichever was
// written first and is named first.
func TestRowsAreLockedInOneOrder(t *testing.T) {
	t.Parallel()
	first, last := uuid.MustParse("01900000-0000-7000-8000-000000000001"), uuid.MustParse("01900000-0000-7000-8000-000000000002")
	const transaction, job = "select from signed_transactions where txid = ?1 for update nowait", "select from jobs where ref = ?0 for update nowait"
	for name, c := range map[string]struct {
		lock, before string
		run          func(context.Context, *store.Store) error
	}{
		"a payout's transactions, whose nonce another took": {transaction, "update signed_transactions set payout_id = ?0, state = 'sent'",
			func(ctx context.Context, s *store.Store) error {
				_, err := s.ReplaceSignedOf(ctx, first, "another", 7)
				return err
			}},
		"replaced transactions": {transaction, "", func(ctx context.Context, s *store.Store) error {
			return s.MarkAllReplaced(ctx, "ethereum", []*pay.SignedTransaction{{PayoutID: last, Address: "hot", Nonce: 2, Txid: "final 2"},
				{PayoutID: first, Address: "hot", Nonce: 1, Txid: "final 1"}})
		}},
		"transactions that are undone": {transaction, "", func(ctx context.Context, s *store.Store) error {
			_, _, err := s.UnmineSigned(ctx, "ethereum", 4)
			return err
		}},
		"jobs of payouts that wait": {job, "", func(ctx context.Context, s *store.Store) error {
			return s.WakeWaiting(ctx, "payout.broadcast", guardedID)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := store.New(testkit.DB(t))
			for i, id := range []uuid.UUID{last, first} {
				exec(t, s.DB, `insert into payouts (id, merchant_id, key_id, reference_id, wallet, token, asset, network, process_by, amount, debit,
					rate_fee, network_fee, pays_network_fee, fee_from_amount, percent_rate, fiat_currency, webhook_url, status)
					values (?0, ?1, 'k', ?0, 'w', 'ETH', 'ETH', 'ethereum', 'crypto_amount', 1, 1, 0, 0, false, false, 0, 'USD', 'https://a.b', 'queued')`, id, guardedID)
				exec(t, s.DB, `insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state, height)
					values ('ethereum', ?0, ?1, 'pay', 'hot', ?2, 'raw', 0, 'mined', ?3)`, id, id, 2-i, 6-i)
				exec(t, s.DB, "insert into jobs (kind, ref, run_at) values ('payout.broadcast', ?0, now() + interval '1 hour')", id)
				exec(t, s.DB, "insert into payout_approvals (payout_id, why) values (?0, 'much')", id)
			}
			if c.before != "" {
				exec(t, s.DB, c.before, first)
			}
			exec(t, s.DB, "analyze") // or a young table would be read by an index, by chance in the right order
			other, err := s.DB.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			_, err = other.NewRaw(c.lock, first, first.String()).Exec(t.Context())
			require.NoError(t, err)
			done := make(chan error, 1)
			go func() {
				done <- s.InTx(t.Context(), func(tx *store.Store) error { return c.run(t.Context(), tx) })
			}()
			waitsForALock(t, s)
			_, err = other.NewRaw(c.lock, last, last.String()).Exec(t.Context())
			require.NoError(t, err)
			require.NoError(t, other.Commit())
			require.NoError(t, <-done)
		})
	}
}

// Steps of several networks lock the fixed wallets of a family in the order of their ids.
func TestWalletsAreLockedInOneOrder(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	first, last := uuid.MustParse("01900000-0000-7000-8000-000000000001"), uuid.MustParse("01900000-0000-7000-8000-000000000002")
	exec(t, s.DB, "insert into merchants (id, name, webhook_secret) values (?, 'Shop', '')", guardedID)
	for _, id := range []uuid.UUID{last, first} {
		exec(t, s.DB, `insert into wallets (id, merchant_id, family, customer_info, wallet, status) values (?0, ?1, 'evm', ?0, 'w', 'STATUS_ASSIGNED')`,
			id, guardedID)
	}
	exec(t, s.DB, "analyze")
	other, err := s.DB.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	lock := func(id uuid.UUID) error {
		_, err := other.NewRaw("select from wallets where id = ? for update nowait", id).Exec(t.Context())
		return err
	}
	require.NoError(t, lock(first))
	done := make(chan error, 1)
	go func() {
		done <- s.InTx(t.Context(), func(tx *store.Store) error {
			known, err := tx.WalletsForUpdate(t.Context(), []uuid.UUID{last, first})
			if err == nil && len(known) != 2 {
				err = pay.ErrNotFound
			}
			return err
		})
	}()
	waitsForALock(t, s)
	require.NoError(t, lock(last))
	require.NoError(t, other.Commit())
	require.NoError(t, <-done)
}
