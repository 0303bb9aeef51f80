package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/julienschmidt/httprouter"

	"causeway/api/input"
)

// Route is one operation of the contract. The router and the OpenAPI document are built from the same table.
type Route struct {
	Method     string
	Path       string // httprouter form: /v1/check-payin/:reference
	Scope      string // one of pay.Scopes
	Summary    string
	Idempotent bool // takes Idempotency-Key: its kept answer arrives in Call.Caller.Remembered
	Doc        Doc  // the operation in the OpenAPI document
	Handler    func(c *Call) error
}

// Public is a page outside /v1 for anyone to GET, such as /healthz.
type Public struct {
	Path    string // httprouter form
	Handler http.Handler
	Posts   bool // it takes POST as well
}

func newRouter(routes []Route, public []Public, serve func(http.ResponseWriter, *http.Request, httprouter.Params, *Route)) *httprouter.Router {
	router := httprouter.New()
	router.RedirectTrailingSlash, router.RedirectFixedPath = false, false
	router.HandleMethodNotAllowed, router.HandleOPTIONS = false, false
	for i := range routes {
		route := &routes[i]
		router.Handle(route.Method, route.Path, func(w http.ResponseWriter, r *http.Request, params httprouter.Params) {
			serve(w, r, params, route)
		})
	}
	for _, page := range public {
		router.Handler(http.MethodGet, page.Path, page.Handler)
		router.Handler(http.MethodHead, page.Path, page.Handler)
		if page.Posts {
			router.Handler(http.MethodPost, page.Path, page.Handler)
		}
	}
	return router
}

// target returns path and query exactly as they stood on the request line, still percent-encoded (addendum §1). Routes
// are matched on this path, so an encoded slash stays inside its parameter.
func target(r *http.Request) (path, query string) {
	whole := r.RequestURI
	if !strings.HasPrefix(whole, "/") {
		if _, rest, absolute := strings.Cut(whole, "://"); absolute {
			slash := strings.IndexByte(rest, '/')
			if slash < 0 {
				slash = len(rest)
			}
			whole = rest[slash:]
		}
	}
	path, query, _ = strings.Cut(whole, "?")
	return path, query
}

// decoded returns the text behind a percent-encoded path segment, and whether there is one. Without one the text may equal
// another segment's with U+FFFD in it.
func decoded(segment string) (text string, ok bool) {
	text, err := url.PathUnescape(segment)
	if err != nil {
		return input.Clean(segment), false
	}
	return input.Clean(text), input.Readable(text)
}
