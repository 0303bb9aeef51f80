package console_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"causeway/internal/ops/admin"
)

// A problem for a person is on the overview with a link to it, and the same is on the page of the port's health.
//
// Covers operator §Console: It shows what is held
func TestTroublesAreOnTheOverview(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	ann := d.person()
	ann.login("ann", password)
	if _, page := ann.get("/console/"); strings.Contains(page, "Needs attention") || !strings.Contains(page, "not reconciled yet") {
		t.Errorf("of an empty installation: %s", page)
	}
	d.exec("insert into stopped_assets (asset, reason) values ('USDT', 'a look')")
	d.exec("insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', 'a', 3, 5)")
	d.exec("insert into followers (network, head, error) values ('Bitcoin', 7, 'no answer')")
	d.exec("insert into jobs (kind, ref, run_at) values ('payout.broadcast', gen_random_uuid(), now() - interval '5 minutes')")
	d.exec(`insert into reconcile_reports (differences) values ('[{"check": "a", "where": "b"}, {"check": "a", "where": "c"}, {"check": "a", "where": "d", "surplus": true}]')`)
	d.exec("insert into balances values (?, 'BTC', 2, 0)", d.merchant)
	d.console.Live = []string{"Ethereum"}
	d.exec(`insert into deliveries (id, merchant_id, subject, event, url, body) values (gen_random_uuid(), ?, gen_random_uuid(), 'payment_confirmed', 'https://shop.example/', '{}')`, d.merchant)
	_, page := ann.get("/console/")
	for _, want := range []string{"Payouts of USDT are stopped: a look.", "Nothing is signed on Ethereum", "Bitcoin is failing: no answer.",
		"A payout.broadcast job has been due for 5 min", "fixed prices (Ethereum): PRICE_SOURCES is not set.",
		"Reconciliation found 2 differences.", "The networks hold less BTC than merchants are owed: 2 is missing.", `<a href="/console/reconcile">View</a>`, "In 1 place a network holds more than the books say", "<b>3</b><span>differences, "} {
		if !strings.Contains(page, want) {
			t.Errorf("the overview lacks %q: %s", want, page)
		}
	}
	for _, one := range []string{"<b>0</b><span>unclaimed transfers<", "<b>1</b><span>webhook to deliver<"} {
		if !strings.Contains(page, one) {
			t.Errorf("the overview lacks %q: %s", one, page)
		}
	}
	_, err := d.store.DropFixedPrices(t.Context())
	must(t, err)
	if _, page := ann.get("/console/"); strings.Contains(page, "PRICE_SOURCES") {
		t.Errorf("there are no fixed prices: %s", page)
	}
}

// Dead sources of prices are on the overview, with the tokens left without a conversion: only refusals showed them before.
func TestTokensWithoutPriceAreOnTheOverview(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	ann := d.person()
	ann.login("ann", password)
	d.exec("insert into followers (network, head) values ('Bitcoin', 7)")
	if _, page := ann.get("/console/"); strings.Contains(page, "no price") {
		t.Errorf("the fixed table has one: %s", page)
	}
	_, err := d.store.DropFixedPrices(t.Context())
	must(t, err)
	if _, page := ann.get("/console/prices"); strings.Contains(page, "PRICE_SOURCES is empty") ||
		!strings.Contains(page, "No source has answered yet.") {
		t.Errorf("of sources that said nothing: %s", page)
	}
	d.exec("insert into jobs (kind, ref, run_at, last_error) values ('prices.refresh', gen_random_uuid(), now(), 'coinbase: no route to host')")
	_, page := ann.get("/console/")
	if want := "There is no price for 1 token (BTC): requests that need one are refused. The price sources could not be reached: coinbase: no route to host"; !strings.Contains(page, want) {
		t.Errorf("the overview lacks %q: %s", want, page)
	}
	d.exec("insert into prices (base, quote, price, source, pinned) values ('BTC', 'USD', 1, 'ann', true)")
	if _, page := ann.get("/console/"); strings.Contains(page, "no price") {
		t.Errorf("it is pinned: %s", page)
	}
}

// The plots have their figures in words, of a day or a week, and say so while there are none.
//
// Covers operator §Console: The overview plots
func TestPlots(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	ann := d.person()
	ann.login("ann", password)
	if _, page := ann.get("/console/"); !strings.Contains(page, "It has recorded none in this period.") ||
		!strings.Contains(page, "None in 30 days.") {
		t.Errorf("of an empty installation: %s", page)
	}
	d.exec("insert into prices (base, quote, price, source) values ('USDT', 'USD', 1, 'test') on conflict (base, quote) do update set price = 1")
	began := time.Now()
	d.payin()
	d.payout("salary-7", "250")
	d.exec("update followers set head = head + 37")
	for last := time.Now(); !began.After(last); began = began.Truncate(time.Minute).Add(time.Minute) { // a minute may end meanwhile
		must(t, d.store.TakeSamples(t.Context(), began.Add(time.Minute))) // the minute beginning then has the figures of this one
	}
	_, page := ann.get("/console/")
	if !strings.Contains(page, "y=\"17\">$1\u202f000.00</text>") {
		t.Errorf("a plot lacks its axis: %s", page)
	}
	for _, want := range []string{"Volume: $1\u202f000.00 in, $250.00 out; highest $1\u202f000.00",
		"Blocks behind, slowest network: now 37, at most 37 at ", "(Ethereum)",
		"Oldest due job: now ", `<i class="key two">Payouts</i>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the plots lack %q: %s", want, page)
		}
	}
	if found := regexp.MustCompile(`<path class="curve one" d="M[^"]+"/>`).FindAllString(page, -1); len(found) != 4 {
		t.Errorf("%d curves are drawn: %s", len(found), page)
	}
	d.exec("update samples set at = at - interval '3 days'")
	if _, day := ann.get("/console/"); !strings.Contains(day, "It has recorded none in this period.") {
		t.Errorf("a day shows what was three days ago: %s", day)
	}
	if _, week := ann.get("/console/?days=7"); !strings.Contains(week, "at most 37 at ") ||
		!strings.Contains(week, `<b aria-current="true">7 days</b>`) {
		t.Errorf("a week lacks what was three days ago: %s", week)
	}
}
