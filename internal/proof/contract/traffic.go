package contract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// exchange is one request with its answer.
type exchange struct {
	request *http.Request
	asked   []byte // as much of the body as the server read
	status  int
	header  http.Header
	replied []byte
}

// Handler checks the traffic of a handler, and fails the test on anything the document does not say.
func (d *Document) Handler(t testing.TB, next http.Handler) http.Handler {
	return d.watch(t, next, d.check)
}

// Refusals checks the refusals alone, for fronts with stand-ins as operations.
func (d *Document) Refusals(t testing.TB, next http.Handler) http.Handler {
	return d.watch(t, next, d.checkRefusal)
}

func (d *Document) watch(t testing.TB, next http.Handler, check func(*exchange) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked bytes.Buffer
		if r.Body != nil {
			r.Body = tee{io.TeeReader(r.Body, &asked), r.Body}
		}
		kept := &keeper{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(kept, r)
		report(t, check, &exchange{r, asked.Bytes(), kept.status, w.Header().Clone(), kept.body.Bytes()})
	})
}

func report(t testing.TB, check func(*exchange) error, x *exchange) {
	if t.Context().Err() != nil {
		return // the test is over
	}
	saw(t, codes(x.replied))
	if err := check(x); err != nil {
		t.Errorf("not by the document: %s %s answered %d\n%.2000s\nasked: %.500s\nreplied: %.1000s",
			x.request.Method, x.request.RequestURI, x.status, err, x.asked, x.replied)
	}
}

// tee keeps the bytes read through it.
type tee struct {
	io.Reader
	io.Closer
}

// keeper keeps the answer written through it.
type keeper struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// Unwrap serves http.ResponseController.
func (k *keeper) Unwrap() http.ResponseWriter { return k.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (k *keeper) WriteHeader(status int) {
	k.status = status
	k.ResponseWriter.WriteHeader(status)
}

// Write implements io.Writer.
func (k *keeper) Write(body []byte) (int, error) {
	k.body.Write(body)
	return k.ResponseWriter.Write(body)
}

// Transport checks the requests and answers of a client.
func (d *Document) Transport(t testing.TB, next http.RoundTripper) http.RoundTripper {
	return transport(func(r *http.Request) (*http.Response, error) {
		recorder := httptest.NewRecorder()
		var failed error
		d.watch(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			failed = forward(next, w, r)
		}), func(x *exchange) error {
			if failed == nil {
				return d.check(x)
			}
			return nil // there was no answer; the caller is told why
		}).ServeHTTP(recorder, r)
		if failed != nil {
			return nil, failed
		}
		return recorder.Result(), nil
	})
}

type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func forward(next http.RoundTripper, w http.ResponseWriter, r *http.Request) error {
	answer, err := next.RoundTrip(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	_, err = io.Copy(w, answer.Body)
	return err
}

// check holds an exchange against its operation. The request counts only when it was taken as a whole: a 207 refuses a
// part, and an answer kept under an Idempotency-Key says nothing of the request's body.
func (d *Document) check(x *exchange) error {
	sent := pathOf(x.request)
	o := d.find(x.request.Method, sent)
	switch {
	case o == nil && !strings.HasPrefix(sent, "/v1/"):
		return nil
	case o == nil:
		return d.unrouted(x)
	case x.status == http.StatusOK || x.status == http.StatusCreated:
		if err := d.request(o, x); err != nil {
			return err
		}
	}
	return d.response(o, x)
}

// checkRefusal holds a refusal against its operation; where the operation is unknown, any documented error will do.
func (d *Document) checkRefusal(x *exchange) error {
	if x.status < 400 || !isJSON(x.header) {
		return nil
	}
	if o := d.find(x.request.Method, pathOf(x.request)); o != nil {
		return d.response(o, x)
	}
	for _, code := range codes(x.replied) {
		if _, known := d.replied.find("components", "schemas", "Problem."+code); !known {
			return fmt.Errorf("there is no code %s", code)
		}
	}
	return nil
}

// unrouted is for paths missing in the document (api-v1 §Errors).
func (d *Document) unrouted(x *exchange) error {
	if x.status != http.StatusNotFound {
		return errors.New("the document has no such operation")
	}
	if !isJSON(x.header) {
		return nil
	}
	return d.replied.validate(pointer("components", "responses", "route_not_found", "content", "application/json", "schema"), x.replied)
}

func (d *Document) response(o *operation, x *exchange) error {
	status := strconv.Itoa(x.status)
	at, ok := d.replied.find("paths", o.template, strings.ToLower(o.method), "responses", status)
	if !ok {
		return fmt.Errorf("status %s is not documented", status)
	}
	media, _, _ := strings.Cut(x.header.Get("Content-Type"), ";")
	if _, documented := d.replied.find("paths", o.template, strings.ToLower(o.method), "responses", status, "content",
		media); !documented && !isJSON(x.header) {
		return fmt.Errorf("Content-Type is %q", x.header.Get("Content-Type"))
	}
	if err := d.headers(o, x); err != nil || !isJSON(x.header) {
		return err
	}
	return d.replied.validate(at+pointer("content", "application/json", "schema"), x.replied)
}

// headers are checked by the filter, without the body.
func (d *Document) headers(o *operation, x *exchange) error {
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: d.input(o, x), Status: x.status, Header: x.header,
		Options: &openapi3filter.Options{ExcludeResponseBody: true, IncludeResponseStatus: true},
	}
	return openapi3filter.ValidateResponse(context.Background(), input)
}

// request checks parameters by the filter and the body by its schema.
func (d *Document) request(o *operation, x *exchange) error {
	if err := openapi3filter.ValidateRequest(context.Background(), d.input(o, x)); err != nil {
		return err
	}
	if o.op.RequestBody == nil || x.header.Get("Idempotency-Replayed") != "" {
		return nil
	}
	return d.asked.validate(o.at("requestBody", "content", "application/json", "schema"), x.asked)
}

func (d *Document) input(o *operation, x *exchange) *openapi3filter.RequestValidationInput {
	return &openapi3filter.RequestValidationInput{
		Request: x.request, PathParams: o.params,
		Route: &routers.Route{Spec: d.doc, Path: o.template, PathItem: o.item, Method: o.method, Operation: o.op},
		Options: &openapi3filter.Options{
			ExcludeRequestBody: true, SkipSettingDefaults: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		},
	}
}

// pathOf is the path as it stood on the request line.
func pathOf(r *http.Request) string {
	if sent, _, _ := strings.Cut(r.RequestURI, "?"); strings.HasPrefix(sent, "/") {
		return sent
	}
	return r.URL.EscapedPath()
}
