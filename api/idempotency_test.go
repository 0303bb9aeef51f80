package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

const keyHeader = "Idempotency-Key"

func TestAnAnswerIsReplayedByteForByte(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"addendum §7: Afterwards the answer", "addendum §13: A 400 or 207 with results", "api-v1 §Limits: How long it is remembered")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	for name, body := range map[string]string{
		"200": item("r-0"),
		"207": batchOf(item("r-1"), item("r-2", "network", `"<no>"`)),
		"400": item("r-3", "network", `"no"`),
	} {
		first := s.payOut(body, keyHeader, "key-"+name)
		if fmt.Sprint(first.status) != name || first.header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: %d %s", name, first.status, first.text)
		}
		for _, other := range []string{body, item("another"), `{}`, `[`} {
			again := s.payOut(other, keyHeader, "key-"+name)
			if other == `[` {
				again.is(t, 400, "json_parse_exception")
				continue
			}
			if again.status != first.status || again.text != first.text || again.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s: %d %s, replayed %q", name, again.status, again.text, again.header.Get("Idempotency-Replayed"))
			}
		}
	}
	s.payOut(item("r-3"), keyHeader, "another key").is(t, 200, "")
	if n := s.count(`select count(*) from payouts`); n != 3 {
		t.Errorf("%d payouts", n)
	}
	id := decodeReply(t, s.payOut(item("r-0"), keyHeader, "key-200").text).at("results.0.internal_reference").(string)
	testkit.Eventually(t, time.Minute, func() bool { return s.rung.has(id) }, "the ring")
}

// The answer to another body is the first one's, and says so; a key too long is ignored, and the answer says so.
func TestWhatBecameOfAnIdempotencyKeyIsTold(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Limits: How long it is remembered", "api-v1 §Limits: Idempotency-Key")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "1000")
	told := item("t-0") // the order of its members differs with each call
	for i, c := range []struct {
		key, body              string
		replayed, differs, cut string
	}{
		{"told", told, "", "", ""},
		{"told", told, "true", "", ""},
		{"told", item("t-1"), "true", "true", ""},
		{"told", " " + told, "true", "true", ""},
		{"told", `{}`, "true", "true", ""},
		{"told", told, "true", "", ""},
		{strings.Repeat("k", 255), item("t-2"), "", "", ""},
		{strings.Repeat("k", 256), item("t-3"), "", "", "too-long"},
		{strings.Repeat("k", 256), batchOf(item("t-4"), item("t-3")), "", "", "too-long"},
		{strings.Repeat("é", 256), item("t-3"), "", "", "too-long"},
		{"", item("t-5"), "", "", ""},
	} {
		headers := []string{keyHeader, c.key}
		a := s.payOut(c.body, headers...)
		got := []string{a.header.Get(replayedHeader), a.header.Get(differsHeader), a.header.Get(ignoredHeader)}
		if want := []string{c.replayed, c.differs, c.cut}; !slices.Equal(got, want) {
			t.Errorf("%d: %q, want %q: %d %s", i, got, want, a.status, a.text)
		}
	}
	if n := s.count(`select count(*) from payouts`); n != 5 { // t-0, t-2, t-3, t-4, t-5
		t.Errorf("%d payouts", n)
	}
	dry := s.ask(http.MethodPost, dryTarget, item("t-9"), keyHeader, "told")
	if dry.header.Get(replayedHeader)+dry.header.Get(differsHeader) != "" {
		t.Errorf("a dry run answers from a key: %v", dry.header)
	}
}

func TestIdempotencyKeysBelongToTheirMerchant(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §7: Idempotency-Key is kept")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	first := s.payOut(item("s-0"), keyHeader, "shared")
	other, key := s.newKey()
	s.fund(s.merchantOf(other), "USDT", "100")
	s.key = key
	second := s.payOut(item("s-0"), keyHeader, "shared")
	if first.status != 200 || second.status != 200 || first.text == second.text || second.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("%s\n%s", first.text, second.text)
	}
}

func TestALongIdempotencyKeyIsIgnored(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Limits: Idempotency-Key")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	for length, replayed := range map[int]string{255: "true", 256: ""} {
		key := strings.Repeat("k", length)
		s.payOut(item(fmt.Sprintf("l-%d", length)), keyHeader, key)
		if a := s.payOut(item(fmt.Sprintf("l-%d", length)), keyHeader, key); a.header.Get("Idempotency-Replayed") != replayed {
			t.Errorf("%d: %q", length, a.header.Get("Idempotency-Replayed"))
		}
	}
}

func TestAKeyIsFreeAgainWhenNothingWasAttempted(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Limits: When it is not remembered")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.exec(`create function boom() returns trigger language plpgsql as $$ begin raise exception 'boom' using errcode = 'check_violation'; end $$`)
	s.exec(`create trigger boom before insert on payouts for each row when (new.reference_id like 'boom%') execute function boom()`)
	for name, c := range map[string]struct {
		body string
		code string
	}{
		"fields":    {`{}`, "invalid_parameters"},
		"list":      {`[]`, "invalid_payment_list"},
		"sum":       {batchOf(item("f-0", "crypto_amount", `"60"`), item("f-1", "crypto_amount", `"60"`)), "insufficient_total_balance"},
		"sum alone": {item("f-2", "crypto_amount", `"101"`), "insufficient_total_balance"},
		"500":       {item("boom"), "internal_error"},
		"500 later": {batchOf(item("boom-a"), item("boom-b")), "internal_error"},
	} {
		if a := s.payOut(c.body, keyHeader, name); a.body.Error.Code != c.code {
			t.Errorf("%s: %s", name, a.text)
		}
		if n := s.count(`select count(*) from idempotency_keys where key = ?`, name); n != 0 {
			t.Errorf("%s: the key is kept", name)
		}
	}
	if a := s.payOut(item("f-3"), keyHeader, "sum"); a.status != 200 {
		t.Errorf("a retry: %s", a.text)
	}
}

// TestABatchThatNobodyCanSayOf: a batch not confirmed by the database in ten seconds is answered alike with a key and without
// one.
func TestABatchThatNobodyCanSayOf(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §POST /v1/payout: A failure in mid-batch")
	s := newShop(t, holding("100"))
	s.alone = true // a dry run cannot foresee it
	s.exec(`create function unsure() returns trigger language plpgsql as $$ begin raise exception 'unsure' using errcode = 'query_canceled'; end $$`)
	s.exec(`create trigger unsure before insert on payouts for each row execute function unsure()`)
	for name, headers := range map[string][]string{"with a key": {keyHeader, "unsure"}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := s.payOut(batchOf(item("u-"+name), item("u-"+name+"-2")), headers...)
			if a.status != 500 {
				t.Errorf("%d", a.status)
			}
			decodeReply(t, a.text).wants(t, map[string]any{"error.code": "internal_error", "summary.total_requested": 2, "summary.failed": 2,
				"summary.not_processed": 0, "results.0.error.code": "internal_error", "results.1.error.code": "internal_error"})
			if n := s.count("select count(*) from idempotency_keys"); headers != nil && n != 0 {
				t.Error("the key is kept")
			}
		})
	}
}

// TestAReplicaThatIsNotPromotedYet: for a moment in a failover the database writes nothing. This is no refusal.
func TestAReplicaThatIsNotPromotedYet(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{"with a key": {keyHeader, "failover"}, "without": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, holding("100"))
			s.alone = true
			s.exec(`create sequence tries`)
			s.exec(`create function replica() returns trigger language plpgsql security definer as $$ begin
				if nextval('tries') < 3 then raise exception 'replica' using errcode = 'read_only_sql_transaction'; end if; return new; end $$`)
			s.exec(`create trigger replica before insert on payouts for each row execute function replica()`)
			if a := s.payOut(item("f-1"), headers...); a.status != 200 || s.count(`select count(*) from payouts`) != 1 {
				t.Errorf("%d %s", a.status, a.text)
			}
			if n := s.count(`select last_value from tries`); n != 3 {
				t.Errorf("%d tries", n)
			}
		})
	}
}

func TestAKeyAnswersItsPartsAfterTheBatchWasRefusedAsOne(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	// Two at once in a transaction are refused; each alone is taken.
	s.exec(`create function single() returns trigger language plpgsql as $$ begin
		if (select count(*) from payouts where created_at = now()) > 1 then raise exception 'two' using errcode = 'check_violation'; end if; return null; end $$`)
	s.exec(`create constraint trigger single after insert on payouts for each row execute function single()`)
	first := s.payOut(batchOf(item("p-0"), item("p-1")), keyHeader, "parts")
	if first.status != 200 || s.balance("USDT") != "76" {
		t.Fatalf("%s; %s left", first.text, s.balance("USDT"))
	}
	if again := s.payOut(item("p-2"), keyHeader, "parts"); again.text != first.text {
		t.Errorf("%s", again.text)
	}
}

func TestIdempotencyKeysAge(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Limits: How long it is remembered", "api-v1 §Limits: While the first still runs")
	s := newShop(t)
	s.front = New(s.deps) // 418 is no answer of ours
	s.fund(s.merchant, "USDT", "1000")
	for i, c := range []struct {
		name, age, status string
		want              int
	}{
		{"running", "14 minutes 50 seconds", "null", 409},
		{"given up", "15 minutes 1 second", "null", 200},
		{"kept", "23 hours 59 minutes", "418", 418},
		{"forgotten", "24 hours 1 second", "418", 200},
	} {
		s.exec(`insert into idempotency_keys (merchant_id, key, claimed_at, status, body) values (?, ?, now() - ?::interval, `+c.status+`, '{}')`, s.merchant, c.name, c.age)
		a := s.payOut(item(fmt.Sprintf("a-%d", i)), keyHeader, c.name)
		if a.status != c.want {
			t.Errorf("%s: %d %s", c.name, a.status, a.text)
		}
		if c.want == 409 {
			a.is(t, 409, "idempotency_key_in_progress")
		}
		if again := s.payOut(item("b"), keyHeader, c.name); again.status != c.want {
			t.Errorf("%s again: %d %s", c.name, again.status, again.text)
		}
	}
}

// A request sent a hundred times at once under one key runs once. While it runs, here as long as somebody has the balance, each
// other one is told so; then all have its answer.
func TestOneIdempotencyKeyAHundredTimesAtOnce(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: idempotency_key_in_progress", "addendum §7: Sent again while the first runs")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "20")
	send := func(i int) answer {
		return s.payOut(item(fmt.Sprintf("ref-%d", i)), keyHeader, "the key")
	}
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `select from balances where merchant_id = ? for update`, s.merchant); err != nil {
		t.Fatal(err)
	}
	first := make(chan answer, 1)
	var conflicts atomic.Int32
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			a := send(i)
			if a.status == http.StatusOK {
				first <- a
				return
			}
			a.is(t, 409, "idempotency_key_in_progress")
			conflicts.Add(1)
		})
	}
	testkit.Eventually(t, time.Minute, func() bool { return conflicts.Load() == 99 }, "all but one to be told that the first runs")
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	want := <-first
	together(20, func(i int) {
		if a := send(100 + i); a.status != http.StatusOK || a.text != want.text || a.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
	if n := s.count(`select count(*) from payouts`); n != 1 {
		t.Errorf("%d payouts", n)
	}
}

func TestALostCommitUnderAKeyIsFoundAgain(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §7: Idempotency-Key is kept")
	for name, word := range map[string]string{"the commit": "commit\x00", "the payout": "l-0"} { // the first is a whole statement
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.fund(s.merchant, "USDT", "20")
			line := s.behind(word)
			line.armed.Store(true)
			a := s.payOut(item("l-0"), keyHeader, "lost")
			if a.status != 200 || line.lost.Load() != 1 {
				t.Errorf("%d %s; %d answers lost", a.status, a.text, line.lost.Load())
			}
			if n := s.count(`select count(*) from payouts`); n != 1 || s.balance("USDT") != "8" {
				t.Errorf("%d payouts, %s left", n, s.balance("USDT"))
			}
			if again := s.payOut(item("l-0"), keyHeader, "lost"); again.text != a.text || again.header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s", again.text)
			}
		})
	}
}
