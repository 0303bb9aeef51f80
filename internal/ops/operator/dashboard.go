package operator

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/hibiken/asynq"
	"github.com/hibiken/asynqmon"
)

// dashboard is the Asynq dashboard. It asks nobody outside for anything, and a page of another site can make a browser
// neither change a queue nor show it in a frame.
type dashboard struct {
	board    *asynqmon.HTTPHandler
	announce func(context.Context) // lets Asynq know our queues
	guard    http.Handler
}

// queuesPolicy lets the dashboard's own inline script and styles run and nothing load from elsewhere.
const queuesPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'"

// queuesManifest is the dashboard's manifest for browsers. Its own is no JSON below a path.
const queuesManifest = `{"name":"Causeway queues","icons":[],"display":"standalone"}`

func newDashboard(redis asynq.RedisConnOpt, announce func(context.Context)) *dashboard {
	d := &dashboard{board: asynqmon.New(asynqmon.Options{RootPath: "/queues", RedisConnOpt: redis}), announce: announce}
	d.guard = http.NewCrossOriginProtection().Handler(zipped(http.HandlerFunc(d.serve)))
	return d
}

// ServeHTTP implements http.Handler.
func (d *dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.guard.ServeHTTP(w, r) }

// Close releases its connections to Redis.
func (d *dashboard) Close() error { return d.board.Close() }

func (d *dashboard) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", queuesPolicy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	switch {
	case strings.HasPrefix(r.URL.Path, "/queues/static/"):
		w.Header().Set("Cache-Control", "max-age=86400") // their names change with their content
		if strings.HasSuffix(r.URL.Path, ".svg") {
			w = &typed{ResponseWriter: w, contentType: "image/svg+xml"}
		}
		d.board.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, "/queues/api/"):
		w.Header().Set("Cache-Control", "no-store")
		d.announce(r.Context())
		d.board.ServeHTTP(w, r)
	case r.URL.Path == "/queues/manifest.json":
		w.Header().Set("Content-Type", "application/manifest+json")
		_, _ = io.WriteString(w, queuesManifest) // the client has gone
	default:
		d.page(w, r)
	}
}

// page serves the dashboard's page, or one of its icons, without fonts from another host.
func (d *dashboard) page(w http.ResponseWriter, r *http.Request) {
	whole := &held{header: w.Header()}
	d.board.ServeHTTP(whole, r)
	body := whole.body.Bytes()
	if bytes.HasPrefix(body, []byte("<!doctype html>")) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		body = outsideFonts.ReplaceAll(body, nil)
		body = bytes.Replace(body, []byte("<body>"), []byte("<body>"+wayBack), 1)
	}
	w.WriteHeader(max(whole.status, http.StatusOK))
	_, _ = w.Write(body) // the client has gone
}

// wayBack leads from the dashboard to the console: the dashboard has no link to another page.
const wayBack = `<a href="/" style="position:fixed;right:1rem;bottom:1rem;z-index:2000;padding:.4rem .8rem;border-radius:.5rem;` +
	`background:#0f766e;color:#fff;font:600 14px system-ui,sans-serif;text-decoration:none">‹ Causeway</a>`

var outsideFonts = regexp.MustCompile(`<link rel="stylesheet" href="https://fonts\.googleapis\.com/[^>]*>`)

// held keeps an answer instead of sending it.
type held struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *held) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *held) WriteHeader(status int) { h.status = status }

// Write implements http.ResponseWriter.
func (h *held) Write(p []byte) (int, error) { return h.body.Write(p) }

// typed sends an answer under a content type unknown to its handler.
type typed struct {
	http.ResponseWriter
	contentType string
}

// WriteHeader implements http.ResponseWriter.
func (t *typed) WriteHeader(status int) {
	t.Header().Set("Content-Type", t.contentType)
	t.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (t *typed) Write(p []byte) (int, error) {
	t.Header().Set("Content-Type", t.contentType)
	return t.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (t *typed) Unwrap() http.ResponseWriter { return t.ResponseWriter }
