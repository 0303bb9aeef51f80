package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/julienschmidt/httprouter"
	"github.com/redis/go-redis/v9"
	"github.com/sirupsen/logrus"

	"causeway/api/input"
	"causeway/internal/store"
	"causeway/internal/vault"
)

// Keys looks up the callers behind keys. Callers implements it.
type Keys interface {
	// Caller returns the caller of a key id, with the remembered answer of an Idempotency-Key when one is given. An
	// unknown id is pay.ErrNotFound.
	Caller(ctx context.Context, keyID, idempotencyKey string) (*store.Caller, error)
	// SpendNonce records a nonce of a key; fresh is false when it was there.
	SpendNonce(ctx context.Context, keyID, nonce string) (fresh bool, err error)
}

// Deps are the dependencies of the front.
type Deps struct {
	Keys           Keys
	Vault          *vault.Vault
	Redis          redis.UniversalClient // nil: limits hold for this process alone
	Routes         []Route
	Public         []Public
	HeaderPrefix   string         // X-Service when empty (addendum §3)
	TrustedProxies []netip.Prefix // see ParseNetworks
	Quota          Quota          // of keys without their own
	Failures       FailureRule
	Log            *logrus.Logger
	Requests       *RequestLog      // keeps the last requests of each key; nil = nobody does
	Now            func() time.Time // time.Now when nil
}

type front struct {
	Deps
	router   *httprouter.Router
	headers  headerNames
	failures *failures
	quotas   *quotas
	bodies   *bodies
}

// New builds the handler of the API's port: every route behind the checks of addendum §4, in their order.
func New(d Deps) http.Handler {
	if d.Now == nil {
		d.Now = time.Now
	}
	l := newLink(d.Redis)
	f := &front{Deps: d, headers: namesUnder(d.HeaderPrefix), failures: newFailures(d.Failures, l), quotas: newQuotas(l), bodies: newBodies()}
	f.router = newRouter(d.Routes, d.Public, f.serve)
	return f
}

// NewServer is an HTTP server with limits no client can wait out (docs/hostile-input.md).
func NewServer(addr string, handler http.Handler) *http.Server {
	return &http.Server{
		Addr:              addr,
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       60 * time.Second,
		MaxHeaderBytes:    16 << 10,

		DisableGeneralOptionsHandler: true, // OPTIONS * is an unknown route as well
	}
}

const requestIDHeader = "X-Request-Id"

// ServeHTTP finds the route on the path as sent; nothing is redirected or cleaned.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(requestIDHeader, requestID(r))
	path, _ := target(r)
	handle, params, _ := f.router.Lookup(r.Method, path)
	if handle == nil {
		writeNotFound(w, r)
		return
	}
	handle(w, r, params)
}

// requestID is the client's when it is 1 to 64 characters of A-Z a-z 0-9 - _, else ours (addendum §4).
func requestID(r *http.Request) string {
	const longest = 64
	id := one(r, requestIDHeader)
	if id == "" || len(id) > longest || !input.Only(id, input.WordCharacter) {
		return uuid.NewString()
	}
	return id
}

func (f *front) serve(w http.ResponseWriter, r *http.Request, params httprouter.Params, route *Route) {
	c := &Call{Request: r, ID: w.Header().Get(requestIDHeader), Now: f.Now(), route: route, params: params, writer: w, log: f.Log,
		bodies: f.bodies, keys: f.Keys}
	defer c.forgetBody()
	defer f.finish(c)
	if err := f.handle(c); err != nil {
		f.refuse(c, err)
	}
}

// handle makes the checks of addendum §4, and has the operation answer.
func (f *front) handle(c *Call) error {
	if err := f.admit(c); err != nil {
		return err
	}
	if err := c.readBody(); err != nil {
		return err
	}
	if f.Now().Sub(c.Now) > longBody {
		if err := f.stillMay(c); err != nil { // a key revoked meanwhile must not pay
			return err
		}
	}
	if err := c.readQuery(); err != nil {
		return err
	}
	return c.route.Handler(c)
}
