package operator

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hibiken/asynq"

	"causeway/admin"
	"causeway/store"
)

// overview is the page of the house's health: how everything runs, on one screen.
type overview struct {
	deps   Deps
	queues *queues
}

// house is what the overview shows.
type house struct {
	*admin.House
	Failures []string // of what the page is read from
	Rows     []networkRow
	Queues   []*asynq.QueueInfo
	First    store.FirstAttempts
	Inbox    bool
}

// networkRow is one network on the overview.
type networkRow struct {
	Network
	*store.FollowerVitals // nil when it was never followed
	State, Mood           string
	Open                  int64
}

// ServeHTTP implements http.Handler.
func (o *overview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*patience)
	defer cancel()
	h := house{Inbox: o.deps.Verify != nil}
	results := run(ctx, o.deps.Checks)
	for _, c := range o.deps.Checks {
		if err := results[c.Name]; err != nil {
			h.Failures = append(h.Failures, fmt.Sprintf("The %s cannot be used: %v", c.Name, err))
		}
	}
	var err error
	if h.House, err = (&admin.Admin{Store: o.deps.Store}).House(ctx, o.deps.Live...); err == nil {
		h.First, err = o.deps.Store.FirstAttempts(ctx, time.Now())
	}
	if err != nil {
		h.Failures = append(h.Failures, "What the database knows is not shown here: "+err.Error())
	}
	h.Rows = o.rows(h.House)
	if h.Queues, err = o.queues.look(ctx); err != nil {
		h.Failures = append(h.Failures, "The queues are not shown here: "+err.Error())
	}
	for _, q := range h.Queues {
		if q.Paused {
			h.Failures = append(h.Failures, "The queue "+q.Queue+" is paused.")
		}
	}
	render(w, o.deps.Log, "overview.html", &h)
}

// Worries counts what needs a look.
func (h *house) Worries() int { return len(h.Failures) + len(h.Troubles()) }

func (o *overview) rows(h *admin.House) []networkRow {
	out := make([]networkRow, len(o.deps.Networks))
	for i, n := range o.deps.Networks {
		out[i] = networkRow{Network: n, FollowerVitals: h.Network(n.Name), State: "not started", Mood: "idle"}
		if f := out[i].FollowerVitals; f != nil {
			out[i].State, out[i].Mood = admin.Following(f)
		}
		for _, p := range h.Payouts {
			if p.Network == n.Name {
				out[i].Open = p.Open
			}
		}
	}
	return out
}
