package api

import (
	"flag"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
	"causeway/internal/proof/contract"
	"causeway/migrations"
)

var crashes = flag.Int("crashes", 3, "how often TestPostgresRestartsUnderLoad crashes PostgreSQL")

// backWithin is the bar of docs/reliability.md: from a PostgreSQL taking queries again to the first payout.
const backWithin = 5 * time.Second

// TestPostgresRestartsUnderLoad crashes Postgres while clients send: soon after it is back the first payout is answered,
// payouts answered as created are there, and those answered with 500 are not.
func TestPostgresRestartsUnderLoad(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: That is a statement")
	stack := testkit.PrivateStack(t)
	db, err := pg.Open(stack.DatabaseURL, 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := migrations.Up(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	s := newShop(t, on(db))
	s.fund(s.merchant, "USDT", "1000000000")

	senders := s.sending(8)
	t.Cleanup(senders.end) // also when the test ends early
	var worst time.Duration
	for crash := range *crashes {
		before := senders.created.Load()
		testkit.Eventually(t, 30*time.Second, func() bool { return senders.created.Load() > before+20 }, "payouts")
		if err := stack.Postgres.Crash(); err != nil {
			t.Fatal(err)
		}
		s.send(senders, fmt.Sprintf("late-%d", crash), false) // when the others all came before, and wait for PostgreSQL
		if err := stack.Postgres.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		before, back := senders.created.Load(), time.Now()
		testkit.Eventually(t, 30*time.Second, func() bool { return senders.created.Load() > before }, "the first payout")
		worst = max(worst, time.Since(back))
	}
	senders.end()
	created, failed := s.held(&senders.statuses)
	t.Logf("%d crashes: the first payout at most %v after PostgreSQL was back; %d answered 200, %d answered 500",
		*crashes, worst.Round(time.Millisecond), created, failed)
	if worst >= backWithin {
		t.Errorf("a first payout took %v", worst)
	}
	if failed == 0 {
		t.Error("no crash was noticed by a client")
	}
}

// senders are clients asking for payouts until they are ended.
type senders struct {
	statuses sync.Map // reference -> status
	created  atomic.Int32
	stop     atomic.Bool
	clients  sync.WaitGroup
}

func (c *senders) end() {
	c.stop.Store(true)
	c.clients.Wait()
}

// sending starts clients, half of them with idempotency keys.
func (s *shop) sending(clients int) *senders {
	c := new(senders)
	for client := range clients {
		c.clients.Go(func() {
			for i := 0; !c.stop.Load(); i++ {
				s.send(c, fmt.Sprintf("r-%d-%d", client, i), client%2 == 0)
			}
		})
	}
	return c
}

// send asks for a payout, with or without an idempotency key.
func (s *shop) send(c *senders, reference string, keyed bool) {
	r := request(http.MethodPost, "/v1/payout", s.key, item(reference))
	if keyed {
		r.Header.Set(keyHeader, reference)
	}
	a := ask(s.t, s.front, r)
	c.statuses.Store(reference, a.status)
	if a.status == http.StatusOK {
		c.created.Add(1)
	}
}

// held compares answers with rows, and returns how many were 200 and how many 500.
func (s *shop) held(statuses *sync.Map) (created, failed int) {
	s.t.Helper()
	var recorded []string
	s.read(&recorded, `select reference_id from payouts`)
	rows := map[string]int{}
	for _, reference := range recorded {
		rows[reference]++
	}
	statuses.Range(func(reference, status any) bool {
		switch n := rows[reference.(string)]; {
		case status == http.StatusOK && n == 1:
			created++
		case status == http.StatusInternalServerError && n == 0:
			failed++
		default:
			s.t.Errorf("%s was answered %d and has %d rows", reference, status, n)
		}
		return true
	})
	return created, failed
}
