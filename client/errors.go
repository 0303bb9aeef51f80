package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// Error is a refusal by the API, or of one payout (api-v1 §Errors). Branch on Code.
type Error struct {
	Status    int            `json:"-"` // 0 for an item of a payout request
	RequestID string         `json:"-"`
	Code      string         `json:"code"`
	Message   string         `json:"message"`
	Details   map[string]any `json:"details"`
	wait      time.Duration
}

// Error implements error.
func (e *Error) Error() string {
	if e.Status == 0 {
		return e.Code + ": " + e.Message
	}
	again := ""
	if e.wait > 0 {
		again = fmt.Sprintf(", again in %v", e.wait)
	}
	return fmt.Sprintf("%s: %s (HTTP %d, request %s%s)", e.Code, e.Message, e.Status, e.RequestID, again)
}

// RetryAfter is how long the API asks to wait; 0 when it does not say.
func (e *Error) RetryAfter() time.Duration { return e.wait }

// Fields are the faults of the request, by field, for invalid_parameters and missing_required_fields.
func (e *Error) Fields() map[string]string {
	out := map[string]string{}
	fields, _ := e.Details["fields"].(map[string]any)
	for name, message := range fields {
		out[name], _ = message.(string)
	}
	return out
}

// Is reports whether err is a refusal with one of the codes.
func Is(err error, codes ...string) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}

// refusal reads the error of an answer. An answer not from the API, such as a proxy's page, has no code.
func (a *answer) refusal() *Error {
	var body struct {
		Error Error `json:"error"`
	}
	if json.Unmarshal(a.body, &body) != nil || body.Error.Code == "" {
		body.Error = Error{Message: http.StatusText(a.status)}
	}
	e := body.Error
	e.Status, e.RequestID, e.wait = a.status, a.header.Get("X-Request-Id"), a.retryAfter()
	return &e
}

// retryAfter is 0 when there is no answer, or it does not say in seconds.
func (a *answer) retryAfter() time.Duration {
	if a == nil {
		return 0
	}
	seconds, err := strconv.ParseUint(a.header.Get("Retry-After"), 10, 32)
	if errors.Is(err, strconv.ErrRange) {
		seconds, err = math.MaxUint32, nil
	}
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}
