package api

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
)

// TestLongReadsLeaveConnectionsToOthers: one account having all of its history added up, over and over, waits for itself.
// Another is answered beside it, and nobody's other requests wait.
//
// Covers addendum §10: Of reads that may look at every movement
func TestLongReadsLeaveConnectionsToOthers(t *testing.T) {
	t.Parallel()
	s, _ := withMovements(t)
	s.alone = true
	_, other := s.newKey()
	s.operations.Queries.long.wait = 10 * time.Millisecond
	lock, err := s.db.Begin()
	require.NoError(t, err)
	defer func() { _ = lock.Rollback() }()
	_, err = lock.Exec("lock table postings in access exclusive mode")
	require.NoError(t, err)

	ask := func(key, target string) answer { return ask(t, s.front, request("GET", target, key, "")) }
	var waiting sync.WaitGroup
	statuses := make(chan int, longReadsAtOnce)
	begin := func(key, target string) {
		waiting.Go(func() { statuses <- ask(key, target).status })
	}
	blocked := func(n int) func() bool {
		return func() bool {
			return s.count("select count(*) from pg_locks where not granted and relation = 'postings'::regclass") == n
		}
	}
	begin(s.key, "/v1/statements/summary")
	begin(s.key, "/v1/statements?min_amount=1")
	testkit.Eventually(t, time.Minute, blocked(longReadsOfOne), "two reads of the account")
	for _, target := range []string{"/v1/statements/summary", "/v1/statements?max_amount=1"} {
		a := ask(s.key, target)
		a.is(t, http.StatusServiceUnavailable, "service_unavailable")
		require.Equal(t, "1", a.header.Get("Retry-After"))
	}
	begin(other, "/v1/statements/summary")
	begin(other, "/v1/statements/summary")
	testkit.Eventually(t, time.Minute, blocked(longReadsAtOnce), "two reads of another account")
	_, third := s.newKey()
	ask(third, "/v1/statements/summary").is(t, http.StatusServiceUnavailable, "service_unavailable")
	require.Equal(t, http.StatusOK, ask(s.key, "/v1/balances").status)

	require.NoError(t, lock.Rollback())
	waiting.Wait()
	for range longReadsAtOnce {
		require.Equal(t, http.StatusOK, <-statuses)
	}
	require.Equal(t, http.StatusOK, ask(third, "/v1/statements/summary").status)
	require.Empty(t, s.operations.Queries.long.of, "nobody's places are kept")
}
