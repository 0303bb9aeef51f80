// Package operator is the operator port: checks, the page of the service's health, metrics, the Asynq dashboard, profiles, and the
// inbox of dev (operator §Roles, §dev), and the console beside them. It reads; only the dashboard and the console change things.
package operator

import (
	"context"
	"net/http"
	"net/http/pprof"

	"github.com/hibiken/asynq"
	"github.com/sirupsen/logrus"

	"causeway/chains"
	"causeway/internal/ops/admin"
	"causeway/internal/store"
	"causeway/internal/web/pages"
)

// Network is a configured network as the pages name it.
type Network struct {
	Name string
	Kind string // sandbox, or the family of its connector

	Nodes func() []chains.Node // by which this process reads it; nil if it asks none
}

// Console is the operators' console. Its guard also protects all other pages except those for machines.
type Console interface {
	http.Handler
	// Guard lets operators logged in pass to h, but to a change of something only those of a role.
	Guard(h http.Handler, role string) http.Handler
}

// Deps are the dependencies of the operator port.
type Deps struct {
	Store    *store.Store
	Redis    asynq.RedisConnOpt // of the queues
	Checks   []Check            // for readiness and /health
	Networks []Network          // in the order of /health
	Live     []string           // the real ones of them
	Log      logrus.FieldLogger

	// Told are asked each time for further lines of /health: one sentence, or nil.
	Told []func(ctx context.Context) error
	// Console is served below /console/. Nil: this port has no login.
	Console Console
	// Verify reports whether a received webhook has a good signature. Nil: this process has no inbox.
	Verify func(header http.Header, body []byte) bool
	// HeaderPrefix begins the names of our headers (addendum §3), "X-Service" by default.
	HeaderPrefix string
}

// Handler answers the operator port.
type Handler struct {
	http.Handler
	queues    *queues
	dashboard *dashboard
}

// New makes the handler. It connects to nothing before the first request; Close releases its Redis connections.
func New(d Deps) *Handler {
	if d.HeaderPrefix == "" {
		d.HeaderPrefix = "X-Service"
	}
	q := newQueues(d.Redis)
	board := newDashboard(d.Redis, q.announce)
	mux := http.NewServeMux()
	mux.Handle("GET /healthz", Alive(aside(d.Checks)...))
	mux.Handle("GET /readyz", Ready(d.Log, d.Checks...))
	mux.Handle("GET /metrics", metrics(&d, q))
	mux.Handle("/queues/", d.guarded(board))
	mux.Handle("GET /"+pages.Files, written)
	health := d.guarded(paged(&healthPage{deps: d, queues: q}))
	mux.Handle("GET /health", health)
	if d.Console == nil {
		mux.Handle("GET /{$}", health)
	} else {
		mux.Handle("GET /{$}", http.RedirectHandler("/console/", http.StatusSeeOther))
		mux.Handle("/console/", zipped(d.Console))
	}
	if d.Verify != nil {
		in := &inbox{store: d.Store, verify: d.Verify, prefix: d.HeaderPrefix, log: d.Log, menu: d.menu()}
		for _, all := range []string{"GET /inbox", "GET /inbox/{$}"} { // inbox_url of dev.json has no slash at its end
			mux.Handle(all, paged(http.HandlerFunc(in.show)))
		}
		mux.Handle("GET /inbox/{name}", paged(http.HandlerFunc(in.show)))
		mux.HandleFunc("POST /inbox/{name}", in.receive)
	}
	profiles(mux, d.guarded)
	return &Handler{Handler: mux, queues: q, dashboard: board}
}

// Close releases the connections to Redis.
func (h *Handler) Close() error {
	err := h.queues.redis.Close()
	if board := h.dashboard.Close(); err == nil {
		err = board
	}
	return err
}

// guarded asks for a login where there is one; a change of something takes more than a viewer.
func (d *Deps) guarded(h http.Handler) http.Handler {
	if d.Console == nil {
		return h
	}
	return d.Console.Guard(h, admin.RoleOperator)
}

// profiles serves Go's own profiles. They hold no values of the program.
func profiles(mux *http.ServeMux, guarded func(http.Handler) http.Handler) {
	mux.Handle("GET /debug/pprof/", guarded(http.HandlerFunc(pprof.Index)))
	mux.Handle("GET /debug/pprof/cmdline", guarded(http.HandlerFunc(pprof.Cmdline)))
	mux.Handle("GET /debug/pprof/profile", guarded(http.HandlerFunc(pprof.Profile)))
	mux.Handle("GET /debug/pprof/symbol", guarded(http.HandlerFunc(pprof.Symbol)))
	mux.Handle("GET /debug/pprof/trace", guarded(http.HandlerFunc(pprof.Trace)))
}
