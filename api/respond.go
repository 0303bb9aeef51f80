package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"causeway/internal/pay"
)

// Problem is an error on the wire (api-v1 §Errors); payout items carry it too.
type Problem struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// ErrorAnswer is the body of every refusal.
type ErrorAnswer struct {
	Error Problem `json:"error"`
}

// The one table from kinds of error to HTTP.
var statuses = map[pay.Kind]int{
	pay.Internal:     http.StatusInternalServerError,
	pay.Invalid:      http.StatusBadRequest,
	pay.Unauthorized: http.StatusUnauthorized,
	pay.Forbidden:    http.StatusForbidden,
	pay.NotFound:     http.StatusNotFound,
	pay.Conflict:     http.StatusConflict,
	pay.TooLarge:     http.StatusRequestEntityTooLarge,
	pay.Refused:      http.StatusUnprocessableEntity,
	pay.Limited:      http.StatusTooManyRequests,
	pay.Upstream:     http.StatusBadGateway,
	pay.Unavailable:  http.StatusServiceUnavailable,
}

var errInternal = pay.E(pay.Internal, "internal_error", "Something failed on our side. Nothing in the request needs to change.")

// problem returns how err looks from outside: its own code when it has one, else 500 internal_error without any detail.
func problem(err error) (status int, p Problem) {
	known := errInternal
	errors.As(err, &known)
	status, listed := statuses[known.Kind]
	if !listed {
		status = http.StatusInternalServerError
	}
	return status, Problem{Code: known.Code, Message: known.Message, Details: known.Details}
}

// writeError is the one function that answers errors.
func writeError(w http.ResponseWriter, err error) (status int) {
	status, p := problem(err)
	body, failed := encode(ErrorAnswer{p})
	if failed != nil {
		status, p = problem(failed)
		body, _ = encode(ErrorAnswer{p})
	}
	writeJSON(w, status, body)
	return status
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = []string{"application/json; charset=utf-8"}
	h["Cache-Control"] = []string{"no-store"}
	h["X-Content-Type-Options"] = []string{"nosniff"}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone: there is nobody to tell
}

// encode writes value as it goes out: no HTML escapes, no final newline.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
