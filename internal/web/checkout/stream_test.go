package checkout_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/proof/contract"
	"causeway/internal/web/checkout"
)

// stream is an open page's live state.
type stream struct {
	t        *testing.T
	response *http.Response
	lines    *bufio.Scanner
}

func (d *desk) stream(id uuid.UUID, query string) *stream {
	d.t.Helper()
	request, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.url+"/pay/"+id.String()+"/live"+query, nil)
	must(d.t, err)
	response, err := (&http.Client{Transport: &http.Transport{}}).Do(request)
	must(d.t, err)
	d.t.Cleanup(func() { _ = response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return &stream{d.t, response, lines}
}

// next returns the next event's data; false when the stream has ended.
func (s *stream) next() (string, bool) {
	var data []string
	for s.lines.Scan() {
		line := s.lines.Text()
		if line == "" && data != nil {
			return strings.Join(data, "\n"), true
		}
		if text, is := strings.CutPrefix(line, "data: "); is {
			data = append(data, text)
		}
	}
	return "", false
}

func (s *stream) awaits(want string) {
	s.t.Helper()
	for {
		data, ok := s.next()
		if !ok {
			s.t.Fatalf("the stream ended before %q", want)
		}
		if strings.Contains(data, want) {
			return
		}
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	d := open(t)
	id := d.payin(order{})
	s := d.stream(id, "?lang=pt")
	if kind := s.response.Header.Get("Content-Type"); kind != "text/event-stream" || s.response.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", s.response.Header)
	}
	s.awaits("Aguardando seu pagamento")
	d.sees(id, "25", pay.TransferSeen, 0)
	s.awaits("Seu pagamento foi detectado")
	d.exec("update transfers set status = 'final', credited = amount where payin_id = ?", id)
	d.exec("update payins set status = 'completed', received = 25 where id = ?", id)
	s.awaits("data-settled")
	if data, more := s.next(); more {
		t.Errorf("more after the end: %s", data)
	}
}

// A panic while open pages are looked at ends their streams, as other failures do, and not the process: it serves the API as
// well.
func TestAPanicInAPollEndsTheStreams(t *testing.T) {
	t.Parallel()
	var faulty atomic.Bool
	d := open(t, func(deps *checkout.Deps) {
		known := deps.Networks
		deps.Networks = func(name string) checkout.Network {
			if faulty.Load() {
				panic("a row without its network")
			}
			return known(name)
		}
	})
	id := d.payin(order{})
	s := d.stream(id, "")
	s.awaits(`data-state="waiting"`)
	faulty.Store(true)
	if data, more := s.next(); more {
		t.Errorf("more than there was: %s", data)
	}
	faulty.Store(false)
	d.stream(id, "").awaits(`data-state="waiting"`)
}

// Asking for the headers of a stream opens none.
func TestHeadOfAStreamEnds(t *testing.T) {
	t.Parallel()
	d := open(t)
	response, body := d.ask(http.MethodHead, "/pay/"+d.payin(order{}).String()+"/live", "")
	if response.StatusCode != http.StatusOK || body != "" || response.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%d %v %q", response.StatusCode, response.Header, body)
	}
}

// An expiry shows without anything having been written.
func TestStreamSeesTimeRunOut(t *testing.T) {
	t.Parallel()
	d := open(t)
	s := d.stream(d.payin(order{ends: 12 * time.Second}), "")
	s.awaits(`data-state="waiting"`)
	s.awaits(`data-state="expired"`)
}

// Many open pages of many payins cost the database as many statements as one page does: three, their beginning and their end.
func TestOpenPagesShareOnePoll(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: All pages open")
	d := open(t)
	var streams []*stream
	for range 9 {
		id := d.payin(order{})
		d.sees(id, "1", pay.TransferSeen, 0)
		for range 5 {
			streams = append(streams, d.stream(id, ""))
		}
	}
	for _, s := range streams {
		s.awaits(`data-state="partial"`)
	}
	marker := d.payin(order{})
	s := d.stream(marker, "")
	s.awaits(`data-state="waiting"`)
	before, began := d.asked.n.Load(), time.Now()
	testkit.Eventually(t, time.Minute, func() bool { return d.asked.n.Load() >= before+50 }, "the pages are looked at")
	if polls := float64(d.asked.n.Load()-before) / 5; polls > float64(time.Since(began)/(20*time.Millisecond))+3 {
		t.Errorf("%v polls in %v", polls, time.Since(began))
	}
}

// Nobody polls when no page is open.
func TestNoPageNoPoll(t *testing.T) {
	t.Parallel()
	d := open(t)
	s := d.stream(d.payin(order{}), "")
	s.awaits(`data-state="waiting"`)
	must(t, s.response.Body.Close())
	testkit.Eventually(t, time.Minute, func() bool {
		before := d.asked.n.Load()
		<-time.After(200 * time.Millisecond)
		return d.asked.n.Load() == before
	}, "it is quiet")
}

func TestStreamsAreBounded(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: All pages open")
	d := open(t)
	id := d.payin(order{})
	streams := make([]*stream, 50)
	for i := range streams {
		streams[i] = d.stream(id, "")
		streams[i].awaits(`data-state="waiting"`)
	}
	if over := d.stream(id, "").response; over.StatusCode != http.StatusServiceUnavailable || over.Header.Get("Retry-After") == "" {
		t.Errorf("%d", over.StatusCode)
	}
	must(t, streams[0].response.Body.Close())
	testkit.Eventually(t, time.Minute, func() bool { return d.stream(id, "").response.StatusCode == http.StatusOK }, "there is room again")
}

// A process told to stop ends its streams at once and opens none; pages are still answered.
func TestStreamsEndWithTheProcess(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Payers' page: An API that is told")
	d := open(t)
	id := d.payin(order{})
	s := d.stream(id, "")
	s.awaits(`data-state="waiting"`)
	d.stop()
	if data, more := s.next(); more {
		t.Errorf("goes on: %s", data)
	}
	if late := d.stream(id, "").response; late.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d", late.StatusCode)
	}
	d.page(id, "en")
}

// When the database is away the streams end, so their pages ask, and learn it.
func TestStreamsEndWithoutDatabase(t *testing.T) {
	t.Parallel()
	d := open(t)
	s := d.stream(d.payin(order{}), "")
	s.awaits(`data-state="waiting"`)
	must(t, d.db.Close())
	if data, more := s.next(); more {
		t.Errorf("goes on: %s", data)
	}
}

// A server's own limits on reading and writing do not end a stream.
func TestStreamOutlivesTheServersLimits(t *testing.T) {
	t.Parallel()
	d := open(t)
	server := httptest.NewUnstartedServer(d.pages)
	server.Config.ReadTimeout, server.Config.WriteTimeout = 1500*time.Millisecond, 1500*time.Millisecond
	server.Start()
	t.Cleanup(func() { d.stop(); server.Close() })
	d.url = server.URL
	id := d.payin(order{})
	s := d.stream(id, "")
	s.awaits(`data-state="waiting"`)
	slow, err := net.Dial("tcp", server.Listener.Addr().String())
	must(t, err)
	defer slow.Close()
	_, err = slow.Write([]byte("GET / HTTP/1.1\r\n"))
	must(t, err)
	if _, err := slow.Read(make([]byte, 1)); !errors.Is(err, io.EOF) { // it comes when the server ends a slow request
		t.Errorf("the server waits for whoever does not end the header: %v", err)
	}
	d.sees(id, "25", pay.TransferSeen, 0)
	s.awaits(`data-state="seen"`)
}
