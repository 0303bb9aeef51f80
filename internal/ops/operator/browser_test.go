package operator_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"causeway/internal/dev/browser"
)

var desktop = browser.Screen{Width: 1280, Height: 800}

// A webhook arriving while the page is open shows by itself, and the hint of the empty page goes.
func TestInboxGrowsInTheBrowser(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	var once sync.Once
	late := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("after") {
			once.Do(func() {
				p.ask(t, "POST", "/inbox/orders", `{"event":"payment_late","data":{"note":"<b>bold</b>"}}`, "X-Service-Signature", "good")
			})
		}
		p.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(late.Close)
	page := browser.Open(t).Page(desktop)
	page.Visit(late.URL + "/inbox/")
	page.Await("the webhook shows", `document.querySelector("li.new[data-id='1']")?.innerText.includes("payment_late")`)
	if hidden := page.Eval(`document.querySelector(".empty").hidden`); hidden != true {
		t.Error("the hint of the empty page stays")
	}
	if bold := page.Eval(`document.querySelectorAll("pre b").length`); bold != 0.0 {
		t.Error("a body is shown as HTML")
	}
	if found := page.Problems(); len(found) > 0 || page.Eval(`document.body.className`) != "" {
		t.Errorf("the browser complains: %s", found)
	}
}

func TestHealthFollowsInTheBrowser(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	var shown atomic.Int64
	later := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			if shown.Add(1) == 2 {
				p.exec(t, "insert into followers (network, head, halted) values ('Ethereum', 7, true)")
			}
		}
		p.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(later.Close)
	page := browser.Open(t).Page(desktop)
	page.Visit(later.URL + "/")
	page.Await("what is new shows", `document.body.innerText.includes("Ethereum is halted")`)
}
