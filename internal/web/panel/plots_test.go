package panel_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"causeway/internal/people"
)

// held records a movement of some days ago, and the balance after it.
func (f *floor) held(asset string, days, id int, balance string) {
	f.Helper()
	_, err := f.db.NewRaw(`insert into postings (id, created_at, from_account, to_account, merchant_id, asset, amount, movement, balance_after, types)
		values (?2 * 16 + 1, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - ?1 * interval '1 day', 1, 2, ?0, ?4, 1, 'DEPOSIT', ?3, 'DEPOSIT')`,
		f.shop, days, 1_000_000+id, balance, asset).Exec(f.Context())
	f.must(err)
}

// The plots show the balance at the end of each day, as a drawing, as a text and as a table, to the people of the merchant alone.
func TestPlotsOfBalances(t *testing.T) {
	t.Parallel()
	f := open(t)
	eve, bob := f.member(f.shop, "eve@example.com", people.Viewer), f.member(f.other, "bob@example.com", people.Owner)
	if _, page := eve.get(""); strings.Contains(page, "Over time") {
		t.Error("a merchant without a balance has plots")
	}
	f.held("USDT", 200, 1, "77")
	f.held("USDT", 10, 2, "40.5")
	f.held("USDT", 3, 3, "90")
	f.held("USDT", 2, 4, "0")
	f.fund(f.shop, "12.25")
	_, err := f.db.NewRaw("insert into balances (merchant_id, asset, available) values (?, 'SPENT', 0)", f.shop).Exec(t.Context())
	f.must(err)
	f.fund(f.other, "333")
	day := func(before int) string { return time.Now().UTC().AddDate(0, 0, -before).Format(time.DateOnly) }
	rows := regexp.MustCompile(`<td data-name="Day"><span>([0-9-]+)</span></td><td class="n" data-name="Balance in USDT"><span>([0-9.]+)</span>`)
	for path, length := range map[string]int{"": 30, "?days=90": 90, "?days=365": 365, "?days=7": 30} {
		_, page := eve.get(path)
		found := rows.FindAllStringSubmatch(page, -1)
		if len(found) != length || strings.Count(page, `<path class="curve one" d="M0 `) != 1 {
			t.Fatalf("%q shows %d days: %s", path, len(found), page)
		}
		for before, balance := range map[int]string{0: "12.25", 1: "0", 2: "0", 3: "90", 4: "40.5", 10: "40.5", 11: "77", 199: "77", 200: "77", 201: "0"} {
			if before < length && (found[before][1] != day(before) || found[before][2] != balance) {
				t.Errorf("%q, %d days ago: %q", path, before, found[before][1:])
			}
		}
	}
	_, page := eve.get("")
	for _, want := range []string{"<title>USDT</title><desc>Balance of USDT at the end of each day from " + day(29) + " to " + day(0) + ": 77 at first, at most 90 on " + day(3) + ", 12.25 now.",
		`<b aria-current="true">30 days</b><a href="/panel/?days=90">90 days</a><a href="/panel/?days=365">1 year</a>`, "Prices of past days are not kept"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in %s", want, page)
		}
	}
	if strings.Contains(page, "<title>SPENT") || strings.Contains(page, "333") {
		t.Error("what was never held, or is another's, is drawn")
	}
	if _, page := bob.get("?days=90"); strings.Contains(page, "12.25") || !strings.Contains(page, "333 now") {
		t.Errorf("another merchant sees %s", page)
	}
}
