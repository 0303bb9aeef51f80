package api

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"causeway/internal/pay"
	"causeway/internal/web/openapi"
)

// Doc is the OpenAPI document's part about an operation beyond its route.
type Doc struct {
	ID          string // operationId
	Tag         string
	Description string
	Params      []openapi.Param
	Extension   bool                  // not the contract's
	Unreadable  map[string]*pay.Error // refusal of a query parameter with broken percent-encoding; else invalid_parameters
	Body        any                   // sample of the request's body; nil when there is none
	Examples    []openapi.Example
	Answers     []openapi.Answer
	Errors      []*pay.Error // with example details, beside those of everyOperation
}

// contractVersion is the date of the contract's latest change (api-v1 §Versioning).
const contractVersion = "2026-10-10"

const documentDescription = `Crypto payments over JSON: payins, payouts, balances and fixed wallets.

Amounts are decimals in strings. Times are ` + "`YYYY-MM-DD HH:MM:SS`" + ` in UTC. Every error is
` + "`{\"error\": {\"code\", \"message\", \"details\"}}`" + `; branch on the code. Where there is no operation the answer is
404 ` + "`route_not_found`" + `. What is marked x-extension is ours and not part of the original contract: whole operations, the properties
` + "`unconfirmed_payments`" + `, ` + "`payments_omitted`" + ` and ` + "`checkout_url`" + ` of payins and the code ` + "`request_too_large`" + `, among others.`

// Document writes the OpenAPI 3.1 document of the routes, with the header names under a prefix (addendum §3).
func Document(routes []Route, headerPrefix string) ([]byte, error) {
	names := namesUnder(headerPrefix)
	d := openapi.Document{
		Title: "Causeway API v1", Version: contractVersion, Description: documentDescription, Tags: docTags,
		KeyHeader: names.key, Everywhere: documented(everyOperation), Unrouted: documented([]*pay.Error{errNoRoute}),
		Params: headerParams(names), Headers: answerHeaders, Always: []string{requestIDHeader},
		Fields: docFields, Forms: docForms, Notices: notices(names),
		Refine: map[string][]openapi.Error{
			"RefusedPayout.error": documentedItems(itemErrors),
			"PayoutFailure.error": documented([]*pay.Error{errInternal}),
		},
	}
	for i := range routes {
		d.Operations = append(d.Operations, routes[i].operation())
	}
	document, err := d.JSON()
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI document: %w", err)
	}
	return document, nil
}

// DocumentPage serves the OpenAPI document at /openapi.json. It is written once, when it is first asked for.
func DocumentPage(routes []Route, headerPrefix string) Public {
	document := sync.OnceValues(func() ([]byte, error) { return Document(routes, headerPrefix) })
	return Public{Path: "/openapi.json", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := document()
		if err != nil {
			writeError(w, err)
			return
		}
		serveDocument(w, r, text)
	})}
}

func serveDocument(w http.ResponseWriter, r *http.Request, text []byte) {
	sum := sha256.Sum256(text)
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", strconv.Quote(hex.EncodeToString(sum[:8])))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// operation is the route as the document shows it.
func (r *Route) operation() openapi.Operation {
	params := r.Doc.Params
	if r.Idempotent {
		params = append(slices.Clone(params), idempotencyParam)
	}
	return openapi.Operation{
		ID: r.Doc.ID, Method: r.Method, Path: r.Path, Scope: r.Scope, Tag: r.Doc.Tag, Summary: r.Summary,
		Description: r.Doc.Description, Params: params, Body: r.Doc.Body, Examples: r.Doc.Examples,
		Answers: r.Doc.Answers, Errors: documented(r.Doc.Errors), Extension: r.Doc.Extension,
	}
}

// documented gives errors their status in answers and the condition of the contract.
func documented(errs []*pay.Error) []openapi.Error {
	out := make([]openapi.Error, 0, len(errs))
	for _, e := range errs {
		status, p := problem(e)
		d := openapi.Error{Status: status, Code: p.Code, Message: p.Message, Condition: whenOf(status, p.Code), Details: p.Details}
		d.Extension = !inContract(p.Code)
		for name := range p.Details {
			if !slices.Contains(contractDetails[p.Code], name) {
				d.Extra = append(d.Extra, name)
			}
		}
		switch e.Kind {
		case pay.Limited:
			d.Headers = []string{"Retry-After"}
		case pay.Unavailable:
			d.Headers = []string{retryAfterIfKnown}
		default:
		}
		out = append(out, d)
	}
	return out
}

// documentedItems is documented for the results of a payout request.
func documentedItems(errs []*pay.Error) []openapi.Error {
	out := documented(errs)
	for i := range out {
		out[i].Condition = whenOf(0, out[i].Code)
	}
	return out
}
