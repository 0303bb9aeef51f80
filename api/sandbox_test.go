package api

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/proof/contract"
)

// A request goes to the sandbox by the mark of its key, or as one of its pages, and by nothing else.
func TestLiveAndSandboxShareAPort(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §14: A request under /v1 goes to the sandbox", "addendum §14: {base_url}/sandbox/pay")
	tells := func(name string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, name, " ", r.RequestURI, " ", r.URL.Path) })
	}
	for name, c := range map[string]struct{ prefix, target, header, key, want string }{
		"a live key":             {"", "/v1/balances?a=1", "X-Service-Invoke", "cw_live_a", "live /v1/balances?a=1 /v1/balances"},
		"a sandbox key":          {"", "/v1/balances?a=1", "X-Service-Invoke", "cw_test_a", "sandbox /v1/balances?a=1 /v1/balances"},
		"no key":                 {"", "/v1/balances", "X-Other", "cw_test_a", "live /v1/balances /v1/balances"},
		"a mark in the middle":   {"", "/v1/balances", "X-Service-Invoke", "cw_live_cw_test_a", "live /v1/balances /v1/balances"},
		"a mark in capitals":     {"", "/v1/balances", "X-Service-Invoke", "CW_TEST_a", "live /v1/balances /v1/balances"},
		"another header prefix":  {"X-Acme", "/v1/balances", "X-Acme-Invoke", "cw_test_a", "sandbox /v1/balances /v1/balances"},
		"the usual one, unused":  {"X-Acme", "/v1/balances", "X-Service-Invoke", "cw_test_a", "live /v1/balances /v1/balances"},
		"readiness with a key":   {"", "/readyz", "X-Service-Invoke", "cw_test_a", "live /readyz /readyz"},
		"documents with a key":   {"", "/openapi.json", "X-Service-Invoke", "cw_test_a", "live /openapi.json /openapi.json"},
		"a page of the sandbox":  {"", "/sandbox/pay/1%2F2?lang=en", "X-Other", "", "sandbox /pay/1%2F2?lang=en /pay/1/2"},
		"its page, with a key":   {"", "/sandbox/pay/1", "X-Service-Invoke", "cw_live_a", "sandbox /pay/1 /pay/1"},
		"a live page":            {"", "/pay/1", "X-Service-Invoke", "cw_test_a", "live /pay/1 /pay/1"},
		"the sandbox's own /v1":  {"", "/sandbox/v1/balances", "X-Service-Invoke", "cw_test_a", "live /sandbox/v1/balances /sandbox/v1/balances"},
		"a whole address, asked": {"", "http://example.com/sandbox/pay/1?lang=en", "X-Other", "", "sandbox /pay/1?lang=en /pay/1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, c.target, http.NoBody)
			r.Header.Set(c.header, c.key)
			w := httptest.NewRecorder()
			WithSandbox(tells("live"), func() http.Handler { return tells("sandbox") }, c.prefix, "/pay/").ServeHTTP(w, r)
			require.Equal(t, c.want, w.Body.String())
		})
	}
}

// While the sandbox is away its requests are answered with 503, and live ones as ever.
func TestASandboxThatIsAway(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §14: While the sandbox is away")
	h := WithSandbox(http.NotFoundHandler(), func() http.Handler { return nil }, "", "/pay/")
	ask := func(path, key, accept string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Header.Set("X-Service-Invoke", key)
		r.Header.Set("Accept", accept)
		r.Header.Set("X-Request-Id", "mine")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	away := ask("/v1/balances", "cw_test_a", "")
	require.Equal(t, http.StatusServiceUnavailable, away.Code)
	require.JSONEq(t, `{"error":{"code":"service_unavailable","message":"The sandbox is away for now. Nothing was processed."}}`, away.Body.String())
	require.Equal(t, "mine", away.Header().Get("X-Request-Id"))
	require.Equal(t, "5", away.Header().Get("Retry-After"))
	page := ask("/sandbox/pay/1", "", "text/html")
	require.Equal(t, http.StatusServiceUnavailable, page.Code)
	require.Contains(t, page.Body.String(), "<h1>The sandbox is away")
	require.Equal(t, http.StatusNotFound, ask("/v1/balances", "cw_live_a", "").Code)
}
