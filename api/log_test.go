package api

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
)

// A line about a request names its merchant and key; only a debug line says it was answered.
func TestLinesOfTheLogNameTheRequest(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	s.deps.Log.SetLevel(logrus.DebugLevel)
	s.deps.Routes[0].Handler = func(*Call) error { return errors.New("torn") }
	id, key := s.newKey()
	r := request("GET", "/v1/balances", key, "")
	r.Header.Set("X-Request-Id", "mine")
	ask(t, s.open(), r).is(t, 500, "internal_error")
	lines := strings.Split(strings.TrimSpace(s.log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "error=torn") || !strings.Contains(lines[1], "status=500") {
		t.Fatalf("%q", lines)
	}
	for _, line := range lines {
		for _, want := range []string{"request_id=mine", `route="GET /v1/balances"`, "key_id=" + id, "merchant_id="} {
			if !strings.Contains(line, want) {
				t.Errorf("%s lacks %s", line, want)
			}
		}
	}
}

// A client hanging up before it is answered is told nothing, and is no failure of ours: neither in the log, nor to a client
// still reading after ending its own side of the connection.
func TestWhoHangsUpIsNotAnswered(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	begun := make(chan struct{}, 1)
	s.deps.Routes[0].Handler = func(c *Call) error {
		begun <- struct{}{}
		<-c.Context().Done()
		return c.Context().Err()
	}
	_, key := s.newKey()
	conn, err := net.Dial("tcp", listen(t, New(s.deps)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /v1/balances HTTP/1.1\r\nHost: x\r\nX-Service-Invoke: "+key+"\r\n\r\n")
	<-begun
	_ = conn.(*net.TCPConn).CloseWrite()
	if text, err := io.ReadAll(conn); err != nil || len(text) != 0 {
		t.Errorf("answered %q, %v", text, err)
	}

	quiet := newShop(t, echoing)
	quiet.deps.Log.SetLevel(logrus.DebugLevel)
	gone, hangUp := context.WithCancel(t.Context())
	quiet.deps.Routes[0].Handler = func(c *Call) error {
		hangUp()
		return c.Context().Err()
	}
	_, key = quiet.newKey()
	w := httptest.NewRecorder()
	func() {
		defer func() {
			if cause := recover(); cause != any(http.ErrAbortHandler) {
				t.Errorf("the connection goes on: %v", cause)
			}
		}()
		New(quiet.deps).ServeHTTP(w, request("GET", "/v1/balances", key, "").WithContext(gone))
	}()
	if log := quiet.log.String(); w.Body.Len() != 0 || strings.Contains(log, "level=error") || !strings.Contains(log, "status=499") {
		t.Errorf("%q, and in the log %s", w.Body, log)
	}
}

// A refusal of the request itself is answered all the same, as long as anybody reads.
func TestWhoHangsUpIsStillRefused(t *testing.T) {
	t.Parallel()
	s := newShop(t, echoing)
	gone, hangUp := context.WithCancel(t.Context())
	s.deps.Routes[0].Handler = func(*Call) error {
		hangUp()
		return errIPUnlisted
	}
	_, key := s.newKey()
	ask(t, s.open(), request("GET", "/v1/balances", key, "").WithContext(gone)).is(t, 403, "ip_not_authorized")
}
