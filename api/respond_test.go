package api

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/internal/pay"
	"causeway/internal/proof/contract"
)

func TestPrefersHTML(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":          false,
		"*/*":       false,
		"text/html": true,
		"TEXT/HTML": true,
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8": true,
		"application/json":                            false,
		"application/json, text/html":                 false,
		"text/html, application/json":                 false,
		"text/html;q=0.9, application/json;q=0.8":     true,
		"text/html;q=0.8, application/json;q=0.9":     false,
		"text/*, application/json;q=0.5":              true,
		"text/html;q=0, */*":                          false,
		"text/html;q=0.1, text/*;q=1, */*;q=0.5":      false,
		"application/json;q=0, */*":                   true,
		"application/*;q=0.2 , text/html ; q=0.3":     true,
		"text/html;level=1;q=0.7, application/json":   false,
		"text/html;q=2":                               false,
		"text/html;q=NaN":                             false,
		"text/html;q=1e9":                             false,
		"text/html;q=":                                false,
		"text/plain":                                  false,
		",;,=;q":                                      false,
		"text/html;q=0.001, application/json;q=0.000": true,
		"text/html;Q=1":                               true,
	} {
		if got := prefersHTML([]string{accept}); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
	if !prefersHTML([]string{"application/json;q=0.5", "text/html"}) {
		t.Error("several headers are not one list")
	}
}

func TestEveryKindHasItsStatus(t *testing.T) {
	t.Parallel()
	for kind, want := range map[pay.Kind]int{
		pay.Internal: 500, pay.Invalid: 400, pay.Unauthorized: 401, pay.Forbidden: 403, pay.NotFound: 404, pay.Conflict: 409,
		pay.TooLarge: 413, pay.Refused: 422, pay.Limited: 429, pay.Upstream: 502, pay.Unavailable: 503, pay.Kind(99): 500,
	} {
		w := httptest.NewRecorder()
		writeError(w, fmt.Errorf("doing something: %w", pay.E(kind, "some_code", "Words <&>.").With("a", 1).Because(errors.New("hidden"))))
		if w.Code != want || w.Body.String() != `{"error":{"code":"some_code","message":"Words <&>.","details":{"a":1}}}` {
			t.Errorf("kind %d: %d %s", kind, w.Code, w.Body)
		}
		if got := w.Header().Get("Content-Type"); got != "application/json; charset=utf-8" {
			t.Errorf("Content-Type %q", got)
		}
	}
}

func TestFailuresTellTheLogAndNobodyElse(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "api-v1 §System errors: internal_error")
	s := newShop(t, echoing)
	const secret = "password of the database"
	for path, handler := range map[string]func(*Call) error{
		"/v1/error":       func(*Call) error { return errors.New(secret) },
		"/v1/notfound":    func(*Call) error { return fmt.Errorf(secret+": %w", pay.ErrNotFound) },
		"/v1/panic":       func(*Call) error { panic(secret) },
		"/v1/unencodable": func(c *Call) error { return c.JSON(200, map[string]any{secret: func() {}}) },
		"/v1/database": func(*Call) error {
			return pay.E(pay.Internal, "internal_error", errInternal.Message).Because(errors.New(secret))
		},
	} {
		s.deps.Routes = append(s.deps.Routes, Route{Method: "GET", Path: path, Scope: pay.ScopePricesRead, Handler: handler})
	}
	front := s.open()
	_, key := s.newKey()
	for _, path := range []string{"/v1/error", "/v1/notfound", "/v1/panic", "/v1/unencodable", "/v1/database"} {
		s.log.Reset()
		r := request("GET", path, key, "")
		r.Header.Set("X-Request-Id", "asked-"+path[4:])
		a := ask(t, front, r)
		a.is(t, 500, "internal_error")
		if strings.Contains(a.text, secret) || a.body.Error.Details != nil {
			t.Errorf("%s tells: %s", path, a.text)
		}
		log := s.log.String()
		if !strings.Contains(log, "asked-"+path[4:]) || path != "/v1/unencodable" && !strings.Contains(log, secret) {
			t.Errorf("%s logs: %s", path, log)
		}
		if strings.Contains(log, key) {
			t.Errorf("%s logs the key", path)
		}
	}
}

func TestAPanicAfterTheAnswerDoesNotAnswerTwice(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	s.deps.Routes = []Route{
		{Method: "GET", Path: "/v1/a", Scope: pay.ScopePricesRead, Handler: func(c *Call) error { _ = c.JSON(207, "x"); panic("late") }},
		{Method: "GET", Path: "/v1/b", Scope: pay.ScopePricesRead, Handler: func(c *Call) error { _ = c.JSON(207, "x"); return errors.New("late") }},
	}
	front := s.open()
	_, key := s.newKey()
	for _, path := range []string{"/v1/a", "/v1/b"} {
		w := httptest.NewRecorder()
		front.ServeHTTP(w, request("GET", path, key, ""))
		if w.Code != 207 || w.Body.String() != `"x"` {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}

func TestUnknownRoutes(t *testing.T) {
	t.Parallel()
	contract.Covers(t,
		"api-v1 §Request-level errors: route_not_found", "addendum §4: 1", "api-v1 §Errors: A /v1 path")
	s := newShop(t, echoing)
	s.deps.Public = []Public{{Path: "/healthz", Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "alive")
	})}}
	front := s.open()
	for _, c := range [][2]string{
		{"GET", "/v1/nowhere"}, {"GET", "/"}, {"POST", "/v1/balances"}, {"HEAD", "/v1/balances"}, {"OPTIONS", "/v1/balances"}, {"OPTIONS", "*"},
		{"get", "/v1/balances"}, {"GET", "/v1/balances/"}, {"GET", "//v1/balances"}, {"GET", "/v1//balances"}, {"GET", "/V1/balances"},
		{"GET", "/v1/%62alances"}, {"GET", "/v1%2Fbalances"}, {"GET", "/v1/x/../balances"}, {"GET", "/v1/balances%00"}, {"GET", "/v1/check-payin"},
		{"GET", "/v1/check-payin/"}, {"GET", "/v1/check-payin/a/b"}, {"POST", "/healthz"}, {"DELETE", "/v1/payin"},
	} {
		r := request(c[0], "/", "", "")
		r.RequestURI = c[1]
		a := ask(t, front, r)
		a.is(t, 404, "route_not_found")
		r.Header.Set("Accept", "text/html")
		page := ask(t, front, r)
		if page.status != 404 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(page.text, "<h1>") {
			t.Errorf("%s as a page: %d %s", c, page.status, page.text)
		}
		if a.header.Get("Location") != "" || a.header.Get("Allow") != "" {
			t.Errorf("%s: %v", c, a.header)
		}
	}
	if a := ask(t, front, request("GET", "/healthz", "", "")); a.status != 200 || a.text != "alive" {
		t.Errorf("/healthz: %d %s", a.status, a.text)
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §4: Every answer has X-Request-Id")
	front := New(newShop(t, echoing).deps)
	sent := func(ids ...string) string {
		r := request("GET", "/v1/nowhere", "", "")
		r.Header["X-Request-Id"] = ids
		return ask(t, front, r).header.Get("X-Request-Id")
	}
	for _, good := range []string{"a", "A-z_09", strings.Repeat("x", 64)} {
		if got := sent(good); got != good {
			t.Errorf("%q became %q", good, got)
		}
	}
	for _, bad := range []string{"", " ", "a b", "é", strings.Repeat("x", 65), "a\r\nb", "a.b"} {
		if got := sent(bad); got == bad || len(got) != 36 {
			t.Errorf("%q became %q", bad, got)
		}
	}
	if got := sent("a", "b"); len(got) != 36 {
		t.Errorf("two ids became %q", got)
	}
}

func TestParametersAreDecodedOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	front := s.open()
	_, key := s.newKey()
	for path, want := range map[string][2]string{
		"/v1/check-payin/ref%2F1?q=a%2Fb%26": {"ref/1", "a/b&"},
		"/v1/check-payin/a%252Fb":            {"a%2Fb", ""},
		"/v1/check-payin/a+b?q=a+b":          {"a+b", "a b"},
		"/v1/check-payin/a%00b?q=%00":        {"a\uFFFDb", "\uFFFD"},
		"/v1/check-payin/%ff?q=%ff":          {"\uFFFD", "\uFFFD"},
		"/v1/check-payin/%ff%fea?q=%ff%fea":  {"\uFFFD\uFFFDa", "\uFFFD\uFFFDa"},
		"/v1/check-payin/%E2%82%AC?q=1&q=2":  {"€", "1"},
		"/v1/check-payin/..?q":               {"..", ""},
	} {
		a := ask(t, front, request("GET", path, key, ""))
		if a.body.Reference != want[0] || a.body.Q != want[1] {
			t.Errorf("%s: %q %q", path, a.body.Reference, a.body.Q)
		}
	}
}
