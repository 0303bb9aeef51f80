package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/browser"
	"causeway/internal/ops/admin"
)

// filtered is a desk with a payin, a payout, a fixed wallet and webhooks of Shop & Sons, all made today.
func filtered(t *testing.T) (*desk, *person) {
	t.Helper()
	d := open(t)
	d.operator("ann", admin.RoleViewer)
	d.payin()
	d.payout("order-1", "250")
	d.exec("update payins set customer_info = 'c-7'")
	d.exec("update payouts set customer_info = 'c-7'")
	d.exec(`insert into wallets (id, merchant_id, family, customer_info, wallet, status) values (?, ?, 'ethereum', 'c-7', 'w', 'STATUS_ASSIGNED')`,
		uuid.Must(uuid.NewV7()), d.merchant)
	p := d.person()
	p.login("ann", password)
	return d, p
}

// Each list has the rows of its filters, and the file has the same. The form keeps the input.
//
// Covers operator §Console: Payins and payouts are filtered
// Covers operator §Console: Fixed wallets are filtered
func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	d, p := filtered(t)
	day := func(days int) string { return time.Now().UTC().AddDate(0, 0, days).Format(time.DateOnly) }
	money, wallets, webhooks := []string{"payins", "payouts"}, []string{"wallets"}, []string{"webhooks"}
	dated := append(append(append([]string{}, money...), wallets...), webhooks...)
	for _, c := range []struct {
		lists       []string
		name, value string
		found       bool
	}{
		{money, "token", "USDT", true}, {money, "token", "BTC", false}, {money, "token", "zz", false},
		{money, "network", "Ethereum", true}, {money, "network", "Bitcoin", false},
		{money, "reference", "order-1", true}, {money, "reference", "ord", true}, {money, "reference", "rder-1", false}, {money, "reference", "order-12", false},
		{append(wallets, money...), "customer", "c-7", true}, {append(wallets, money...), "customer", "c-", false},
		{dated, "from", day(-1), true}, {dated, "from", day(2), false}, {dated, "until", day(1), true}, {dated, "until", day(-2), false},
		{dated, "merchant", "shop", true}, {dated, "merchant", "nobody", false}, {dated, "merchant", d.merchant.String(), true},
		{webhooks, "event", "payment_confirmed", true}, {webhooks, "event", "payment_reversed", false},
	} {
		for _, list := range c.lists {
			query := "?" + url.Values{c.name: {c.value}}.Encode()
			if _, rows := p.file(list + query + "&format=csv"); len(rows) > 0 != c.found {
				t.Errorf("%s%s: the file has %d rows", list, query, len(rows))
			}
			_, page := p.get("/console/" + list + query)
			if strings.Contains(page, "<tbody>") != c.found {
				t.Errorf("%s%s: the page has rows: %v", list, query, !c.found)
			}
			kept := regexp.MustCompile(`name="` + c.name + `" value="` + regexp.QuoteMeta(c.value) + `"|value="` + regexp.QuoteMeta(c.value) + `" selected`)
			if c.value != "zz" && !kept.MatchString(page) {
				t.Errorf("%s%s: the form forgets it", list, query)
			}
		}
	}
	filters := "from=" + day(-1) + "&until=" + day(1) + "&token=USDT&network=Ethereum&reference=order&customer=c-7&merchant=Sons"
	if _, rows := p.file("payins?format=csv&" + filters); len(rows) != 1 {
		t.Errorf("all filters together find %d payins", len(rows))
	}
}

// An unreadable filter is named, and finds nothing: a list of everything would look like the answer, and so would an empty file.
//
// Covers operator §Console: A filter that cannot be read
func TestAFilterThatCannotBeRead(t *testing.T) {
	t.Parallel()
	d, p := filtered(t)
	for n := range 20 {
		d.exec("insert into merchants (id, name, webhook_secret) values (?, ?, 'x')", uuid.Must(uuid.NewV7()), fmt.Sprintf("Shop %d", n))
	}
	for _, list := range []string{"payins", "payouts", "wallets", "webhooks"} {
		for query, said := range map[string]string{
			"from=yesterday":    "&#34;yesterday&#34; is no day: write it as 2006-01-02.",
			"until=2026-13-01":  "&#34;2026-13-01&#34; is no day",
			"from=0001-01-01":   "is no day",
			"merchant=shop":     "More than 20 merchants match “shop”. Enter more of the name, or an ID.",
			"merchant=shop+%26": "",
		} {
			status, page := p.get("/console/" + list + "?" + query)
			if status != http.StatusOK || strings.Contains(page, "<tbody>") != (said == "") || !strings.Contains(page, said) {
				t.Errorf("%s?%s is answered %d without %q", list, query, status, said)
			}
			if status, _ := p.get("/console/" + list + "?format=csv&" + query); (status == http.StatusOK) != (said == "") {
				t.Errorf("%s?%s as a file is answered %d", list, query, status)
			}
		}
	}
}

// The next page and the file go on under the same filters, in the order of the page.
//
// Covers operator §Console: Payins and payouts are filtered
func TestThePagerKeepsTheFilters(t *testing.T) {
	t.Parallel()
	d, p := filtered(t)
	d.bulk(2_000)
	next := regexp.MustCompile(`href="([^"]+)" rel="next"`)
	path, seen := "/console/payins?reference=bulk-1&merchant=Sons&token=USDT", 0
	for path != "" {
		_, page := p.get(path)
		seen += strings.Count(page, ">bulk-1")
		found := next.FindStringSubmatch(page)
		path = ""
		if found != nil {
			path = strings.ReplaceAll(found[1], "&amp;", "&")
		}
	}
	_, rows := p.file("payins?format=csv&reference=bulk-1&merchant=Sons&token=USDT")
	if seen != 1111 || len(rows) != 1111 || rows[0]["reference_id"] != "bulk-1" || rows[1]["reference_id"] != "bulk-10" || rows[1110]["reference_id"] != "bulk-1999" {
		t.Errorf("the pages have %d rows and the file %d, not 1111", seen, len(rows))
	}
}

// The filters fit a phone, and filter in a browser.
//
// Covers operator §Console: Payins and payouts are filtered
func TestFiltersInABrowser(t *testing.T) {
	t.Parallel()
	d, _ := filtered(t)
	page := browser.Open(t).Page(desktop)
	d.enter(page, "ann")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	d.fits(page, "filtered", screens, "payins?reference=order&merchant=shop", "payouts?from=2026-13-01", "wallets", "webhooks")
	page.SetScreen(desktop)
	page.Visit(d.url + "/console/payouts")
	page.Eval(`document.querySelector("[name=reference]").value = "order"`)
	page.Eval(`document.querySelector("[name=token]").value = "USDT"`)
	page.Click(".filter button")
	page.Await("it is found", `location.search.includes("reference=order") && location.search.includes("token=USDT") && document.querySelectorAll("tbody tr").length === 1`)
}
