package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

// written is a kind of writing request, as a client sends it again and again until it is answered.
type written struct {
	what, target string
	rows         string // the rows it makes, by reference
	made         int    // so many
	statements   int    // at least
	body         func(reference string) string
	keyed        bool   // with an Idempotency-Key: the same answer comes once more
	again        string // otherwise: the answer when it is sent once more
}

// TestAnswersThatTheDatabaseNeverGave loses the connection to PostgreSQL at each statement of each kind of writing request:
// before it runs, after it, and in the middle of its answer. The client sends the same again after a 500 without any payout or
// payin written, and gets the asked-for result, once.
func TestAnswersThatTheDatabaseNeverGave(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §12: That is a statement")
	one := func(r string) string { return item(r) }
	for _, w := range []written{
		{"payout with a key", "/v1/payout", "payouts where reference_id = ?", 1, 2, one, true, ""},
		{"payout", "/v1/payout", "payouts where reference_id = ?", 1, 2, one, false, `"code":"duplicate_payment_reference"`},
		{"batch", "/v1/payout", "payouts where reference_id like ? || '-_'", 2, 3,
			func(r string) string { return batchOf(item(r+"-a"), item(r+"-b")) }, true, ""},
		{"payin", "/v1/payin", "payins where reference_id = ?", 1, 2, func(r string) string { return with(aPayin, "reference_id", quote(r)) },
			false, `"code":"duplicate_reference_id"`},
		{"fixed wallet", "/v1/fixed-wallets", "wallets where customer_info = ?", 1, 2,
			func(r string) string { return fmt.Sprintf(`{"type":"tron","customer_info":%q}`, r) }, false, `"fixed_wallets_already_assigned"`},
	} {
		t.Run(w.what, func(t *testing.T) {
			t.Parallel()
			db, cutter := testkit.CutDB(t)
			s := newShop(t, on(db), holding("100000"))
			s.allow("wallets_mode = 'global', wallets_limit = 1000")
			lost := 0
			for _, way := range []testkit.Cut{testkit.CutBefore, testkit.CutAfter, testkit.CutInside} {
				for n := 1; s.loses(w, cutter, n, way); n++ {
					lost++
				}
			}
			if lost < 3*w.statements { // each in three ways
				t.Errorf("%d losses", lost)
			}
			var paid decimal.Decimal
			s.read(&paid, "select coalesce(sum(debit), 0) from payouts")
			if want := decimal.NewFromInt(100000).Sub(paid).String(); s.balance("USDT") != want {
				t.Errorf("%s are left, want %s", s.balance("USDT"), want)
			}
		})
	}
}

// loses sends a request and loses the connection at its nth statement, until it is answered and then once more; false when
// it has fewer statements.
func (s *shop) loses(w written, cutter *testkit.Cutter, n int, way testkit.Cut) bool {
	s.t.Helper()
	reference := strings.ReplaceAll(fmt.Sprintf("%s %s %d", w.what, way, n), " ", "-")
	var headers []string
	if w.keyed {
		headers = []string{keyHeader, reference}
	}
	send := func() answer { return s.ask(http.MethodPost, w.target, w.body(reference), headers...) }
	made := func() int { return s.count("select count(*) from "+w.rows, reference) }
	cutter.At(n, way)
	a := send()
	statement := cutter.Lost()
	if a.status == http.StatusInternalServerError {
		if made() != 0 {
			s.t.Errorf("%s at %q: a 500 has written", reference, statement)
		}
		a = send()
	}
	if a.status != http.StatusOK && a.status != http.StatusCreated || made() != w.made || strings.Contains(a.text, `"error":{`) {
		s.t.Errorf("%s at %q: %d %s, %d made", reference, statement, a.status, a.text, made())
	}
	again := send()
	if w.keyed && again.text != a.text || !w.keyed && !strings.Contains(again.text, w.again) || made() != w.made {
		s.t.Errorf("%s at %q, once more: %d %s after %s, %d made", reference, statement, again.status, again.text, a.text, made())
	}
	return statement != ""
}
