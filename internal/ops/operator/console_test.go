package operator_test

import (
	"io"
	"net/http"
	"testing"

	"causeway/internal/ops/admin"
	"causeway/internal/ops/operator"
)

// doorman is a console with a guard closed to everybody.
type doorman struct{}

func (doorman) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, "the console")
}

func (doorman) Guard(_ http.Handler, role string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, role, http.StatusUnauthorized) })
}

// Beside the console, pages for people pass its guard, and those for machines do not.
//
// Covers operator §Roles: Both ports answer GET /healthz
// Covers operator §Roles: The operator port, OPERATOR_ADDR
// Covers operator §Console: A console for those
func TestConsoleGuardsThePort(t *testing.T) {
	t.Parallel()
	p := open(t, func(d *operator.Deps) { d.Console = doorman{} })
	for path, want := range map[string]int{
		"/healthz": http.StatusOK, "/readyz": http.StatusOK, "/metrics": http.StatusOK, "/inbox": http.StatusOK,
		"/console/payouts": http.StatusOK, "/": http.StatusSeeOther,
		"/health": http.StatusUnauthorized, "/queues/": http.StatusUnauthorized, "/queues/api/queues": http.StatusUnauthorized,
		"/debug/pprof/": http.StatusUnauthorized, "/debug/pprof/heap": http.StatusUnauthorized, "/debug/pprof/cmdline": http.StatusUnauthorized,
		"/debug/pprof/profile": http.StatusUnauthorized, "/debug/pprof/symbol": http.StatusUnauthorized,
		"/debug/pprof/trace": http.StatusUnauthorized,
	} {
		if response, body := p.ask(t, http.MethodGet, path, ""); response.StatusCode != want || want == http.StatusUnauthorized &&
			body != admin.RoleOperator+"\n" {
			t.Errorf("%s answers %d %s", path, response.StatusCode, body)
		}
	}
	if response, _ := p.ask(t, http.MethodGet, "/", ""); response.Header.Get("Location") != "/console/" {
		t.Errorf("/ leads to %s", response.Header.Get("Location"))
	}
}
