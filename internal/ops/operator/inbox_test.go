package operator_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"causeway/internal/ops/operator"
	"causeway/internal/store"
)

type received struct {
	Name, Delivery string
	Headers        map[string]string
	Body           json.RawMessage
	Verified       bool
	ReceivedAt     string `json:"received_at"`
}

func (p *port) inbox(t *testing.T, path string) []received {
	t.Helper()
	response, body := p.ask(t, "GET", path, "", "Accept", "application/json")
	var out []received
	if err := json.Unmarshal([]byte(body), &out); err != nil || response.StatusCode != 200 {
		t.Fatalf("%d %s: %v", response.StatusCode, body, err)
	}
	return out
}

// Covers operator §dev: inbox_url is a page
func TestInbox(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	if body := p.inbox(t, "/inbox/"); len(body) != 0 {
		t.Fatalf("an empty inbox has %v", body)
	}
	const first = `{"event":"payment_processed","data":{"amount":"1.10","note":"a < b & c"}}`
	p.ask(t, "POST", "/inbox/orders", first, "X-Service-Signature", "good", "X-Service-Delivery", "d-1")
	p.ask(t, "POST", "/inbox/orders", "not JSON \xff")
	p.ask(t, "POST", "/inbox/a%2Fb%20%C3%BC", `{}`, "X-Service-Signature", "bad")

	all := p.inbox(t, "/inbox/")
	if len(all) != 3 || all[0].Name != "orders" || all[2].Name != "a/b ü" {
		t.Fatalf("newest last: %+v", all)
	}
	if one := all[0]; !one.Verified || one.Delivery != "d-1" || one.Headers["X-Service-Delivery"] != "d-1" || string(one.Body) != first ||
		one.ReceivedAt == "" {
		t.Errorf("the first: %+v %s", one, one.Body)
	}
	if all[1].Verified || all[2].Verified || string(all[1].Body) != `"not JSON \ufffd"` {
		t.Errorf("the others: %+v %s", all[1:], all[1].Body)
	}
	if whole := p.inbox(t, "/inbox"); len(whole) != 3 {
		t.Errorf("at inbox_url as it stands in dev.json: %+v", whole)
	}
	if some := p.inbox(t, "/inbox/orders"); len(some) != 2 {
		t.Errorf("of one name: %+v", some)
	}
	if again := reopen(t, p).inbox(t, "/inbox/"); len(again) != 3 {
		t.Errorf("after a restart: %+v", again)
	}
}

// reopen is another process on the same database.
func reopen(t *testing.T, p *port) *port {
	t.Helper()
	trusted := func(http.Header, []byte) bool { return true }
	handler := operator.New(operator.Deps{Store: store.New(p.db), Redis: p.redis, Verify: trusted})
	server := httptest.NewServer(handler)
	t.Cleanup(func() { server.Close(); _ = handler.Close() })
	return &port{Server: server, db: p.db, redis: p.redis}
}

// Covers operator §dev: inbox_url is a page
func TestInboxPage(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	_, empty := p.ask(t, "GET", "/inbox/orders", "", "Accept", "text/html")
	if !strings.Contains(empty, "Nothing has arrived for /orders yet") || !strings.Contains(empty, p.URL+"/inbox/orders") {
		t.Errorf("the empty page does not say what to do: %s", empty)
	}
	body := `{"event":"payment_failed","data":{"status":"failed","reference_id":"<script>r-1","crypto_amount":"25","crypto_currency":"USDT","network":"Tron"}}`
	p.ask(t, "POST", "/inbox/orders", body, "X-Service-Delivery", "d-1", "X-Service-Signature", "good")
	p.ask(t, "POST", "/inbox/orders", body, "X-Service-Delivery", "d-1")
	_, page := p.ask(t, "GET", "/inbox/orders", "", "Accept", "text/html")
	for text, times := range map[string]int{"<b>payment_failed</b>": 2, "25 USDT on Tron": 2, ">verified<": 1, ">not verified<": 1, ">repeat<": 1,
		"ref &lt;script&gt;r-1": 2, "<script>r-1": 0, `data-newest="2"`: 1, "<dd>d-1</dd>": 2} {
		if n := strings.Count(page, text); n != times {
			t.Errorf("%q is there %d times, not %d", text, n, times)
		}
	}
	if response, _ := p.ask(t, "GET", "/inbox/orders?after=2", "", "Accept", "text/html"); response.StatusCode != 204 {
		t.Errorf("nothing new: %d", response.StatusCode)
	}
	if _, piece := p.ask(t, "GET", "/inbox/orders?after=1", "", "Accept", "text/html"); strings.Count(piece, "<li ") != 1 ||
		strings.Contains(piece, "<html") {
		t.Errorf("the newer one: %s", piece)
	}
}

func TestInboxRefuses(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	for name, c := range map[string]struct {
		path, body string
		status     int
	}{
		"a body over 1 MiB":     {"/inbox/x", strings.Repeat("x", 1<<20+1), 413},
		"a body of 1 MiB":       {"/inbox/x", strings.Repeat("[", 1<<20), 200},
		"a NUL in the name":     {"/inbox/a%00b", "{}", 400},
		"bad UTF-8 in a name":   {"/inbox/%ff", "{}", 400},
		"too long a name":       {"/inbox/" + strings.Repeat("n", 101), "{}", 400},
		"no name":               {"/inbox/", "{}", 405},
		"a NUL in the body":     {"/inbox/x", "{\"a\":\"\x00\"}", 200},
		"an escaped NUL":        {"/inbox/x", `{"event":"\u0000"}`, 200},
		"a question mark in it": {"/inbox/x", `{"event":"?0 ? :a"}`, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if response, body := p.ask(t, "POST", c.path, c.body); response.StatusCode != c.status {
				t.Errorf("%d %s", response.StatusCode, body)
			}
			if response, _ := p.ask(t, "GET", "/inbox/", "", "Accept", "text/html"); response.StatusCode != 200 {
				t.Errorf("the page afterwards: %d", response.StatusCode)
			}
		})
	}
}

// A body broken off is not kept, and its sender is told so.
//
// Covers operator §dev: A webhook that inbox_url has not kept
func TestInboxSaysWhatItDidNotKeep(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", p.Listener.Addr().String())
	must(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /inbox/x HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nnot a chunk\r\n")
	must(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	must(t, err)
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); response.StatusCode != 400 || !strings.Contains(string(body), "was not kept") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
	if kept := p.inbox(t, "/inbox/"); len(kept) != 0 {
		t.Errorf("%+v", kept)
	}
}

// Covers operator §dev: inbox_url is a page
func TestInboxKeepsTheNewest(t *testing.T) {
	t.Parallel()
	p := open(t, nil)
	p.exec(t, `insert into inbox (name, delivery, headers, body, verified) select 'old', '', '{}', '{}', false from generate_series(1, ?)`,
		store.InboxSize)
	for i := range 3 {
		p.ask(t, "POST", "/inbox/new", fmt.Sprint(i))
	}
	all := p.inbox(t, "/inbox/")
	if len(all) != store.InboxSize || string(all[len(all)-1].Body) != "2" || len(p.inbox(t, "/inbox/new")) != 3 {
		t.Errorf("%d, the last %s", len(all), all[len(all)-1].Body)
	}
}
