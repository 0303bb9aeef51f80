package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/store"
	"causeway/migrations"
)

// twoServers are a primary and its replica, with the store that reads from both.
type twoServers struct {
	t                *testing.T
	owner, keeper    *bun.DB // of the primary and of the replica
	primary, replica *bun.DB // as the api
	store            *store.Store
	heard            []error
	there            *store.Replica
}

func newTwoServers(t *testing.T) *twoServers {
	t.Helper()
	primary, replica := testkit.PrivateReplica(t)
	w := &twoServers{t: t}
	as := migrations.RoleName(migrations.DefaultPrefix, migrations.APIRole)
	for _, one := range []struct {
		url, as string
		db      **bun.DB
	}{{primary.SocketURL, "", &w.owner}, {primary.SocketURL, as, &w.primary}, {replica.SocketURL, as, &w.replica}, {replica.SocketURL, "", &w.keeper}} {
		db, err := pg.OpenAs(one.url, 4, one.as)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, db.Close()) })
		*one.db = db
	}
	w.fresh()
	return w
}

// fresh forgets that the replica has failed, as a process just started does.
func (w *twoServers) fresh() {
	w.heard = nil
	w.there = store.NewReplica(w.replica, func(failure error) { w.heard = append(w.heard, failure) })
	w.store = store.New(w.primary).WithReplica(w.there)
}

// sees reports whether Reading finds a merchant that was written just now, and whether the replica has answered.
func (w *twoServers) sees() (seen, byReplica bool) {
	w.t.Helper()
	id := uuid.Must(uuid.NewV7())
	w.exec(w.owner, "insert into merchants (id, name, webhook_secret) values (?, 'Shop', '')", id)
	before, _ := w.there.Reads()
	require.NoError(w.t, w.store.Reading(w.t.Context(), func(s *store.Store) error {
		return s.Q.NewRaw("select exists (select from merchants where id = ?)", id).Scan(w.t.Context(), &seen)
	}))
	after, _ := w.there.Reads()
	return seen, after > before
}

func (w *twoServers) exec(db *bun.DB, statement string, args ...any) {
	w.t.Helper()
	_, err := db.NewRaw(statement, args...).Exec(w.t.Context())
	require.NoError(w.t, err)
}

// A replica answers what was written a moment before. Where it cannot have it, the primary answers: nobody misses what they wrote.
//
// Covers operator §Settings: DATABASE_READ_URL
func TestAReplicaHasWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := newTwoServers(t)
	testkit.Eventually(t, time.Minute, func() bool { // the first bytes take a while on a slow machine
		w.fresh()
		seen, byReplica := w.sees()
		require.True(t, seen)
		return byReplica
	}, "the replica answers")

	w.exec(w.keeper, "select pg_wal_replay_pause()")
	seen, byReplica := w.sees()
	require.True(t, seen)
	require.False(t, byReplica, "it is behind")
	w.exec(w.keeper, "select pg_wal_replay_resume()")
	testkit.Eventually(t, time.Minute, func() bool { _, byReplica := w.sees(); return byReplica }, "it has caught up")

	w.exec(w.keeper, "select pg_promote()")
	testkit.Eventually(t, time.Minute, func() bool {
		w.fresh()
		seen, byReplica = w.sees()
		require.True(t, seen)
		return !byReplica
	}, "a primary of its own is asked no more")
}

// A read that fails on the replica is run again on the primary, and the replica is left alone for a while. What is not there, and a refusal,
// are answers.
func TestAFailingReplicaIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newTwoServers(t)
	testkit.Eventually(t, time.Minute, func() bool { w.fresh(); _, byReplica := w.sees(); return byReplica }, "the replica answers")
	for _, answer := range []error{pay.ErrNotFound, pay.E(pay.Invalid, "code", "No.")} {
		runs := 0
		require.ErrorIs(t, w.store.Reading(t.Context(), func(*store.Store) error { runs++; return answer }), answer)
		require.Equal(t, 1, runs)
	}
	var asked []*bun.DB
	require.NoError(t, w.store.Reading(t.Context(), func(s *store.Store) error {
		if asked = append(asked, s.DB); s.DB == w.replica {
			return errors.New("canceling statement due to conflict with recovery")
		}
		return nil
	}))
	require.Equal(t, []*bun.DB{w.replica, w.primary}, asked)
	_, byReplica := w.sees()
	require.False(t, byReplica, "it rests")
	require.Len(t, w.heard, 1)
	require.ErrorContains(t, w.heard[0], "conflict with recovery")
}

// Within a transaction all is read there. Another server than a replica of this primary is never asked.
func TestOnlyAReplicaIsRead(t *testing.T) {
	t.Parallel()
	own := testkit.DB(t)
	s := store.New(own).WithReplica(store.NewReplica(testkit.EmptyDB(t), func(failure error) { require.ErrorContains(t, failure, "is a primary") }))
	require.NoError(t, s.Reading(t.Context(), func(s *store.Store) error { require.Same(t, own, s.DB); return nil }))
	require.NoError(t, s.InTx(t.Context(), func(tx *store.Store) error {
		return tx.Reading(t.Context(), func(s *store.Store) error { require.Same(t, tx, s); return nil })
	}))
}
