package operator

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hibiken/asynq"

	"causeway/internal/ops/admin"
	"causeway/internal/store"
)

// healthPage is /health: how everything runs, on one screen.
type healthPage struct {
	deps   Deps
	queues *queues
}

// healthView is the content of the health page.
type healthView struct {
	*admin.Health
	Failures []string // of the page's sources
	Rows     []networkRow
	Queues   []*asynq.QueueInfo
	First    store.FirstAttempts
	Menu     menu
}

// networkRow is one network on the page.
type networkRow struct {
	Network
	*store.FollowerVitals // nil when it was never followed
	State, Mood           string
	Open                  int64
}

// ServeHTTP implements http.Handler.
func (p *healthPage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*patience)
	defer cancel()
	h := healthView{Menu: p.deps.menu()}
	results := run(ctx, p.deps.Checks)
	for _, c := range p.deps.Checks {
		if err := results[c.Name]; err != nil {
			h.Failures = append(h.Failures, fmt.Sprintf("The %s cannot be used: %v", c.Name, err))
		}
	}
	for _, told := range p.deps.Told {
		asking, end := context.WithTimeout(ctx, patience)
		if what := within(asking, func() error { return told(asking) }); what != nil && asking.Err() == nil {
			h.Failures = append(h.Failures, what.Error())
		}
		end()
	}
	var err error
	if h.Health, err = (&admin.Admin{Store: p.deps.Store}).Health(ctx, p.deps.Live...); err == nil {
		h.First, err = p.deps.Store.FirstAttempts(ctx, time.Now())
	}
	if err != nil {
		h.Failures = append(h.Failures, "What the database knows is not shown here: "+err.Error())
	}
	h.Rows = p.rows(h.Health)
	if h.Queues, err = p.queues.list(ctx); err != nil {
		h.Failures = append(h.Failures, "The queues are not shown here: "+err.Error())
	}
	for _, q := range h.Queues {
		if q.Paused {
			h.Failures = append(h.Failures, "The queue "+q.Queue+" is paused.")
		}
	}
	render(w, p.deps.Log, "health.html", &h)
}

// Worries counts failures and troubles.
func (h *healthView) Worries() int { return len(h.Failures) + len(h.Troubles()) }

func (p *healthPage) rows(h *admin.Health) []networkRow {
	out := make([]networkRow, len(p.deps.Networks))
	for i, n := range p.deps.Networks {
		out[i] = networkRow{Network: n, FollowerVitals: h.Network(n.Name), State: "not started", Mood: "idle"}
		if f := out[i].FollowerVitals; f != nil {
			out[i].State, out[i].Mood = admin.Following(f)
		}
		for _, open := range h.Payouts {
			if open.Network == n.Name {
				out[i].Open = open.Open
			}
		}
	}
	return out
}
