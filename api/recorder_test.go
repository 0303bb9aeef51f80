package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"

	"causeway/internal/batch/gather"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/pg"
	"causeway/internal/proof/contract"
	"causeway/internal/store"
	"causeway/ledger"
)

// together runs work n times at once and returns when all are done.
func together(n int, work func(i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { work(i) })
	}
	wait.Wait()
}

func TestManyClientsDrainAMerchantExactly(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §6: No payout takes available below zero")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1206") // 100 payouts of 12, and half of one
	var created, refused atomic.Int32
	together(64, func(client int) {
		for i := range 4 {
			a := ask(s.t, s.front, request(http.MethodPost, "/v1/payout", s.key, item(fmt.Sprintf("c-%d-%d", client, i))))
			switch r := decodeReply(t, a.text); {
			case a.status == 200:
				created.Add(1)
			case r.code() == "insufficient_total_balance" || r.at("results.0.error.code") == "insufficient_balance":
				refused.Add(1)
			default:
				t.Errorf("%d %s", a.status, a.text)
			}
		}
	})
	if created.Load() != 100 || refused.Load() != 156 {
		t.Errorf("%d created, %d refused", created.Load(), refused.Load())
	}
	if s.balance("USDT") != "6" || s.count(`select count(*) from payouts`) != 100 || s.count(`select count(*) from jobs`) != 100 {
		t.Errorf("%s left, %d payouts", s.balance("USDT"), s.count(`select count(*) from payouts`))
	}
}

func TestOneReferenceAHundredTimesAtOnce(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §7: A reference makes at most one payout")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100000")
	s.fund(s.merchant, "ETH", "100")
	var created, duplicates atomic.Int32
	together(100, func(i int) {
		body := item("same")
		if i%2 == 0 { // another balance: no lock keeps the two apart
			body = item("same", "crypto_currency", `"ETH"`, "crypto_amount", `"0.1"`)
		}
		a := ask(s.t, s.front, request(http.MethodPost, "/v1/payout", s.key, body))
		switch r := decodeReply(t, a.text); {
		case a.status == 200:
			created.Add(1)
		case r.at("results.0.duplicate") == true && r.at("results.0.original_status") == "pending":
			duplicates.Add(1)
		default:
			t.Errorf("%d %s", a.status, a.text)
		}
	})
	if created.Load() != 1 || duplicates.Load() != 99 || s.count(`select count(*) from payouts`) != 1 {
		t.Errorf("%d created, %d duplicates", created.Load(), duplicates.Load())
	}
}

// crowd has requests waiting together: the only lane is kept busy until all have come.
func (s *shop) crowd(t *testing.T, bodies ...string) []answer {
	t.Helper()
	recorder := s.operations.Payouts.Recorder
	rules := recorder.rules()
	rules.Beside = nil
	recorder.lanes = gather.New(rules)
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `select from balances where merchant_id = ? for update`, s.merchant); err != nil {
		t.Fatal(err)
	}
	answers := make([]answer, len(bodies)+1)
	var wait sync.WaitGroup
	post := func(i int, body string) {
		wait.Go(func() { answers[i] = ask(t, s.front, request(http.MethodPost, "/v1/payout", s.key, body)) })
	}
	post(0, item("plug"))
	state := recorder.lanes.Waiting
	testkit.Eventually(t, time.Minute, func() bool { w, r := state(); return w == 0 && r == 1 }, "the lane")
	for i, body := range bodies {
		post(i+1, body)
	}
	testkit.Eventually(t, time.Minute, func() bool { w, _ := state(); return w == len(bodies) }, "the crowd")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	wait.Wait()
	return answers[1:]
}

func TestRequestsOfAGroupAreDecidedInOneTransaction(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: Items of one request")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "60")
	answers := s.crowd(t, item("g-0"), batchOf(item("g-1"), item("g-2", "network", `"no"`)), item("g-3"), item("g-4"), item("g-5"))
	created := 0
	for _, a := range answers {
		if a.status == 200 || a.status == 207 {
			created++
		}
	}
	if created != 4 || s.balance("USDT") != "0" {
		t.Errorf("%d of 5 fit, %s left", created, s.balance("USDT"))
	}
	if n := s.count(`select count(distinct created_at) from payouts where reference_id <> 'plug'`); n != 1 {
		t.Errorf("written in %d transactions", n)
	}
}

func TestAGroupThatFailsIsDoneAgainOneByOne(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §12: A group that fails", "api-v1 §POST /v1/payout: Items stand alone")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	s.exec(`create function boom() returns trigger language plpgsql as $$ begin raise exception 'boom' using errcode = 'check_violation'; end $$`)
	s.exec(`create trigger boom before insert on payouts for each row when (new.reference_id = 'boom') execute function boom()`)
	answers := s.crowd(t, item("g-0"), item("boom"), batchOf(item("g-1"), item("g-2")))
	for i, want := range []int{200, 500, 200} {
		if answers[i].status != want {
			t.Errorf("%d: %d %s", i, answers[i].status, answers[i].text)
		}
	}
	if n := s.count(`select count(*) from payouts`); n != 4 {
		t.Errorf("%d payouts", n)
	}
}

// A panic ends neither the process nor the other requests of its group.
func TestAPanicFailsItsOwnRequestAlone(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: A group that fails")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	recorder := s.operations.Payouts.Recorder
	good := &submission{items: s.items(t, "p-0"), done: make(chan struct{})}
	bad := &submission{items: []store.PayoutItem{{}}, done: make(chan struct{})}
	late := &submission{items: s.items(t, "p-1"), done: make(chan struct{})}
	recorder.record([]*submission{good, bad, late})
	for name, request := range map[string]*submission{"good": good, "late": late} {
		if <-request.done; request.err != nil || len(request.outcomes) != 1 || request.outcomes[0].Outcome != outcomeCreated {
			t.Errorf("%s: %v %v", name, request.outcomes, request.err)
		}
	}
	if <-bad.done; !errors.Is(bad.err, gather.ErrPanic) {
		t.Error(bad.err)
	}
	if n := s.count(`select count(*) from payouts`); n != 2 {
		t.Errorf("%d payouts", n)
	}
}

// items are the items of a request with one payout.
func (s *shop) items(t *testing.T, reference string) []store.PayoutItem {
	t.Helper()
	one := decimal.NewFromInt(1)
	p := &pay.Payout{ID: uuid.Must(uuid.NewV7()), MerchantID: s.merchant, KeyID: "key", ReferenceID: reference, Wallet: evmWallet, Token: "USDT",
		Asset: "USDT", Network: "Ethereum", ProcessBy: pay.ByCrypto, Amount: one, Debit: one, FiatCurrency: "USD"}
	return []store.PayoutItem{{Payout: p, HoldDigest: ledger.PayoutHeld(p).Digest}}
}

func TestTheSameReferenceTwiceInOneCrowd(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	answers := s.crowd(t, item("twin"), item("twin"), item("other"))
	statuses := map[int]int{}
	for _, a := range answers {
		statuses[a.status]++
	}
	if statuses[200] != 2 || statuses[400] != 1 {
		t.Errorf("answers %v", statuses)
	}
}

func TestAHangUpDoesNotAbortWhatHasBegun(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: That is a statement")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	for _, key := range []string{"", "key"} {
		ctx, hangUp := context.WithCancel(t.Context())
		r := request(http.MethodPost, "/v1/payout", s.key, item("hang up "+key))
		r.Header.Set(keyHeader, key)
		tx, err := s.db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(t.Context(), `select from balances where merchant_id = ? for update`, s.merchant); err != nil {
			t.Fatal(err)
		}
		done := make(chan answer)
		go func() { done <- ask(t, s.front, r.WithContext(ctx)) }()
		testkit.Eventually(t, time.Minute, func() bool {
			return s.count(`select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`) > 0
		}, "the record to wait for the balance")
		hangUp()
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if a := <-done; a.status != 200 {
			t.Errorf("%q: %d %s", key, a.status, a.text)
		}
	}
	if n := s.count(`select count(*) from payouts`); n != 2 {
		t.Errorf("%d payouts", n)
	}
}

func TestARingThatFailsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	var warnings atomic.Int32
	s.rung.broken = errors.New("Redis is away")
	s.operations.Payouts.Recorder.bell.warn = func(error) { warnings.Add(1) }
	for i := range 10 {
		if a := s.payOut(item(fmt.Sprintf("b-%d", i))); a.status != 200 {
			t.Errorf("%s", a.text)
		}
	}
	testkit.Eventually(t, time.Minute, func() bool { return warnings.Load() == 1 }, "the warning")
	s.rung.mu.Lock()
	defer s.rung.mu.Unlock()
	if s.rung.calls > 3 || warnings.Load() != 1 {
		t.Errorf("rung %d times, %d warnings", s.rung.calls, warnings.Load())
	}
}

// deafLine stands between a store and Postgres. Once armed it loses the answer to the first statement with a word in it
// and hangs up: the server has done the work, and nobody hears of it.
type deafLine struct {
	word  []byte
	armed atomic.Bool
	lost  atomic.Int32
	asked atomic.Int32 // writes to the server: a statement and its arguments are one
}

// behind makes the shop's store speak through a line.
func (s *shop) behind(word string) *deafLine {
	s.t.Helper()
	config, err := pgx.ParseConfig(testkit.DSN(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = listener.Close() })
	line := &deafLine{word: []byte(word)}
	socket := fmt.Sprintf("%s/.s.PGSQL.%d", config.Host, config.Port)
	go line.serve(listener, socket)
	url := fmt.Sprintf("postgres://%s:%s@%s/%s?sslmode=disable", config.User, config.Password, listener.Addr(), config.Database)
	pool, err := pg.Open(url, 4)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = pool.Close() })
	*s.store = *store.New(pool)
	return line
}

func (l *deafLine) serve(listener net.Listener, socket string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", socket)
		if err != nil {
			_ = client.Close()
			continue
		}
		var deaf atomic.Bool
		go l.carry(client, server, func(p []byte) bool {
			l.asked.Add(1)
			if bytes.Contains(p, l.word) && l.armed.CompareAndSwap(true, false) {
				deaf.Store(true)
			}
			return false
		})
		go l.carry(server, client, func([]byte) bool {
			if deaf.Load() {
				l.lost.Add(1)
			}
			return deaf.Load()
		})
	}
}

// carry copies until the end, or until drop says so.
func (l *deafLine) carry(from, to net.Conn, drop func([]byte) bool) {
	defer from.Close()
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil || drop(buffer[:n]) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func TestALostAnswerToTheCommitIsFoundAgain(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: That is a statement")
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "20") // too little for a second time
	line := s.behind("l-0")          // with the payout
	line.armed.Store(true)
	a := s.payOut(item("l-0"))
	if a.status != 200 || line.lost.Load() != 1 {
		t.Errorf("%d %s; %d answers lost", a.status, a.text, line.lost.Load())
	}
	if n := s.count(`select count(*) from payouts`); n != 1 || s.balance("USDT") != "8" {
		t.Errorf("%d payouts, %s left", n, s.balance("USDT"))
	}
	id := decodeReply(t, a.text).at("results.0.internal_reference")
	if n := s.count(`select count(*) from payouts where id = ?`, id); n != 1 {
		t.Error("the answer names another payout")
	}
}
