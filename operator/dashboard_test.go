package operator_test

import (
	"strings"
	"testing"

	"github.com/hibiken/asynq"
)

func TestDashboard(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	client := asynq.NewClient(p.redis)
	defer client.Close()
	_, err := client.EnqueueContext(t.Context(), asynq.NewTask("test", nil), asynq.Queue("signing"))
	must(t, err)

	response, body := p.ask(t, "GET", "/queues/", "", "Accept-Encoding", "identity")
	if response.StatusCode != 200 || !strings.Contains(body, "Asynq - Monitoring") ||
		!strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %.200s", response.StatusCode, body)
	}
	if _, queues := p.ask(t, "GET", "/queues/api/queues", ""); !strings.Contains(queues, `"signing"`) {
		t.Errorf("queues: %s", queues)
	}
	script := body[strings.LastIndex(body, "/queues/static/js/"):]
	script = script[:strings.Index(script, `"`)]
	response, zipped := p.ask(t, "GET", script, "", "Accept-Encoding", "gzip")
	if response.StatusCode != 200 || response.Header.Get("Content-Encoding") != "gzip" || len(zipped) < 1000 {
		t.Errorf("%s: %d %v, %d bytes", script, response.StatusCode, response.Header, len(zipped))
	}
}

func TestDashboardChanges(t *testing.T) {
	t.Parallel()
	pause := "/queues/api/queues/signing:pause"
	for name, c := range map[string]struct {
		site    string
		refused bool
	}{
		"from its own page": {"same-origin", false},
		"from another site": {"cross-site", true},
		"from a neighbour":  {"same-site", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, nil)
			client := asynq.NewClient(p.redis)
			defer client.Close()
			_, err := client.EnqueueContext(t.Context(), asynq.NewTask("test", nil), asynq.Queue("signing"))
			must(t, err)
			response, body := p.ask(t, "POST", pause, "", "Sec-Fetch-Site", c.site)
			if refused := response.StatusCode >= 400; refused != c.refused {
				t.Errorf("%d %s", response.StatusCode, body)
			}
			_, health := p.ask(t, "GET", "/", "")
			if paused := strings.Contains(health, "signing is paused"); paused == c.refused {
				t.Errorf("paused %v", paused)
			}
		})
	}
}
