package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/internal/dev/browser"
	"causeway/internal/dev/testkit"
)

// TestMain fails when Chromium is left behind.
func TestMain(m *testing.M) { testkit.Leakless(m) }

var screen = browser.Screen{Width: 400, Height: 300}

func serve(t *testing.T, page string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>", page)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Problems tells the faults of a page, and nothing of a right one.
func TestProblems(t *testing.T) {
	t.Parallel()
	elsewhere := serve(t, "")
	for name, c := range map[string]struct{ page, want string }{
		"nothing":        {"<h1>Well</h1>", ""},
		"an error":       {"<script>nobody.there()</script>", "nobody is not defined"},
		"what is absent": {"<script>console.assert(true)</script><img src='http://127.0.0.1:1/'>", "ERR_"},
		"another host":   {"<img src='" + elsewhere + "/x'>", " asks " + elsewhere + "/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := browser.Open(t).Page(screen)
			p.Visit(serve(t, c.page))
			found := strings.Join(p.Problems(), "\n")
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("told %q, want %q", found, c.want)
			}
		})
	}
}

// The pages of one browser share cookies; another browser has its own.
func TestCookies(t *testing.T) {
	t.Parallel()
	address := serve(t, "")
	ann := browser.Open(t)
	first := ann.Page(screen)
	first.Visit(address)
	first.Eval(`document.cookie = "who=ann"`)
	for b, want := range map[*browser.Browser]string{ann: "who=ann", browser.Open(t): ""} {
		p := b.Page(screen)
		p.Visit(address)
		if got := p.Eval("document.cookie"); got != want {
			t.Errorf("the cookie is %v, want %q", got, want)
		}
		if p.Eval("document.hidden") != false {
			t.Error("a page is hidden behind another")
		}
	}
}
