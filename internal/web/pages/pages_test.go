package pages_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"causeway/internal/web/pages"
)

func room(style string) *pages.Set {
	return pages.New(fstest.MapFS{
		"pages/a.html": {Data: []byte(`{{template "meta"}}<link rel="stylesheet" href="{{file "a.css"}}">`)},
		"pages/b.html": {Data: []byte(`half of a page {{.Nothing}}`)},
		"pages/c.html": {Data: []byte(`{{file "none.css"}}`)},
		"pages/a.css":  {Data: []byte(style)},
	}, "/room/", nil)
}

func ask(h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	pages.Guard(w.Header(), pages.NoForms)
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

// styleOf is the address of a style in a room's page.
func styleOf(t *testing.T, room *pages.Set) string {
	t.Helper()
	w := httptest.NewRecorder()
	if err := room.Write(w, http.StatusOK, "a.html", nil); err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(w.Body.String(), `stylesheet" href="`)
	address, _, _ = strings.Cut(address, `"`)
	if !strings.HasPrefix(address, "/room/files/") || !strings.Contains(w.Body.String(), `<meta charset="utf-8">`) {
		t.Fatal(w.Body)
	}
	return address
}

// A style is kept for good under the address with its content's hash, and only there.
func TestFilesAreKeptByTheirContent(t *testing.T) {
	t.Parallel()
	today, tomorrow := room("p {}"), room("p { color: red }")
	address := styleOf(t, today)
	if address == styleOf(t, tomorrow) {
		t.Fatal("another content has the same address")
	}
	if w := ask(today, address); w.Body.String() != "p {}" || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("%s is answered with %v %q", address, w.Header(), w.Body)
	}
	if w := ask(tomorrow, address); w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("another content is answered %d with %v", w.Code, w.Header())
	}
}

func TestOnlyFilesAreServed(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/room/files/", "/room/files/x/a.html", "/room/files/x/none.css", "/room/files/x/..%2fa.html"} {
		if w := ask(room(""), path); w.Code != http.StatusNotFound {
			t.Errorf("%s is answered %d", path, w.Code)
		}
	}
}

// A page impossible to write is answered with none of it.
func TestNoHalfPages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"b.html", "c.html", "none.html"} {
		w := httptest.NewRecorder()
		err := room("").Write(w, http.StatusOK, name, struct{}{})
		if err == nil || w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "half") {
			t.Errorf("%s: %v, %d %q", name, err, w.Code, w.Body)
		}
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1\u202f000", "-123": "\u2212123", "-1234567.8901": "\u22121\u202f234\u202f567.8901",
	} {
		if got := pages.Grouped(number); got != want {
			t.Errorf("%s is written %q", number, got)
		}
	}
}
