package checkout_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"causeway/docs/guides"
	"causeway/internal/dev/browser"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// guideSnippet returns the first code block of a language in the guide of the payment button.
func guideSnippet(t *testing.T, language string) string {
	t.Helper()
	text, err := guides.Files.ReadFile("checkout-button.md")
	must(t, err)
	found := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(text)
	if found == nil {
		t.Fatalf("the guide has no %s", language)
	}
	return string(found[1])
}

// shopPage serves the page of the guide, with its own policy, and returns its origin as a browser on this machine has it.
func shopPage(t *testing.T, service, link string) string {
	t.Helper()
	page := strings.NewReplacer("{base_url}/pay/link/tea", link, "{base_url}", service).Replace(guideSnippet(t, "html"))
	script := guideSnippet(t, "js") + `
		window.told = [];
		for (const name of ["paid", "closed"]) document.addEventListener("causeway:" + name, (event) => told.push([name, event.target.tagName, event.detail]));
		addEventListener("message", (event) => { if (event.data.causeway === "height") window.high = event.data.height; });`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' "+service+"; frame-src "+service+"; img-src data:")
		if r.URL.Path == "/shop.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write([]byte(script))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>Shop</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><script src="/shop.js" defer></script>` + page))
	}))
	t.Cleanup(server.Close)
	at, err := url.Parse(server.URL)
	must(t, err)
	return "http://localhost:" + at.Port()
}

const (
	theWindow = `document.querySelector("body > div")?.shadowRoot?.querySelector("dialog[open]")`
	theFrame  = theWindow + `?.querySelector("iframe")`
)

// A named site opens a payer's page in a window, and learns of its payment. Any other site leads to the page instead.
func TestAShopOpensThePage(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.payin(order{})
	link := d.url + "/pay/" + id.String()
	shop, stranger := shopPage(t, d.url, link), shopPage(t, d.url, link)
	d.exec("insert into merchant_sites (merchant_id, site) values (?, ?)", d.merchant, shop)
	b := browser.Open(t)
	page := b.Page(browser.Screen{Width: 390, Height: 844})
	page.Visit(shop)

	openWindow := func() {
		page.Eval(`document.querySelector("a[data-causeway]").focus()`)
		page.Click("a[data-causeway]")
		page.Await("the page says how high it is", `window.high > 300 && `+theFrame)
	}
	openWindow()
	if got := page.Eval(`[` + theWindow + `.getBoundingClientRect().width, document.documentElement.style.overflow, ` + theWindow + `.ariaModal, ` + theFrame + `.src]`); !equal(got, 390.0, "hidden", "true", link) {
		t.Errorf("the window is %v", got)
	}
	for range 4 {
		page.Press("\t")
		if page.Eval(`document.activeElement.matches("a[data-causeway]")`) != false {
			t.Error("the focus leaves the window")
		}
	}
	page.Eval(theWindow + `.querySelector("button").focus()`)
	page.Press("\x1b")
	page.Await("Escape closes it", `!document.querySelector("body > div") && document.documentElement.style.overflow === "" && document.activeElement.matches("a[data-causeway]")`)

	page.SetScreen(browser.Screen{Width: 1280, Height: 900})
	page.Eval(`delete window.high`)
	openWindow()
	if wide := page.Eval(theWindow + `.getBoundingClientRect().width`); wide != 512.0 {
		t.Errorf("at a desk it is %v wide", wide)
	}
	page.Eval(theFrame + `.focus()`)
	page.Press("\x1b") // the page in the frame has the focus
	page.Await("Escape within the frame closes it", `told.length === 2`)

	openWindow()
	page.Eval(`new Promise((done) => { addEventListener("message", done, { once: true }); postMessage({ causeway: "paid", reference: "forged" }, "*"); })`)
	if told := page.Eval(`told.length`); told != 2.0 {
		t.Errorf("a forged message is believed: %v", page.Eval(`told`))
	}
	d.exec("update payins set received = amount, status = 'completed', updated_at = now() where id = ?", id)
	page.Await("the shop learns that it is paid", `told.length === 3 && !document.getElementById("thanks").hidden`)
	if got := page.Eval(`told[2][0] + " " + told[2][1] + " " + told[2][2].reference`); got != "paid A "+id.String() {
		t.Errorf("the shop is told %v", got)
	}
	page.Eval(theWindow + `.querySelector("button").click()`)
	if got := page.Eval(`told[3][0] + told[3][2].paid`); got != "closedtrue" {
		t.Errorf("closing is told as %v", got)
	}
	for _, address := range []string{"/pay/refund/x.y", "/pay/embed.js", "/panel/", "https://evil.example/pay/link/tea"} {
		if got := page.Eval(`try { causeway.open(new URL("` + address + `", "` + d.url + `").href); "opened" } catch (e) { e.name }`); got != "TypeError" {
			t.Errorf("%s: %v", address, got)
		}
	}

	other := b.Page(browser.Screen{Width: 390, Height: 844})
	other.Visit(stranger)
	other.Click("a[data-causeway]")
	other.Await("a stranger's customer is on our own page", `location.href === "`+link+`" && document.querySelector("#page")`)
}

func equal(got any, want ...any) bool {
	list, _ := got.([]any)
	if len(list) != len(want) {
		return false
	}
	for i := range want {
		if list[i] != want[i] {
			return false
		}
	}
	return true
}

// Pages of payins, requests and links name their sites, and all other pages nobody.
func TestOnlyNamedSitesFrame(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: Every answer forbids")
	const sites = "http://localhost:3000 https://shop.example"
	d, q, request := choosing(t)
	q.offered.Look = pay.Look{Sites: sites}
	l, fake := tea(t)
	fake.offered.Look = pay.Look{Sites: sites}
	r, refund, promise := refundingDesk(t)
	refund.promised.Look = pay.Look{Sites: sites}
	free := d.payin(order{})
	before, body := d.ask("GET", "/pay/"+free.String(), "")
	d.exec("insert into merchant_sites (merchant_id, site) values (?0, 'https://shop.example'), (?0, 'http://localhost:3000')", d.merchant)
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	get := func(d *desk, path string) *http.Response {
		response, _ := d.ask("GET", path, "")
		return response
	}
	post := func(d *desk, path, body string) *http.Response {
		response, _ := d.ask("POST", path, body, form...)
		return response
	}
	for name, c := range map[string]struct {
		answer *http.Response
		framed bool
	}{
		"a payin": {get(d, "/pay/"+free.String()), true}, "a request": {get(d, request), true}, "a link": {get(l, checkout.LinkPrefix+"tea"), true},
		"a choice that is refused": {post(d, request, "offer=none"), true}, "an amount that is refused": {post(l, checkout.LinkPrefix+"tea", "amount=5&offer=none"), true},
		"a payin before": {before, false}, "a refund": {get(r, promise), false}, "where a refund goes": {post(r, promise, "wallet="+payersOwn), false},
		"no payin": {get(d, "/pay/nothing"), false}, "no request": {get(d, checkout.RequestPrefix+"nothing"), false}, "the live state": {get(d, "/pay/nothing/live"), false},
	} {
		policy, old := c.answer.Header.Get("Content-Security-Policy"), c.answer.Header.Get("X-Frame-Options")
		want, wantOld := "frame-ancestors 'none'", "DENY"
		if c.framed {
			want, wantOld = "frame-ancestors "+sites, ""
		}
		if !strings.HasSuffix(policy, want) || old != wantOld || strings.Count(policy, "frame-ancestors") != 1 || !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%s: %q, %q", name, policy, old)
		}
	}
	if strings.Contains(body, "frame.js") || strings.Contains(d.page(free, "en"), `data-sites="http://localhost:3000 https://shop.example"`) == false {
		t.Error("the script of frames is on the wrong pages")
	}
}

// The script is kept for five minutes at its plain address, and for good at the address of its content.
func TestTheScriptOfShops(t *testing.T) {
	t.Parallel()
	d := open(t)
	d.visitors.wait = 1 // it is counted for nobody
	stable, script := d.ask("GET", checkout.EmbedPath, "")
	pinned, same := d.ask("GET", checkout.EmbedPinned(), "")
	again, nothing := d.ask("GET", checkout.EmbedPath, "", "If-None-Match", stable.Header.Get("ETag"))
	if script != same || script == "" || stable.Header.Get("Cache-Control") != "public, max-age=300" || !strings.Contains(pinned.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v, %v", stable.Header, pinned.Header)
	}
	if again.StatusCode != http.StatusNotModified || nothing != "" {
		t.Errorf("once more: %d %s", again.StatusCode, nothing)
	}
	for _, answer := range []*http.Response{stable, pinned} {
		if answer.Header.Get("Access-Control-Allow-Origin") != "*" || answer.Header.Get("Cross-Origin-Resource-Policy") != "cross-origin" ||
			!strings.HasPrefix(answer.Header.Get("Content-Type"), "text/javascript") {
			t.Errorf("%v", answer.Header)
		}
	}
	if page, _ := d.ask("GET", "/pay/nothing", ""); page.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("pages are shared with other sites")
	}
}
