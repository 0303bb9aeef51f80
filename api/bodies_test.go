package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"causeway/api/input"
	"causeway/internal/dev/testkit"
	"causeway/internal/proof/contract"
)

// halfBody is a body with a part coming at once, and the rest when the test lets it.
type halfBody struct {
	part io.Reader
	rest io.ReadCloser
}

func (h *halfBody) Read(p []byte) (int, error) {
	if n, err := h.part.Read(p); n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	return h.rest.Read(p)
}

func (h *halfBody) Close() error { return h.rest.Close() }

// Endless bodies of one key take no more memory than one merchant may, whatever length they announce; small ones and another
// merchant's are taken all the same.
func TestBodiesUnderWayAreBounded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §4: Of bodies under way")
	s := newShop(t, echoing)
	s.deps.Failures.Failures = 0
	f, _ := New(s.deps).(*front)
	front := loadTraffic(t).Refusals(t, f)
	id, signing := s.newKey("signs = true")
	_, other := s.newKey()
	merchant := s.merchantOf(id)
	rest, end := io.Pipe()
	large := func(key string) *http.Request { return request("POST", "/v1/payin", key, "") }
	answers := make(chan answer)
	send := func(part string) {
		r := signedAt(s.clock(), large(signing), nonces(), "")
		r.ContentLength, r.Body = input.MaxBody, &halfBody{strings.NewReader(part), rest}
		go func() { answers <- ask(t, front, r) }()
	}
	reserved := func() (n int) {
		f.bodies.mu.Lock()
		defer f.bodies.mu.Unlock()
		return f.bodies.of[merchant]
	}
	for range 40 {
		send("x")
	}
	most := strings.Repeat("x", input.MaxBody-1)
	const each = input.MaxBody - smallBody // is counted of them
	for range bodiesOfOne / each {
		send(most)
	}
	testkit.Eventually(t, time.Minute, func() bool { return reserved() == bodiesOfOne/each*each }, "the bodies to arrive")
	refused := signedAt(s.clock(), large(signing), nonces(), "")
	refused.ContentLength, refused.Body = input.MaxBody, io.NopCloser(strings.NewReader(most))
	a := ask(t, front, refused)
	a.is(t, 503, "service_unavailable")
	if a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	small := `"` + strings.Repeat("x", smallBody-3) + `"`
	ask(t, front, signedAt(s.clock(), request("POST", "/v1/payin", signing, small), nonces(), small)).is(t, 200, "")
	ask(t, front, request("POST", "/v1/payin", other, `"`+most[2:]+`"`)).is(t, 200, "")
	_ = end.CloseWithError(errors.New("connection reset"))
	for range 40 + bodiesOfOne/each {
		(<-answers).is(t, 400, "json_parse_exception")
	}
	if n := reserved(); n != 0 || f.bodies.all != 0 {
		t.Errorf("%d bytes are reserved for nothing", n)
	}
}

func TestAllMerchantsTogetherAreBounded(t *testing.T) {
	t.Parallel()
	b := newBodies()
	for i := range 4 {
		if !b.take([16]byte{byte(i)}, bodiesOfOne) || b.take([16]byte{byte(i)}, 1) {
			t.Fatal("a merchant's part is not a quarter")
		}
	}
	if b.take([16]byte{9}, 1) {
		t.Fatal("a fifth quarter")
	}
	b.give([16]byte{0}, bodiesOfOne)
	if !b.take([16]byte{9}, 1) || len(b.of) != 4 {
		t.Fatal("what is given back is not there")
	}
}

// With no more than the key of a signing merchant, nobody can have endless bodies read again and again.
func TestASignedBodyThatDoesNotArriveIsAFailedAuthentication(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "addendum §4: Each 401")
	s := newShop(t, echoing)
	front := s.open()
	_, signing := s.newKey("signs = true")
	_, plain := s.newKey()
	broken := func(key string) *http.Request {
		r := request("POST", "/v1/payin", key, "")
		r.ContentLength, r.Body = 2, io.NopCloser(brokenBody{})
		return r
	}
	for range 2 * s.deps.Failures.Failures {
		ask(t, front, broken(plain)).is(t, 400, "json_parse_exception") // counted by its quota
	}
	for range s.deps.Failures.Failures {
		ask(t, front, signedAt(s.clock(), broken(signing), nonces(), "")).is(t, 400, "json_parse_exception")
	}
	ask(t, front, signedAt(s.clock(), broken(signing), nonces(), "")).is(t, 429, "too_many_failed_authentications")
}

func TestKeysThatAreNotLookedUpInTimeAreAway(t *testing.T) {
	t.Parallel()
	late := errors.Join(errors.New("read revisions"), context.DeadlineExceeded)
	for i, err := range crowdOf(t, &slowSource{release: make(chan struct{}), failure: late}, "a", "b") {
		if status, p := problem(err); strconv.Itoa(status)+p.Code != "503service_unavailable" || !errors.Is(err, late) {
			t.Errorf("%d: %d %s", i, status, p.Code)
		}
	}
}
