package docsite_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/api"
	"causeway/internal/web/docsite"
)

func routes() []api.Route { return new(api.Operations).Routes() }

// site is the site of an installation with a prefix of its own.
func site() http.Handler {
	var codes []docsite.Code
	for _, c := range api.Codes() {
		codes = append(codes, docsite.Code(c))
	}
	return docsite.New(docsite.Deps{Document: func() ([]byte, error) { return api.Document(routes(), "X-Acme") }, Codes: codes,
		HeaderPrefix: "X-Acme", BaseURL: "https://pay.example.com"})
}

func get(t *testing.T, h http.Handler, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, http.NoBody))
	return w
}

// TestPagesLeadOnlyToPages follows every link from the first page: each must be there, and each anchor on it. No page asks
// anybody else for anything, or has a script.
func TestPagesLeadOnlyToPages(t *testing.T) {
	t.Parallel()
	h := site()
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	bodies, open := map[string]string{}, []string{"/docs"}
	for len(open) > 0 {
		path := open[0]
		open = open[1:]
		if _, seen := bodies[path]; seen || path == "/openapi.json" {
			continue
		}
		w := get(t, h, path)
		require.Equal(t, http.StatusOK, w.Code, path)
		require.NotContains(t, w.Header().Get("Content-Security-Policy"), "unsafe")
		require.NotContains(t, w.Header().Get("Content-Security-Policy"), "script-src")
		bodies[path] = w.Body.String()
		if !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			continue
		}
		require.NotContains(t, bodies[path], "<script")
		for _, found := range link.FindAllStringSubmatch(bodies[path], -1) {
			target, _, _ := strings.Cut(found[1], "#")
			require.True(t, target == "" || strings.HasPrefix(target, "/") || strings.HasPrefix(target, "data:"), found[1])
			if strings.HasPrefix(target, "/") {
				open = append(open, target)
			}
		}
	}
	require.Greater(t, len(bodies), 10)
	for path, body := range bodies {
		for _, found := range link.FindAllStringSubmatch(body, -1) {
			target, anchor, has := strings.Cut(found[1], "#")
			if target == "" {
				target = path
			}
			require.True(t, !has || strings.Contains(bodies[target], `id="`+anchor+`"`), "%s leads to %s", path, found[1])
		}
	}
}

// Every operation, webhook and code is on its page; this installation's own things are under its own names.
func TestPagesHaveEverything(t *testing.T) {
	t.Parallel()
	h := site()
	reference := get(t, h, "/docs/reference").Body.String()
	for _, found := range regexp.MustCompile(`href="(/docs/reference/[a-z-]+)"`).FindAllStringSubmatch(reference, -1) {
		reference += get(t, h, found[1]).Body.String()
	}
	full := get(t, h, "/llms-full.txt").Body.String()
	llms := get(t, h, "/llms.txt").Body.String()
	for _, r := range routes() {
		require.Contains(t, reference, `<section id="`+r.Doc.ID+`">`)
		require.Contains(t, llms, r.Summary)
		require.True(t, strings.Contains(full, "\n"+r.Summary+". Scope"), "%s is not in the text of everything", r.Path)
	}
	for _, event := range []string{"payment_processed", "payment_failed", "payment_detected", "payment_confirmed", "payment_reversed", "payment_updated"} {
		require.Contains(t, reference, `id="event-`+event+`"`)
	}
	for _, field := range []string{"data.checkout_url", "payments[].converted_to.token", "results[].internal_reference",
		"<code>dry_run</code></td>", "X-Acme-Invoke"} {
		require.Contains(t, reference, field)
	}
	errors := get(t, h, "/docs/errors").Body.String()
	for _, c := range api.Codes() {
		require.Contains(t, errors, "<code>"+c.Code+"</code>")
		require.True(t, strings.Contains(full, "`"+c.Code+"`"), c.Code)
	}
	for _, path := range []string{"/docs/first-payin", "/docs/webhooks", "/docs/signing"} {
		body := get(t, h, path).Body.String()
		require.Contains(t, body, "X-Acme-")
		require.NotContains(t, body, "X-Service")
	}
	require.Contains(t, get(t, h, "/docs/first-payin").Body.String(), "https://pay.example.com")
	require.Contains(t, get(t, h, "/docs/webhooks").Body.String(), "<table>")
	require.Contains(t, get(t, h, "/docs/webhooks"+".md").Body.String(), "X-Acme-Signature")
	require.Contains(t, reference, "One of <code>pending</code>")
}

func TestWhatIsNoPage(t *testing.T) {
	t.Parallel()
	h := site()
	for _, path := range []string{"/docs/none", "/docs/../docs", "/docs/pages/frame.html", "/"} {
		w := get(t, h, path)
		require.Equal(t, http.StatusNotFound, w.Code, path)
		require.Contains(t, w.Body.String(), "Page not found")
	}
	first := get(t, h, "/docs/reference")
	again := httptest.NewRequest(http.MethodGet, "/docs/reference", http.NoBody)
	again.Header.Set("If-None-Match", first.Header().Get("ETag"))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, again)
	require.Equal(t, http.StatusNotModified, w.Code)
}

// TestPostmanCollection holds the collection against the routes.
func TestPostmanCollection(t *testing.T) {
	t.Parallel()
	var c struct {
		Info struct{ Schema string }
		Auth struct {
			APIKey []struct{ Key, Value string } `json:"apikey"`
		}
		Item []struct {
			Name string
			Item []struct {
				Name    string
				Request struct {
					Method string
					Body   *struct{ Raw string }
					URL    struct {
						Raw      string
						Path     []string
						Variable []struct{ Key, Value string }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal(get(t, site(), "/postman.json").Body.Bytes(), &c))
	require.Contains(t, c.Info.Schema, "v2.1.0")
	require.Equal(t, "X-Acme-Invoke", c.Auth.APIKey[0].Value)
	found := map[string]bool{}
	for _, folder := range c.Item {
		for _, item := range folder.Item {
			u := item.Request.URL
			require.Equal(t, "{{base_url}}/"+strings.Join(u.Path, "/"), u.Raw)
			for _, v := range u.Variable {
				require.Contains(t, u.Path, ":"+v.Key)
				require.NotEmpty(t, v.Value)
			}
			if item.Request.Body != nil {
				require.True(t, json.Valid([]byte(item.Request.Body.Raw)))
			}
			found[item.Request.Method+" "+strings.TrimPrefix(u.Raw, "{{base_url}}")] = true
		}
	}
	for _, r := range routes() {
		require.True(t, found[r.Method+" "+r.Path], "%s %s", r.Method, r.Path)
	}
	require.Len(t, found, len(routes()))
}
