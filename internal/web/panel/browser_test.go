package panel_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"causeway/internal/dev/browser"
	"causeway/internal/ops/admin"
	"causeway/internal/people"
)

// screens are the sizes at which every page must be readable.
var screens = map[string]browser.Screen{
	"phone-light": {Width: 390, Height: 844}, "phone-dark": {Width: 390, Height: 844, Dark: true},
	"desktop-light": {Width: 1280, Height: 800}, "desktop-dark": {Width: 1280, Height: 800, Dark: true},
}

// fill types into the fields of a page; names and values come in pairs.
func fill(page *browser.Page, fields ...string) {
	for i := 0; i < len(fields); i += 2 {
		page.Eval(`document.querySelector("[name=` + fields[i] + `]").value = ` + strconv.Quote(fields[i+1]))
	}
}

// Somebody invited accepts the link, logs in, and sees every page at every size. PAGES_OUT keeps the pictures.
func TestFromTheLinkToThePages(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.member(f.shop, "bob.with.a.rather.long.name@subdomain.example.com", people.Finance)
	token := f.invited(f.shop, "ann@example.com", people.Owner)
	f.invited(f.shop, "eve@example.com", people.Developer)
	f.fund(f.shop, "1234567.891")
	p := f.payout(f.shop, "a-reference-that-is-rather-long-and-goes-on-and-on", "50")
	d := f.delivery(f.shop, p.ID)
	_, err := f.admin.CreateKey(t.Context(), admin.NewKey{Merchant: f.shop})
	f.must(err)
	page := browser.Open(t).Page(screens["desktop-light"])
	page.Visit(f.url + "/panel/invitation?token=" + token)
	f.keep(page, "invitation")
	fill(page, "name", "Ann", "password", password)
	page.Click("form button")
	page.Await("the login", `document.querySelector("[name=email]")`)
	f.keep(page, "login")
	fill(page, "email", "ann@example.com", "password", password)
	page.Click("form button")
	page.Await("the balances", `document.querySelector("h1")?.innerText === "Balances"`)
	f.fits(page, "", "people", "audit", "account", "payins", "payouts", "withdraw", "book", "wallets", "statement", "developers", "webhooks",
		"payouts/"+p.ID.String(), "payins/"+f.payin(f.shop, "order-1").ID.String(), "webhooks/"+d.ID.String())
	if found := page.Problems(); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}

// Somebody with a code withdraws: they see what it costs, confirm it, and come to the payouts. Each page fits every screen.
func TestWithdrawingInABrowser(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	code := ann.coded()
	page := browser.Open(t).Page(screens["phone-light"])
	page.Visit(f.url + "/panel/login?to=/panel/withdraw")
	fill(page, "email", ann.email, "password", password)
	page.Click("form button")
	page.Await("the code", `document.querySelector("[name=code]")`)
	fill(page, "code", code())
	page.Click("form button")
	page.Await("the form", `document.querySelector("[name=wallet]")`)
	f.looks(page, "withdraw")
	fill(page, asked...)
	page.Click("main form button")
	page.Await("the figures", `document.querySelector("h1")?.innerText === "Confirm the withdrawal"`)
	f.looks(page, "withdraw-confirm")
	fill(page, "code", "000000")
	page.Click("main form button")
	page.Await("the wrong code", `document.querySelector("main")?.innerText.includes("The code is wrong")`)
	f.withdrawals.lost = 1
	fill(page, "code", code())
	page.Click("main form button")
	page.Await("the lost answer", `document.querySelector("main")?.innerText.includes("Do not begin another withdrawal")`)
	f.looks(page, "withdraw-unknown")
	fill(page, "code", "000000")
	page.Click("main form button")
	page.Await("the payout's page", `location.pathname.startsWith("/panel/payouts/")`)
	if len(f.withdrawals.recorded) != 1 {
		t.Errorf("%d are recorded", len(f.withdrawals.recorded))
	}
}

// A file is chosen, checked, confirmed with a code and recorded; each page fits every screen.
func TestAFileInABrowser(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Finance)
	code := ann.coded()
	page := browser.Open(t).Page(screens["desktop-light"])
	page.Visit(f.url + "/panel/login?to=/panel/withdraw/sheet")
	fill(page, "email", ann.email, "password", password)
	page.Click("form button")
	page.Await("the code", `document.querySelector("[name=code]")`)
	fill(page, "code", code())
	page.Click("form button")
	page.Await("the form", `document.querySelector("[name=file]")`)
	f.looks(page, "sheet")
	choose := func(file string) {
		page.Eval(`(() => { const d = new DataTransfer(); d.items.add(new File([` + strconv.Quote(file) + `], "payouts.csv"));
			document.querySelector("[name=file]").files = d.files })()`)
		page.Click("main form button")
		page.Await("the lines", `document.querySelector("h1")?.innerText === "Confirm the withdrawals"`)
	}
	choose(lines(10))
	f.looks(page, "sheet-refused")
	page.Visit(f.url + "/panel/withdraw/sheet")
	choose(strings.ReplaceAll(lines(3), "\r\n", "\n"))
	f.looks(page, "sheet-confirm")
	fill(page, "code", code())
	page.Click("main form button")
	page.Await("the result", `document.querySelector("main")?.innerText.includes("All 3 lines are recorded")`)
	f.looks(page, "sheet-result")
	if found := page.Problems(); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}

// looks fails where anything runs out of the page that is shown.
func (f *floor) looks(page *browser.Page, name string) {
	f.Helper()
	for as, screen := range screens {
		page.SetScreen(screen)
		if wide := page.Eval("document.documentElement.scrollWidth"); wide != float64(screen.Width) {
			f.Errorf("%s at %s is %v wide", name, as, wide)
		}
		f.keep(page, name+"-"+as)
	}
}

// fits looks at pages and fails where anything runs out of them.
func (f *floor) fits(page *browser.Page, paths ...string) {
	f.Helper()
	for _, path := range paths {
		page.SetScreen(screens["desktop-light"])
		page.Visit(f.url + "/panel/" + path)
		if title := page.Text("h1"); title == "Something went wrong" || title == "Not found" {
			f.Errorf("/panel/%s says %s", path, title)
		}
		f.looks(page, strings.NewReplacer("/", "_", "?", "_", "=", "_").Replace(cmp.Or(path, "home")))
	}
}

func (f *floor) keep(page *browser.Page, name string) {
	f.Helper()
	if dir := os.Getenv("PAGES_OUT"); dir != "" {
		f.must(os.WriteFile(filepath.Join(dir, name+".png"), page.Picture(), 0o600))
	}
}
