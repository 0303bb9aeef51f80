package operator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
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
	if response, manifest := p.ask(t, "GET", "/queues/manifest.json", ""); response.StatusCode != 200 || !json.Valid([]byte(manifest)) {
		t.Errorf("manifest: %d %q", response.StatusCode, manifest)
	}
	script := body[strings.LastIndex(body, "/queues/static/js/"):]
	script = script[:strings.Index(script, `"`)]
	response, zipped := p.ask(t, "GET", script, "", "Accept-Encoding", "gzip")
	if response.StatusCode != 200 || response.Header.Get("Content-Encoding") != "gzip" || len(zipped) < 1000 {
		t.Errorf("%s: %d %v, %d bytes", script, response.StatusCode, response.Header, len(zipped))
	}
}

// A Redis emptied under running roles, or a new one in the place of another, shows its queues on the dashboard and in the metrics
// without a restart of any role.
func TestDashboardAfterAnEmptyRedis(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	client := asynq.NewClient(p.redis)
	defer client.Close()
	put := func() {
		t.Helper()
		_, err := client.EnqueueContext(t.Context(), asynq.NewTask("test", nil), asynq.Queue("signing"))
		must(t, err)
	}
	empty := p.redis.MakeRedisClient().(redis.UniversalClient)
	defer empty.Close()
	for name, shown := range map[string]string{
		"/queues/api/queues": `"queue":"signing"`,
		"/metrics":           `causeway_queue_tasks{queue="signing",state="pending"} 1`,
	} {
		put()
		must(t, empty.FlushDB(t.Context()).Err())
		put()
		if _, body := p.ask(t, "GET", name, ""); !strings.Contains(body, shown) {
			t.Errorf("%s: %s", name, body)
		}
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
