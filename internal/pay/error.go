package pay

import (
	"errors"
	"fmt"
)

// Kind says what an error means for the caller; one table in api maps kinds to HTTP.
type Kind int

// The kinds of error.
const (
	Internal     Kind = iota // our failure; nothing to change on the caller's side
	Invalid                  // the request must change
	Unauthorized             // the caller is not known
	Forbidden                // the caller has no right to it
	NotFound                 // the merchant has nothing of this name
	Conflict                 // clashes with the present state
	TooLarge                 // more bytes than are read
	Refused                  // well formed, but not possible (HTTP 422)
	Limited                  // too often; Details carry when to come back
	Upstream                 // an outside system failed (HTTP 502)
	Unavailable              // a dependency is away for now (HTTP 503)
)

// Error is an error with a name from the contract (api-v1 §Errors). Code is stable snake_case, Message free English,
// Details are shown to the caller. The cause is for our logs only.
type Error struct {
	Kind    Kind
	Code    string
	Message string
	Details map[string]any
	cause   error
}

// E makes an Error without details.
func E(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// With returns a copy with one more detail.
func (e *Error) With(key string, value any) *Error {
	out := *e
	out.Details = make(map[string]any, len(e.Details)+1)
	for k, v := range e.Details {
		out.Details[k] = v
	}
	out.Details[key] = value
	return &out
}

// Because returns a copy with err as its cause, for the log.
func (e *Error) Because(err error) *Error {
	out := *e
	out.cause = err
	return &out
}

// Error implements error.
func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %v", e.Code, e.cause)
	}
	return e.Code
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// ErrNotFound is returned by store when a row is not there.
var ErrNotFound = errors.New("not found")

// ErrNoDestination says that a payout cannot go to a text: it does not fit the network, nobody could spend from it, or it is
// our own hot wallet or a token's contract (api-v1 invalid_format).
var ErrNoDestination = errors.New("not an address that can be paid to")
