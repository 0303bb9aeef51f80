package api

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/julienschmidt/httprouter"
	"github.com/sirupsen/logrus"

	"causeway/api/input"
	"causeway/internal/store"
)

// Call is one admitted request, as its operation sees it.
type Call struct {
	Request        *http.Request
	ID             string        // X-Request-Id
	IP             netip.Addr    // the client, behind trusted proxies
	Caller         *store.Caller // key, merchant, overrides, catalogue revision
	IdempotencyKey string        // "" when absent, too long or not taken by the route
	Body           []byte        // valid by the rules of addendum §4.10; empty when none was sent
	Now            time.Time     // when the request arrived

	route  *Route
	params httprouter.Params
	query  *input.Parameters
	writer http.ResponseWriter
	log    *logrus.Logger
	tooBig bool

	keyTooLong bool // an Idempotency-Key was sent and is longer than one may be

	hasBody  bool
	bodies   *bodies
	reserved int    // bytes of bodies
	written  int    // status, once there is one
	code     string // of the error that was answered
	key      string // of the sender, once it is certain
	keys     Keys
}

// Log is the log with the facts known of the request by now.
func (c *Call) Log() logrus.FieldLogger {
	fields := logrus.Fields{"request_id": c.ID, "route": c.route.Method + " " + c.route.Path}
	if c.Caller != nil {
		fields["key_id"], fields["merchant_id"] = c.Caller.Key.ID, c.Caller.Merchant.ID
	}
	return c.log.WithFields(fields)
}

// Context is the request's: it ends when the client hangs up.
func (c *Call) Context() context.Context { return c.Request.Context() }

// Lasting is a context outliving the client by at most limit: for work that must not stop half way once money moves.
func (c *Call) Lasting(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.Context()), limit)
}

// Param returns a path parameter, decoded: ref%2F1 is ref/1. An unreadable one, such as %FF, names nothing.
func (c *Call) Param(name string) (text string, readable bool) {
	return decoded(c.params.ByName(name))
}

// Header is the answer's header, to be set before the answer.
func (c *Call) Header() http.Header { return c.writer.Header() }

// JSON returns status with value as JSON.
func (c *Call) JSON(status int, value any) error {
	body, err := encode(value)
	if err != nil {
		return err
	}
	return c.Raw(status, body)
}

// Raw returns status with a body already in JSON, byte for byte.
func (c *Call) Raw(status int, body []byte) error {
	c.written = status
	writeJSON(c.writer, status, body)
	return nil
}
