package api

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/internal/contract"
	"causeway/internal/testkit"
	"causeway/migrations"
	"causeway/store"
)

// TestPostgresRestartsUnderLoad crashes Postgres while clients send: what was answered as created is there, and what was
// answered with 500 is not.
func TestPostgresRestartsUnderLoad(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: That is a statement")
	stack := testkit.PrivateStack(t)
	db, err := store.Open(stack.DatabaseURL, 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := migrations.Up(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	s := newShop(t, on(db))
	s.fund(s.merchant, "USDT", "1000000000")

	var statuses sync.Map // reference -> status
	var stop atomic.Bool
	var created atomic.Int32
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			for i := 0; !stop.Load(); i++ {
				reference := fmt.Sprintf("r-%d-%d", client, i)
				r := request(http.MethodPost, "/v1/payout", s.key, item(reference))
				if client%2 == 0 {
					r.Header.Set(keyHeader, reference)
				}
				a := ask(t, s.front, r)
				statuses.Store(reference, a.status)
				if a.status == http.StatusOK {
					created.Add(1)
				}
			}
		})
	}
	for range 3 {
		before := created.Load()
		testkit.Eventually(t, 30*time.Second, func() bool { return created.Load() > before+20 }, "payouts")
		if err := stack.Postgres.Crash(); err != nil {
			t.Error(err)
			break
		}
		if err := stack.Postgres.Restart(t.Context()); err != nil {
			t.Error(err)
			break
		}
	}
	stop.Store(true)
	clients.Wait()
	statuses.Range(func(reference, status any) bool {
		rows := s.count(`select count(*) from payouts where reference_id = ?`, reference)
		if (status == http.StatusOK) != (rows == 1) || status != http.StatusOK && status != http.StatusInternalServerError {
			t.Errorf("%s was answered %d and has %d rows", reference, status, rows)
		}
		return true
	})
}
