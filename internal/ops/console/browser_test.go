package console_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/internal/dev/browser"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var desktop = browser.Screen{Width: 1280, Height: 800}

// enter logs in by the form.
func (d *desk) enter(page *browser.Page, name string) {
	d.t.Helper()
	page.Visit(d.url + "/console/login")
	page.Eval(`document.querySelector("[name=name]").value = ` + strconv.Quote(name))
	page.Eval(`document.querySelector("[name=password]").value = ` + strconv.Quote(password))
	page.Click("form button")
}

// A person logs in by password and code, finds a payout by its reference, approves it, and it is signed; nothing was signed before.
func TestApprovalInTheBrowser(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	code := d.codes("ann")
	d.payin()
	must(t, d.store.SavePayoutLimit(t.Context(), &store.PayoutLimit{MerchantID: d.merchant, Unit: "USDT", Per: store.PerPayout, Above: dec("100")}))
	p := d.payout("salary-7", "250")
	d.work()
	if signed, err := d.store.SignedOf(t.Context(), p.ID); err != nil || len(signed) > 0 {
		t.Fatalf("before the approval %d transactions are signed: %v", len(signed), err)
	}

	page := browser.Open(t).Page(desktop)
	d.enter(page, "ann")
	page.Await("the code is asked for", `document.querySelector("[name=code]")`)
	page.Eval(`document.querySelector("[name=code]").value = ` + strconv.Quote(code()))
	page.Click("form button")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	page.Eval(`document.querySelector("[name=q]").value = "salary-7"`)
	page.Click(".find button")
	page.Await("the payout is found", `document.querySelector("h1").innerText.startsWith("Search for") && document.querySelector("td a")?.innerText.includes("250")`)
	page.Click("td a")
	page.Await("its page", `document.querySelector("h1").innerText.startsWith("Payout of 250")`)
	if said := page.Text("main"); !strings.Contains(said, "above the limit of 100 USDT") || !strings.Contains(said, "Nothing is signed yet.") {
		t.Errorf("the page says %s", said)
	}
	page.Await("it names the seal", `document.querySelector("form[action$='/approve'] [name=seal]").value.length === 74`)
	page.Click(`form[action$="/approve"] button`)
	page.Await("it is asked first", `document.querySelector("dialog[open]")`)
	page.Click(`dialog button[value="yes"]`)
	page.Await("it is approved", `document.querySelector(".flash.good")`)
	d.work()
	if now, err := d.store.Payout(t.Context(), p.ID); err != nil || now.Status != pay.PayoutSent {
		t.Errorf("after the approval it is %s: %v", now.Status, err)
	}
	d.mine(4)
	page.Eval("location.reload()")
	page.Await("it is completed", `document.querySelector(".title .pill").innerText === "completed"`)
	if found := page.Problems(); len(found) > 0 {
		t.Errorf("the browser complains: %s", found)
	}
}

// A webhook is sent again from its page, and a payin is found by its payer's transaction.
//
// Covers operator §Console: One box finds
func TestRedeliveryAndSearchInTheBrowser(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleOperator)
	p, txid := d.payin()
	page := browser.Open(t).Page(desktop)
	d.enter(page, "ann")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	page.Eval(`document.querySelector("[name=q]").value = ` + strconv.Quote(txid))
	page.Click(".find button")
	page.Await("something is found", `document.querySelector("h1").innerText.startsWith("Search for") && document.querySelectorAll("tbody tr").length >= 2`)
	if said := page.Text("tbody"); !strings.Contains(said, "order-1") || !strings.Contains(said, txid) {
		t.Errorf("the search for a transaction found %s", said)
	}
	page.Click("td a")
	page.Await("the payin", `document.querySelector("h1").innerText.startsWith("Payin of 1")`)
	before, err := d.store.DeliveriesOf(t.Context(), p.ID)
	must(t, err)
	page.Click(`form[action$="/redeliver"] button`)
	page.Await("it is sent again", `document.querySelector(".flash.good")`)
	d.work()
	after, err := d.store.DeliveriesOf(t.Context(), p.ID)
	must(t, err)
	if len(after) != len(before)+1 || after[len(after)-1].Status != "delivered" || after[len(after)-1].RedeliveryOf == nil {
		t.Errorf("%d webhooks before, %d after", len(before), len(after))
	}
	page.Eval("location.reload()")
	page.Await("its new delivery is delivered", `document.querySelector(".title .pill").innerText === "delivered"`)
}

// Without scripts everything can be reached and done; nothing is asked first.
//
// Covers operator §Console: Pages ask nobody outside
func TestWithoutScripts(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	d.payin()
	page := browser.Open(t).Page(browser.Screen{Width: 1280, Height: 800, NoScript: true})
	d.enter(page, "ann")
	page.Await("the overview with its menu", `document.querySelector("nav a[href='/console/reconcile']")?.offsetHeight > 0`)
	page.Visit(d.url + "/console/reconcile")
	page.Eval(`document.querySelector("form[action$='/assets/stop'] [name=reason]").value = "a look"`)
	page.Eval(`document.querySelector("form[action$='/assets/stop'] [name=asset]").value = "USDT"`)
	page.Click("form[action$='/assets/stop'] button")
	page.Await("it is stopped", `document.querySelector(".flash.good")`)
	page.SetScreen(browser.Screen{Width: 390, Height: 844, NoScript: true})
	if page.Eval(`document.querySelector("nav").offsetHeight`) != 0.0 {
		t.Error("on a phone the menu is open before it is asked for")
	}
	page.Click("#menu")
	page.Await("the menu opens", `document.querySelector("nav").offsetHeight > 0`)
	stopped, err := d.store.StoppedAssets(t.Context())
	must(t, err)
	if len(stopped) != 1 || stopped[0].Asset != "USDT" {
		t.Errorf("stopped are %+v", stopped)
	}
}

// screens are the sizes at which every page must be readable.
var screens = map[string]browser.Screen{
	"phone-light": {Width: 390, Height: 844}, "phone-dark": {Width: 390, Height: 844, Dark: true},
	"small-light": {Width: 1024, Height: 768}, "small-dark": {Width: 1024, Height: 768, Dark: true},
	"desktop-light": desktop, "desktop-dark": {Width: 1280, Height: 800, Dark: true},
	"large-light": {Width: 1920, Height: 1080}, "large-dark": {Width: 1920, Height: 1080, Dark: true},
}

// Every page fits a phone and a desktop, in light and dark, with and without anything on it, and the browser has nothing to
// complain of. PAGES_OUT keeps the pictures.
//
// Covers operator §Console: It shows what is held
func TestEveryPageFits(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.operator("ann", admin.RoleAdmin)
	page := browser.Open(t).Page(desktop)
	page.Visit(d.url + "/console/login")
	keep(t, page, "login")
	d.enter(page, "ann")
	page.Await("the overview", `document.querySelector("h1")?.innerText === "Overview"`)
	paths := []string{"", "payouts", "approvals", "payins", "unclaimed", "merchants", "rates", "wallets", "webhooks", "tokens", "prices", "networks",
		"treasury", "reconcile", "audit", "operators", "account",
		"search?q=nothing", "nowhere", "merchants/" + d.merchant.String(), "tokens/USDT/Ethereum"}
	d.fits(page, "empty", map[string]browser.Screen{"phone-light": screens["phone-light"]}, paths...)

	in, _ := d.payin()
	must(t, d.store.SavePayoutLimit(t.Context(), &store.PayoutLimit{MerchantID: d.merchant, Unit: "USD", Per: store.PerPayout, Above: dec("100")}))
	done, waits := d.payout("a-reference-that-is-rather-long-and-goes-on-and-on", "50"), d.payout("salary-7", "250")
	_, err := d.admin.CreateKey(t.Context(), admin.NewKey{Merchant: d.merchant})
	must(t, err)
	d.mine(4)
	told, err := d.store.DeliveriesOf(t.Context(), in.ID)
	must(t, err)
	d.exec("update transfers set status = 'unclaimed', payin_id = null, reason = 'too late', memo = 'of the payer'")
	var stray string
	must(t, d.db.NewRaw("select id from transfers limit 1").Scan(t.Context(), &stray))
	d.exec("insert into followers (network, head, halted, error) values ('Bitcoin', 7, true, 'a reorganisation deeper than is remembered') on conflict do nothing")
	d.exec("update followers set halted = true where network = 'Ethereum'")
	d.exec("insert into stopped_wallets (network, address, ours, chain) values ('Ethereum', 'a', 3, 5)")
	must(t, d.store.TakeSamples(t.Context(), time.Now()))
	d.fits(page, "full", screens, append(paths, "payouts/"+done.ID.String(), "payouts/"+waits.ID.String(), "payins/"+in.ID.String(),
		"webhooks/"+told[0].ID.String(), "search?q=Shop", "unclaimed/"+stray, "merchants/"+d.merchant.String()+"/keys", "merchants/"+d.merchant.String()+"/panel/")...)
	if found := page.Problems(); len(found) > 1 { // the page "nowhere" is answered 404, and the browser notes it
		for _, f := range found {
			if !strings.Contains(f, "404") {
				t.Errorf("the browser complains: %s", f)
			}
		}
	}
}

// fits looks at pages and fails where anything runs out of them.
func (d *desk) fits(page *browser.Page, state string, screens map[string]browser.Screen, paths ...string) {
	d.t.Helper()
	for _, path := range paths {
		page.SetScreen(desktop)
		page.Visit(d.url + "/console/" + path)
		if title := page.Text("h1"); title == "Something went wrong" || strings.HasPrefix(title, "Not found") != (path == "nowhere") {
			d.t.Errorf("/console/%s says %s", path, title)
		}
		for as, screen := range screens {
			page.SetScreen(screen)
			if wide := page.Eval("document.documentElement.scrollWidth"); wide != float64(screen.Width) {
				d.t.Errorf("%s /console/%s at %s is %v wide", state, path, as, wide)
			}
			if found, _ := page.Eval(covered).(string); found != "" {
				d.t.Errorf("%s /console/%s at %s: %s", state, path, as, found)
			}
			keep(d.t, page, strings.NewReplacer("/", "_", "?", "_", "=", "_").Replace(cmp.Or(path, "overview"))+"-"+state+"-"+as)
		}
	}
}

// covered is a script: it names each cell lying on another one of its row, running out of itself, or outside of the visible part of
// its table.
const covered = `[...document.querySelectorAll("table tr")].flatMap((row) => {
	const cells = [...row.cells].filter((cell) => cell.getClientRects().length > 0 && !(cell.closest("thead") && cell.getBoundingClientRect().right <= 0));
	const name = (cell) => (cell.dataset.name ?? "head") + " “" + cell.innerText.slice(0, 30) + "”";
	const content = (cell) => {
		const range = document.createRange();
		range.selectNodeContents(cell);
		return [...range.getClientRects(), ...[...cell.querySelectorAll("button, input, select")].map((part) => part.getBoundingClientRect())]
			.filter((rect) => rect.width > 1);
	};
	const box = row.closest(".scroll").getBoundingClientRect();
	const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
	const wrong = [];
	cells.forEach((cell, i) => {
		const at = cell.getBoundingClientRect(), parts = content(cell);
		if (parts.some((part) => part.right > at.right + 1 || part.left < at.left - 1)) wrong.push(name(cell) + " runs out of its cell");
		if (at.right > box.right + 1) wrong.push(name(cell) + " is cut off");
		for (const other of cells.slice(i + 1)) {
			if ([at, ...parts].some((part) => [other.getBoundingClientRect(), ...content(other)].some((rect) => over(part, rect)))) wrong.push(name(cell) + " lies on " + name(other));
		}
	});
	return wrong;
}).slice(0, 4).join("; ")`

func keep(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	if dir := os.Getenv("PAGES_OUT"); dir != "" {
		must(t, os.WriteFile(filepath.Join(dir, name+".png"), page.Picture(), 0o600))
	}
}
