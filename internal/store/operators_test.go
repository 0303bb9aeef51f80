package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// withAnn is a store with an operator of this name.
func withAnn(t *testing.T) (*store.Store, *store.Operator) {
	s := store.New(testkit.DB(t))
	_, err := s.AddOperator(t.Context(), &store.Operator{ID: uuid.New(), Name: "ann", Role: "admin", Password: "hash"})
	require.NoError(t, err)
	ann, err := s.OperatorNamed(t.Context(), "ann")
	require.NoError(t, err)
	return s, ann
}

// A session is not added while its operator's password changes: it waits, and is not there when it has.
func TestASessionWaitsForAChangeOfItsOperator(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		want   bool
	}{
		"password": {"update operators set password = 'another'", false},
		"code":     {"update operators set totp = 'sealed'", false},
		"disabled": {"update operators set disabled_at = now()", false},
		"role":     {"update operators set role = 'viewer'", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, ann := withAnn(t)
			other, err := s.DB.BeginTx(t.Context(), nil)
			require.NoError(t, err)
			_, err = other.NewRaw(c.change).Exec(t.Context())
			require.NoError(t, err)
			type answer struct {
				added bool
				err   error
			}
			done := make(chan answer, 1)
			go func() {
				added, err := s.AddSession(t.Context(), []byte("hash"), ann, true, "here")
				done <- answer{added, err}
			}()
			waitsForALock(t, s)
			require.NoError(t, other.Commit())
			require.Equal(t, answer{c.want, nil}, <-done)
		})
	}
}

// A change of an operator waits for a session being added, and then ends it.
func TestAChangeOfAnOperatorWaitsForItsSessions(t *testing.T) {
	t.Parallel()
	s, ann := withAnn(t)
	other, err := s.DB.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	added, err := (&store.Store{DB: s.DB, Q: other}).AddSession(t.Context(), []byte("hash"), ann, true, "here")
	require.NoError(t, err)
	require.True(t, added)
	done := make(chan error, 1)
	go func() {
		done <- s.InTx(t.Context(), func(tx *store.Store) error {
			if _, err := tx.OperatorForUpdate(t.Context(), "ann"); err != nil {
				return err
			}
			return tx.EndSessions(t.Context(), ann.ID, nil)
		})
	}()
	waitsForALock(t, s)
	require.NoError(t, other.Commit())
	require.NoError(t, <-done)
	found, err := s.HasSession(t.Context(), []byte("hash"), ann.ID)
	require.NoError(t, err)
	require.False(t, found)
	_, err = s.SessionOf(t.Context(), []byte("hash"), time.Hour, time.Hour, time.Hour)
	require.Error(t, err)
}
