package console_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"causeway/internal/dev/browser"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/tasks"
)

// treasuryDesk is a desk with money on a deposit address, a rule, and moves in several states.
func treasuryDesk(t *testing.T) *desk {
	t.Helper()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.operator("bob", admin.RoleOperator)
	d.operator("eve", admin.RoleViewer)
	d.payin()
	d.look()
	_, err := d.admin.SetTreasuryRule(t.Context(), "Ethereum", "USDT", admin.Fields{"sweep_min": "20", "hot_floor": "200000", "hot_target": "300000",
		"hot_ceiling": "400000", "max_fee_percent": "1"})
	must(t, err)
	for _, m := range []pay.TreasuryMove{
		{Kind: pay.MoveSweep, Status: pay.MoveDone, Token: "USDT", Index: new(uint32(1)), Amount: dec("1500"), Moved: new(dec("1500")), Cost: new(dec("0.0021")), By: pay.ByRules},
		{Kind: pay.MoveSweep, Status: pay.MoveFailed, Token: "USDT", Index: new(uint32(2)), Amount: dec("70"), Reason: new("the network did not carry it out"), Cost: new(dec("0.001")), By: pay.ByRules},
		{Kind: pay.MoveSweep, Status: pay.MovePlanned, Token: "USDT", Index: new(uint32(3)), Amount: dec("250"), Reason: new("it waits for the coin for its fee"), By: "bob"},
		{Kind: pay.MoveTopup, Status: pay.MoveSent, Token: "ETH", Index: new(uint32(3)), Amount: dec("0.0015"), By: "bob"},
		{Kind: pay.MoveCold, Status: pay.MoveCancelled, Token: "USDT", Amount: dec("40"), Reason: new("cancelled by the operator"), By: pay.ByRules},
	} {
		m.ID, m.Network = uuid.Must(uuid.NewV7()), "Ethereum"
		m.FromAddress, m.ToAddress = "0x8ba1f109551bd432803012645ac136ddd64dba72", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
		must(t, d.store.AddMove(t.Context(), &m))
	}
	return d
}

// rows are the rows of tables on a page, as a person reads them.
func rows(page string) (out []string) {
	for part := range strings.SplitSeq(page, "<tr") {
		out = append(out, strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString("<tr"+part, " ")), " "))
	}
	return out
}

// The page of the treasury shows where a token is against its rule, and each move with its state, reason and cost. Operators pause
// a rule and plan at once; admins resume it and raise its amounts, and lower none.
//
// Covers operator §Console: The page of the treasury shows
// Covers operator §Console: An operator pauses a rule
func TestTheTreasuryOnItsPage(t *testing.T) {
	t.Parallel()
	d := treasuryDesk(t)
	bob, ann, eve := d.person(), d.person(), d.person()
	bob.login("bob", password)
	ann.login("ann", password)
	eve.login("eve", password)
	_, page := eve.get("/console/treasury")
	seen := rows(page)
	for _, want := range []string{"Ethereum USDT 100 000 1 000 250 0 below floor floor 200 000, target 300 000, ceiling 400 000", "sweep Ethereum 1 500 USDT cost 0.0021 ETH", "by rules sweep", "failed the network did not carry it out",
		"planned it waits for the coin for its fee", "by bob top-up Ethereum 0.0015 ETH", "cold Ethereum 40 USDT", "cancelled by the operator"} {
		if !slices.ContainsFunc(seen, func(row string) bool { return strings.Contains(row, want) }) {
			t.Errorf("no row has %q: %q", want, seen)
		}
	}
	if strings.Contains(page, "/console/treasury/") {
		t.Error("a viewer is offered acts")
	}
	for _, path := range []string{"treasury/resume", "treasury/raise"} {
		if status, _ := bob.do(path, "network", "Ethereum", "token", "USDT"); status != http.StatusForbidden {
			t.Errorf("an operator may do %s: %d", path, status)
		}
	}
	d.exec("update jobs set run_at = now() + interval '1 hour'")
	for _, c := range []struct {
		who    *person
		path   string
		fields []string
		says   string
	}{
		{bob, "treasury/plan", nil, "The treasury plans its moves now."},
		{bob, "treasury/pause", []string{"network", "Ethereum", "token", "USDT"}, "The rule is paused."},
		{ann, "treasury/resume", []string{"network", "Ethereum", "token", "USDT"}, "moves money by this rule again"},
		{ann, "treasury/raise", []string{"rule", "USDT@Ethereum", "name", "hot_ceiling", "value", "500000"}, "The rule was changed."},
		{ann, "treasury/raise", []string{"rule", "USDT@Ethereum", "name", "hot_ceiling", "value", "450000"}, "the console raises the amounts of a rule and lowers none"},
		{ann, "treasury/raise", []string{"rule", "USDT@Ethereum", "name", "max_fee_percent", "value", "50"}, "the console changes neither max_fee_percent nor patience"},
		{ann, "treasury/raise", []string{"rule", "ETH@Ethereum", "name", "sweep_min", "value", "1"}, "ETH on Ethereum has no rule"},
	} {
		if _, body := c.who.do(c.path, c.fields...); !strings.Contains(body, c.says) {
			t.Errorf("%s %q does not say %q: %s", c.path, c.fields, c.says, body)
		}
	}
	rules, err := d.store.TreasuryRules(t.Context())
	must(t, err)
	if len(rules) != 1 || rules[0].Paused || rules[0].HotCeiling.String() != "500000" {
		t.Errorf("the rules are %+v", rules)
	}
	var due bool
	must(t, d.db.NewRaw("select run_at <= now() from jobs where kind = ?", tasks.PlanTreasury).Scan(t.Context(), &due))
	for _, want := range []string{"bob treasury.plan", "bob treasury.rule.set", "ann treasury.rule.set"} {
		if !due || !slices.Contains(d.audited(), want) {
			t.Errorf("due %v, the audit lacks %q: %q", due, want, d.audited())
		}
	}
}

// The page of the treasury fits a phone and a large screen, with every colour of it. PAGES_OUT keeps the pictures.
//
// Covers operator §Console: No cell of a table covers another
func TestTheTreasuryFits(t *testing.T) {
	t.Parallel()
	d := treasuryDesk(t)
	page := browser.Open(t).Page(desktop)
	d.enter(page, "bob")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	d.fits(page, "treasury", screens, "treasury", "")
	if found := page.Problems(); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}
