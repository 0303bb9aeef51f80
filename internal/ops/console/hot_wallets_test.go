package console_test

import (
	"regexp"
	"strings"
	"testing"

	"causeway/internal/dev/browser"
	"causeway/internal/ops/admin"
	"causeway/tasks"
)

// look runs reconciliation, so that what is held is known.
func (d *desk) look() {
	d.t.Helper()
	j, err := d.store.TakeJob(d.t.Context(), string(tasks.Reconcile), tasks.RefOf(string(tasks.Reconcile)), tasks.Visibility, "")
	must(d.t, err)
	must(d.t, d.workers.Do(d.t.Context(), tasks.Job{Kind: tasks.Reconcile, Ref: j.Ref, Attempt: j.Attempt}))
}

// holding returns the cells of an asset of Ethereum on the page of networks, as a person reads them.
func (p *person) holding(asset string) string {
	_, page := p.get("/console/networks")
	for _, row := range regexp.MustCompile(`(?s)<tr.*?</tr>`).FindAllString(page, -1) {
		words := strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(row, " "))
		if len(words) > 1 && words[0] == "Ethereum" && words[1] == asset {
			return regexp.MustCompile(` \d+ (s|min) ago`).ReplaceAllString(strings.Join(words, " "), "")
		}
	}
	return ""
}

// The page of networks shows what is held, awaited and missing, and for how long the hot wallet lasts. The overview names the address.
//
// Covers operator §Holdings: The page of networks
// Covers operator §Holdings: Queued payouts that ask for more
func TestHoldingsOnThePageOfNetworks(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	p := d.person()
	p.login("ann", password)
	if _, page := p.get("/console/networks"); !strings.Contains(page, "No network has been compared with the books yet.") {
		t.Error("it knows of holdings before a look")
	}
	d.payin()
	d.look()
	if got, want := p.holding("USDT"), "Ethereum USDT 100 000 1 000 0 –"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	d.exec("insert into wallet_paid (network, asset, hour, amount) values ('Ethereum', 'USDT', now(), 200000), ('Ethereum', 'ETH', now(), 0.00001)")
	if got := p.holding("USDT"); !strings.HasSuffix(got, " 12 h 0 min") {
		t.Errorf("%q", got)
	}
	if got := p.holding("ETH"); !strings.HasSuffix(got, " over 10 years") {
		t.Errorf("%q", got)
	}
	d.exec("update wallet_holdings set amount = 40.5 where asset = 'USDT' and kind = 'hot'")
	d.payout("salary-7", "250")
	if got, want := p.holding("USDT"), "Ethereum USDT 40.5 1 000 250 209.5 missing too small"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	d.exec("update wallet_holdings set amount = 70 where asset = 'USDT' and kind = 'cold'")
	if got, want := p.holding("USDT"), "Ethereum USDT 40.5 1 000 70 250 209.5 missing too small"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	n, _ := d.workers.Networks.Network("Ethereum")
	if _, page := p.get("/console/"); !strings.Contains(page, "send 209.5 USDT or more to "+n.HotAddress()) {
		t.Error("the overview does not say how much to send where")
	}
}

// The table of holdings fits a phone and a large screen, with every colour of it. PAGES_OUT keeps the pictures.
//
// Covers operator §Console: No cell of a table covers another
func TestHoldingsFit(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.payin()
	d.look()
	d.exec("insert into wallet_paid (network, asset, hour, amount) values ('Ethereum', 'ETH', now(), 2400000), ('Ethereum', 'USDC', now(), 9000)")
	d.exec("update wallet_holdings set amount = 40.123456 where asset = 'USDT' and kind = 'hot'")
	d.payout("salary-7", "900.5")
	page := browser.Open(t).Page(desktop)
	d.enter(page, "ann")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	d.fits(page, "holdings", screens, "networks", "")
	if found := page.Problems(); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}
