package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// answer is the answer to one request; status 0 without one.
type answer struct {
	status       int
	body         []byte
	asked, ended time.Time
}

// text walks into the JSON: "data.wallet", "results.0.error.code"; "" when there is nothing.
func (a answer) text(path string) string {
	var here any
	if json.Unmarshal(a.body, &here) != nil {
		return ""
	}
	for step := range strings.SplitSeq(path, ".") {
		switch v := here.(type) {
		case map[string]any:
			here = v[step]
		case []any:
			n, err := strconv.Atoi(step)
			if err != nil || n >= len(v) {
				return ""
			}
			here = v[n]
		default:
			return ""
		}
	}
	if here == nil {
		return ""
	}
	return fmt.Sprint(here)
}

// ask sends one request and waits for whatever comes.
func (s *shop) ask(ctx context.Context, method, path string, body any, idempotency string) (a answer) {
	var content []byte
	if body != nil {
		content, _ = json.Marshal(body) // our own bodies can be written
	}
	a.asked = time.Now()
	defer func() { a.ended = time.Now(); s.t.count(a); s.t.soaked.answered(a.ended.Sub(a.asked)) }()
	request, err := http.NewRequestWithContext(ctx, method, "http://"+s.t.api+path, bytes.NewReader(content))
	if err != nil {
		return a
	}
	request.Header.Set("X-Service-Invoke", s.key)
	request.Header.Set("Content-Type", "application/json")
	if idempotency != "" {
		request.Header.Set("Idempotency-Key", idempotency)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return a
	}
	defer func() { _ = response.Body.Close() }()
	if content, err = io.ReadAll(response.Body); err != nil {
		return a
	}
	a.status, a.body = response.StatusCode, content
	return a
}

// count keeps how requests ended.
func (t *torture) count(a answer) {
	switch {
	case a.status == http.StatusOK:
		t.outages.answered()
	case a.status == 0:
		t.tally.unanswered.Add(1)
	case a.status >= http.StatusInternalServerError:
		t.tally.failures.Add(1)
	}
}

// settled reports whether an answer decides the request: it is neither a failure of the service nor "come again".
func (a answer) settled() bool {
	return a.status != 0 && a.status < http.StatusInternalServerError && a.status != http.StatusConflict && a.status != http.StatusTooManyRequests
}

// sure asks again and again until the answer settles the request, or ctx ends.
func (s *shop) sure(ctx context.Context, method, path string, body any, idempotency string) answer {
	for {
		a := s.ask(ctx, method, path, body, idempotency)
		if a.settled() || !wait(ctx, 100*time.Millisecond) {
			return a
		}
	}
}
