package api

import (
	"errors"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
)

// A line about a request says whose it was; that it was answered is said to who looks closely.
func TestLinesOfTheLogNameTheRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.deps.Log.SetLevel(logrus.DebugLevel)
	d.deps.Routes[0].Handler = func(*Call) error { return errors.New("torn") }
	id, key := d.key()
	r := request("GET", "/v1/balances", key, "")
	r.Header.Set("X-Request-Id", "mine")
	ask(t, d.open(), r).is(t, 500, "internal_error")
	lines := strings.Split(strings.TrimSpace(d.log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "error=torn") || !strings.Contains(lines[1], "status=500") {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		for _, want := range []string{"request_id=mine", `route="GET /v1/balances"`, "key_id=" + id, "merchant_id="} {
			if !strings.Contains(line, want) {
				t.Errorf("%s lacks %s", line, want)
			}
		}
	}
}
