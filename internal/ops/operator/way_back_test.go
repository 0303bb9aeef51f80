package operator_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/internal/ops/operator"
)

// openToAll is a console with a guard open to everybody.
type openToAll struct{ doorman }

func (openToAll) Guard(h http.Handler, _ string) http.Handler { return h }

// Health, inbox and queues lead back to the console.
//
// Covers operator §Console: Every page of the operator port
func TestPagesLeadBackToTheConsole(t *testing.T) {
	t.Parallel()
	p := open(t, func(d *operator.Deps) { d.Console = openToAll{} })
	for path, way := range map[string]string{"/health": `<a href="/console/">Console</a>`, "/inbox/": `<a href="/console/">Console</a>`,
		"/queues/": "‹ Causeway</a>"} {
		if response, body := p.ask(t, http.MethodGet, path, "", "Accept", "text/html"); response.StatusCode != http.StatusOK ||
			!strings.Contains(body, way) {
			t.Errorf("%s is answered %d without a way back: %s", path, response.StatusCode, body)
		}
	}
}
