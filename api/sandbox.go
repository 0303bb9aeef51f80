package api

import (
	"net/http"
	"net/url"
	"strings"

	"causeway/internal/pay"
	"causeway/internal/vault"
)

// SandboxPrefix begins the path of keyless pages of a sandbox beside live networks: the payers' pages.
const SandboxPrefix = "/sandbox"

// fronts shares the API's port between the front of live books and that of a sandbox beside them.
type fronts struct {
	live    http.Handler
	sandbox func() http.Handler
	pages   string
	key     string // the header of the key
}

// WithSandbox lets a sandbox in on the port of live (docs/decisions/0019-sandbox-beside-live.md). It gets requests under
// /v1 with a key marked vault.SandboxMark, and the pages under SandboxPrefix; all else is live's. While sandbox returns
// nil, none can serve and the answer is 503. prefix begins our headers, and pages the paths of pages.
func WithSandbox(live http.Handler, sandbox func() http.Handler, prefix, pages string) http.Handler {
	return &fronts{live: live, sandbox: sandbox, pages: SandboxPrefix + pages, key: namesUnder(prefix).key}
}

// ServeHTTP implements http.Handler.
func (h *fronts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, _ := target(r)
	page := strings.HasPrefix(path, h.pages)
	if !page && !h.marked(r, path) {
		h.live.ServeHTTP(w, r)
		return
	}
	sandbox := h.sandbox()
	switch {
	case sandbox == nil:
		writeSandboxAway(w, r)
	case page:
		sandbox.ServeHTTP(w, below(r, SandboxPrefix))
	default:
		sandbox.ServeHTTP(w, r)
	}
}

// marked reports whether a request to /v1 has a sandbox's key. Where the header stands twice the first counts; either front
// refuses such a request.
func (h *fronts) marked(r *http.Request, path string) bool {
	lines := r.Header[h.key]
	return len(lines) > 0 && strings.HasPrefix(lines[0], vault.SandboxMark) && strings.HasPrefix(path, "/v1/")
}

// below is the request as it would be without the first part of its path.
func below(r *http.Request, first string) *http.Request {
	path, query := target(r)
	out, address := *r, new(url.URL)
	*address = *r.URL
	address.Path, address.RawPath = strings.TrimPrefix(r.URL.Path, first), strings.TrimPrefix(r.URL.RawPath, first)
	out.URL, out.RequestURI = address, strings.TrimPrefix(path, first)
	if query != "" {
		out.RequestURI += "?" + query
	}
	return &out
}

var errSandboxAway = pay.E(pay.Unavailable, errService.Code, "The sandbox is away for now. Nothing was processed.")

const sandboxAwayPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>503 Service Unavailable</title></head>
<body><h1>The sandbox is away for now</h1><p>Nothing is lost. Try again in a moment.</p></body>
</html>
`

// writeSandboxAway answers for a sandbox that cannot.
func writeSandboxAway(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(requestIDHeader, requestID(r))
	w.Header().Set("Retry-After", "5")
	writeErrorOrPage(w, r, errSandboxAway, http.StatusServiceUnavailable, sandboxAwayPage)
}
