package checkout

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

const (
	firstLook = 5 * time.Second  // for the first look at an opening page
	beat      = 20 * time.Second // of silence; then a comment keeps the connection and finds out who has gone
	longest   = 15 * time.Minute // a stream lasts; the browser opens another
	writing   = 10 * time.Second // for one piece
	again     = 3 * time.Second  // before a browser opens an ended stream again
)

// stream answers the live state as server-sent events: each is the changing part of the page. It ends when the payin is
// settled, when the page closes, and when this process is told to stop.
func (c *Checkout) stream(w http.ResponseWriter, r *http.Request) {
	id, ok := reference(r)
	if !ok {
		c.problem(w, r, http.StatusNotFound, "missing")
		return
	}
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Time{}) != nil { // the server's own would end the request
		c.problem(w, r, http.StatusServiceUnavailable, "away")
		return
	}
	s, ok := c.watch.join(id, c.Visitors.Origin(r))
	if !ok {
		w.Header().Set("Retry-After", "30")
		c.problem(w, r, http.StatusServiceUnavailable, "busy")
		return
	}
	defer c.watch.leave(s)
	v, ok := await(r, s)
	switch {
	case !ok:
		c.problem(w, r, http.StatusServiceUnavailable, "away")
	case v == nil:
		c.problem(w, r, http.StatusNotFound, "missing")
	default:
		c.follow(w, r, control, s, v)
	}
}

// await returns the first look at a page's payin; false when there is none in time.
func await(r *http.Request, s *seat) (*view, bool) {
	late := time.NewTimer(firstLook)
	defer late.Stop()
	select {
	case v, ok := <-s.news:
		return v, ok
	case <-late.C:
	case <-r.Context().Done():
	}
	return nil, false
}

// follow writes v and whatever comes after it.
func (c *Checkout) follow(w http.ResponseWriter, r *http.Request, control *http.ResponseController, s *seat, v *view) {
	words := wordsFor(r)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would hold it back
	if r.Method == http.MethodHead {
		return
	}
	end, pulse := time.NewTimer(longest), time.NewTicker(beat)
	defer end.Stop()
	defer pulse.Stop()
	piece, ok := fmt.Appendf(nil, "retry: %d\n", again.Milliseconds()), true
	for ok && v != nil {
		body, err := c.live(v, words)
		if err != nil || !send(w, control, append(piece, event(body)...)) || v.Settled {
			return
		}
		piece = nil
		v, ok = next(w, r, control, s, end, pulse)
	}
}

// next waits for news and keeps the connection meanwhile; false when the stream is over.
func next(w http.ResponseWriter, r *http.Request, control *http.ResponseController, s *seat, end *time.Timer, pulse *time.Ticker) (*view, bool) {
	for {
		select {
		case v, ok := <-s.news:
			return v, ok
		case <-pulse.C:
			if !send(w, control, []byte(": \n\n")) {
				return nil, false
			}
		case <-end.C:
			return nil, false
		case <-r.Context().Done():
			return nil, false
		}
	}
}

// event writes a page's part as one event.
func event(body []byte) []byte {
	out := []byte("event: state\n")
	for line := range bytes.Lines(body) {
		out = append(append(append(out, "data: "...), bytes.TrimRight(line, "\r\n")...), '\n')
	}
	return append(out, '\n')
}

// send writes a piece; false when the page has gone.
func send(w http.ResponseWriter, control *http.ResponseController, piece []byte) bool {
	if control.SetWriteDeadline(time.Now().Add(writing)) != nil {
		return false
	}
	if _, err := w.Write(piece); err != nil {
		return false
	}
	return control.Flush() == nil
}
