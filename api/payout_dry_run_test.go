package api

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/proof/contract"
)

const dryTarget = "/v1/payout?dry_run=1"

// rehearsed makes a dry run of a body and returns a check: the real run must be answered the same, but for documented
// differences. Every request of the payouts' tests is held to it.
func (s *shop) rehearsed(body string) func(ran answer) {
	s.t.Helper()
	dry := s.ask(http.MethodPost, dryTarget, body)
	return func(ran answer) {
		s.t.Helper()
		if dry.status != ran.status {
			s.t.Errorf("%.200s: dry run %d %s, run %d %s", body, dry.status, dry.text, ran.status, ran.text)
		}
		rehearsal, real := decodeReply(s.t, dry.text), decodeReply(s.t, ran.text)
		if real.code() == "" {
			if rehearsal["dry_run"] != true {
				s.t.Errorf("not marked: %s", dry.text)
			}
			delete(rehearsal, "dry_run")
		}
		for _, result := range real.list("results") {
			if created := result.(map[string]any); created["error"] == nil {
				created["internal_reference"] = nil
			}
		}
		if !reflect.DeepEqual(rehearsal, real) {
			s.t.Errorf("%.200s: the dry run said %s, the run %s", body, dry.text, ran.text)
		}
	}
}

// contents is the whole database, sequences included.
func (s *shop) contents() string {
	s.t.Helper()
	var tables, out []string
	err := s.db.NewRaw(`select case relkind when 'S' then format('select %L || last_value from %I', relname || ' ', relname)
			else format('select %L || md5(coalesce(string_agg(t::text, '','' order by t::text), '''')) from %I t', relname || ' ', relname) end
		from pg_class where relkind in ('r', 'S') and relnamespace = 'public'::regnamespace`).Scan(s.t.Context(), &tables)
	if err == nil {
		err = s.db.NewRaw(strings.Join(tables, " union all ")).Scan(s.t.Context(), &out)
	}
	if err != nil || len(out) < 30 {
		s.t.Fatal(len(out), err)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// Whatever a dry run says, it changes no table or sequence, and nothing is rung.
func TestADryRunRecordsNothing(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout dry run: Nothing is recorded", "api-v1 §Payout dry run: An Idempotency-Key",
		"api-v1 §Payout dry run: The answer has", "api-v1 §Payout dry run: POST /v1/payout?dry_run=1")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.exec(`update keys set daily_limit_usd = 60 where id = ?`, s.keyID)
	first := s.payOut(item("taken"), keyHeader, "k-0")
	before := s.contents()
	for _, c := range []struct {
		status int
		body   string
		wants  map[string]any
	}{
		{200, item("new"), map[string]any{"dry_run": true, "message": "payment_processing_completed", "summary.successful": 1,
			"results.0.status":             "created",
			"results.0.internal_reference": nil, "results.0.reference_id": "new", "results.0.network_fee": "2",
			"results.0.fiat_amount": "10.00000000"}},
		{207, batchOf(item("one"), item("two", "crypto_amount", `"20"`), item("three", "crypto_amount", `"20"`),
			item("taken", "crypto_amount", `"1"`)),
			map[string]any{"dry_run": true, "summary.successful": 2, "summary.failed": 2, "results.2.error.code": "daily_payout_limit_exceeded",
				"results.3.duplicate": true, "results.3.internal_reference": decodeReply(t, first.text).at("results.0.internal_reference")}},
		{400, item("taken"), map[string]any{"dry_run": true, "results.0.error.code": "duplicate_payment_reference",
			"results.0.original_status": "pending"}},
		{400, item("much", "crypto_amount", `"88.5"`), map[string]any{"dry_run": nil, "error.code": "insufficient_total_balance"}},
		{400, item("fees", "crypto_amount", `"87"`), map[string]any{"dry_run": true, "results.0.error.code": "insufficient_balance"}},
		{400, `[]`, map[string]any{"dry_run": nil, "error.code": "invalid_payment_list"}},
	} {
		for _, headers := range [][]string{nil, {keyHeader, "k-0"}, {keyHeader, "k-1"}} {
			a := s.ask(http.MethodPost, dryTarget, c.body, headers...)
			if a.status != c.status || a.header.Get(replayedHeader) != "" {
				t.Errorf("%v: %d %s", headers, a.status, a.text)
			}
			r := decodeReply(t, a.text)
			r.wants(t, c.wants)
			if created, _ := r.at("results.0").(map[string]any); created["status"] == "created" {
				if reference, there := created["internal_reference"]; !there || reference != nil {
					t.Errorf("a payout that does not exist is named: %s", a.text)
				}
			}
		}
	}
	require.Equal(t, before, s.contents(), "a dry run was recorded")
	if a := s.payOut(item("new"), keyHeader, "k-1"); a.status != 200 || a.header.Get(replayedHeader) != "" {
		t.Errorf("the key was claimed: %d %s", a.status, a.text)
	}
	if s.contents() == before {
		t.Error("what is recorded does not show in what was compared")
	}
	s.rung.mu.Lock()
	defer s.rung.mu.Unlock()
	if s.rung.calls > 2 {
		t.Errorf("rung %d times", s.rung.calls)
	}
}

// Fifty at once are decided one after the other on the balance the ones before would leave, and then the same for real.
func TestADryRunOfAFullList(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout dry run: Every check", "api-v1 §Payout dry run: Items of a list")
	s := newShop(t)
	s.fund(s.merchant, "USDT", "520") // 43 times 12; the sum of the amounts is 500
	items := make([]string, maxPayouts, maxPayouts+1)
	for i := range items {
		items[i] = item(fmt.Sprintf("full-%d", i))
	}
	dry := decodeReply(t, s.ask(http.MethodPost, dryTarget, batchOf(items...)).text)
	dry.wants(t, map[string]any{"summary.successful": 43, "summary.failed": 7, "results.42.status": "created",
		"results.43.error.code": "insufficient_balance"})
	decodeReply(t, s.payOut(batchOf(items...)).text).
		wants(t, map[string]any{"summary.successful": 43, "results.43.error.code": "insufficient_balance"})
	s.ask(http.MethodPost, dryTarget, batchOf(append(items, item("over"))...)).is(t, 400, "max_payouts_exceeded")
}

// A dry run waits for nobody and keeps nobody waiting: the balance may be locked meanwhile.
func TestADryRunTakesNoLock(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	tx, err := s.db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(t.Context(), `select from balances for update`); err != nil {
		t.Fatal(err)
	}
	if a := s.ask(http.MethodPost, dryTarget, item("free")); a.status != 200 {
		t.Errorf("%d %s", a.status, a.text)
	}
}

// A dry run is asked for by one name and four values; a misspelt name, a doubled one and another value pay nothing.
func TestHowADryRunIsAskedFor(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout dry run: dry_run is 1 or true")
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "100000")
	for i, c := range []struct{ becomes, query string }{
		{"paid", ""}, {"paid", "?"}, {"paid", "?dry_run=0"}, {"paid", "?dry_run=false"}, {"paid", "?other=1"}, {"paid", "?laundry=1"}, {"paid", "?x=%zz"},
		{"rehearsed", "?dry_run=1"}, {"rehearsed", "?dry_run=true"}, {"rehearsed", "?x=y&dry_run=1"}, {"rehearsed", "?dry%5Frun=%31"},
		{"refused", "?dry_run"}, {"refused", "?dry_run="}, {"refused", "?dry_run=2"}, {"refused", "?dry_run=TRUE"}, {"refused", "?dry_run=yes"},
		{"refused", "?dry_run=1%20"}, {"refused", "?dry_run=%00"}, {"refused", "?dry_run=%zz"}, {"refused", "?dry_run=1;x=2"},
		{"refused", "?dry_run=1&dry_run=1"}, {"refused", "?dry_run=0&dry_run=1"}, {"refused", "?DRY_RUN=1"}, {"refused", "?dryrun=1"},
		{"refused", "?dry-run=1"}, {"refused", "?dryRun=true"}, {"refused", "?dry%20run=1"}, {"refused", "?dry.run=1"}, {"refused", "?dry_run[]=1"},
		{"refused", "?dry_run%5B%5D=1"}, {"refused", "?dry_run%255B0%255D=1"}, {"refused", "?payout[dry_run]=1"}, {"refused", "??dry_run=1"},
		{"refused", "?dry_run%00=1"}, {"refused", "?dry_run=0&dryRun=1"},
	} {
		a := s.ask(http.MethodPost, "/v1/payout"+c.query, item(fmt.Sprintf("ask-%d", i)))
		became := "paid"
		switch {
		case a.status != 200:
			became = "refused"
			a.is(t, 400, "invalid_parameters")
			if decodeReply(t, a.text).at("error.details.fields.dry_run") == nil {
				t.Error(a.text)
			}
		case decodeReply(t, a.text)["dry_run"] == true:
			became = "rehearsed"
		}
		if became != c.becomes {
			t.Errorf("%s: %s, want %s: %s", c.query, became, c.becomes, a.text)
		}
	}
	if n := s.count("select count(*) from payouts"); n != 7 {
		t.Errorf("%d payouts", n)
	}
	s.ask(http.MethodPost, "/v1/payout?dry_run=x", `[]`).is(t, 400, "invalid_parameters")
}

// A dry run asked for in the body pays nothing either, whatever its value.
func TestADryRunInTheBodyPaysNothing(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout dry run: An item that names it", "addendum §13: A member of a payout")
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "100000")
	for _, said := range []string{"true", "false", "1", `"1"`, "{}"} {
		within := strings.Replace(item("within"), "{", `{"dry_run":`+said+`,`, 1)
		for target, body := range map[string]string{"/v1/payout": within, dryTarget: "[" + within + "]"} {
			a := s.ask(http.MethodPost, target, body)
			a.is(t, 400, "invalid_parameters")
			if !strings.Contains(a.text, `dry_run":"is a parameter of the query`) {
				t.Errorf("%s: %s", body, a.text)
			}
		}
	}
	for _, name := range []string{"dryRun", "dry-run", "DRY_RUN", "dryrun", "dry run", "dry%5Frun", `d\u0072yRun`,
		"dry.run", "dry_run[]", "dry_run[0]", "options[dry_run]"} {
		within := strings.Replace(item("within"), "{", `{"`+name+`":true,`, 1)
		for target, body := range map[string]string{"/v1/payout": within, dryTarget: "[" + within + "]"} {
			a := s.ask(http.MethodPost, target, body)
			a.is(t, 400, "invalid_parameters")
			if !strings.Contains(a.text, `0.dry_run":"is a parameter of the query`) {
				t.Errorf("%s: %s", body, a.text)
			}
		}
	}
	if n := s.count("select count(*) from payouts"); n > 0 {
		t.Errorf("%d payouts", n)
	}
	for i, other := range []string{`"dryRun":null`, `"dr":1`, `"dry":1`, `"ready":1`, `"d%72":1`, `"note":"dry_run"`, `"laundry":1`, `"foundry_ref":1`} {
		if a := s.ask(http.MethodPost, "/v1/payout", strings.Replace(item(fmt.Sprint("other-", i)), "{", "{"+other+",", 1)); a.status != 200 {
			t.Errorf("%s: %s", other, a.text)
		}
	}
	if a := s.ask(http.MethodPost, "/v1/payout", strings.Replace(item("null"), "{", `{"dry_run":null,`, 1)); a.status != 200 {
		t.Errorf("null is as if it were not there: %s", a.text)
	}
}

// A dry run takes the key of a payout, and says nothing of other merchants: their references are free.
func TestADryRunIsOfItsMerchant(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.fund(s.merchant, "USDT", "100")
	s.payOut(item("mine"))
	id, other := s.newKey()
	s.fund(s.merchantOf(id), "USDT", "12")
	a := ask(t, s.front, request(http.MethodPost, dryTarget, other, item("mine")))
	decodeReply(t, a.text).wants(t, map[string]any{"results.0.status": "created", "dry_run": true})
	_, reads := s.newKey("scopes = '{payout:read,payin:write}'")
	ask(t, s.front, request(http.MethodPost, dryTarget, reads, item("x"))).is(t, 403, "scope_denied")
	ask(t, s.front, request(http.MethodGet, dryTarget, s.key, "")).is(t, 404, "route_not_found")
	ask(t, s.front, request(http.MethodHead, dryTarget, s.key, "")).is(t, 404, "route_not_found")
}

// A dry run holds nothing and writes nothing, and so cannot foresee the balance or the writing.
func TestWhatADryRunCannotForesee(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §Payout dry run: A failure to record")
	s := newShop(t)
	s.alone = true
	s.fund(s.merchant, "USDT", "20")
	s.exec(`create function boom() returns trigger language plpgsql as $$ begin raise exception 'boom' using errcode = 'check_violation'; end $$`)
	s.exec(`create trigger boom before insert on payouts for each row when (new.reference_id = 'boom') execute function boom()`)
	for _, c := range []struct {
		reference string
		status    int
	}{{"boom", 500}, {"first", 200}} {
		if dry := s.ask(http.MethodPost, dryTarget, item(c.reference)); dry.status != 200 {
			t.Errorf("%s: %s", c.reference, dry.text)
		}
		if ran := s.payOut(item(c.reference)); ran.status != c.status {
			t.Errorf("%s: %d %s", c.reference, ran.status, ran.text)
		}
	}
	s.payOut(item("second")).is(t, 400, "insufficient_total_balance")
}
