package api

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"causeway/internal/proof/contract"
)

// Requests refused by net/http itself, before they exist, get a bare 400 or 431; everything else is answered by the front.
// Either way the server answers the next client.
func TestHostileBytesOnTheWire(t *testing.T) {
	contract.Covers(t, "addendum §13: Requests that are no HTTP")
	f := newHostileFront(t)
	defer f.close()
	address := listen(t, f.front)
	head := "Host: x\r\nX-Service-Invoke: " + f.key + "\r\nConnection: close\r\n"
	get, post := "GET /v1/balances HTTP/1.1\r\n"+head, "POST /v1/payout HTTP/1.1\r\n"+head
	for name, c := range map[string]struct {
		text   string
		status int
		code   string // of a refusal of the front; net/http has none
	}{
		"a NUL in the path":      {"GET /v1/bal\x00ances HTTP/1.1\r\n" + head + "\r\n", 400, ""},
		"a NUL in a header":      {get + "X-A: \x00\r\n\r\n", 400, ""},
		"a broken escape":        {"GET /v1/check-payin/%zz HTTP/1.1\r\n" + head + "\r\n", 400, ""},
		"a space in the path":    {"GET /v1/bal ances HTTP/1.1\r\n" + head + "\r\n", 400, ""},
		"no version":             {"GET /v1/balances\r\n" + head + "\r\n", 400, ""},
		"HTTP/2 asked on HTTP/1": {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 404, "route_not_found"},
		"20 KB of header":        {get + "X-A: " + strings.Repeat("a", 20<<10) + "\r\n\r\n", 431, ""},
		"20 KB of key": {"GET /v1/balances HTTP/1.1\r\nHost: x\r\nX-Service-Invoke: " + strings.Repeat("k", 20<<10) +
			"\r\n\r\n", 431, ""},
		"20 KB of headers":        {get + strings.Repeat("A: b\r\n", 5000) + "\r\n", 431, ""},
		"20 KB of path":           {"GET /v1/check-payin/" + strings.Repeat("x", 24<<10) + " HTTP/1.1\r\n" + head + "\r\n", 431, ""},
		"a folded header":         {get + "X-A: a\r\n b\r\n\r\n", 200, ""},
		"a header without a name": {get + ": a\r\n\r\n", 400, ""},
		"two lengths":             {post + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ", 400, ""},
		"a length below zero":     {post + "Content-Length: -1\r\n\r\n", 400, ""},
		"a length of text":        {post + "Content-Length: 0x10\r\n\r\n", 400, ""},
		"a huge length":           {post + "Content-Length: 99999999999999999999\r\n\r\n", 400, ""},
		"an unknown coding":       {post + "Transfer-Encoding: gzip\r\n\r\n", 501, ""},
		"a length and chunks": {post + "Content-Length: 100\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400,
			"invalid_parameters"},
		"a broken chunk":             {post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "json_parse_exception"},
		"an endless chunk extension": {post + "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("x", 64<<10), 400, "json_parse_exception"},
		"no host":                    {"GET /v1/balances HTTP/1.1\r\nX-Service-Invoke: " + f.key + "\r\n\r\n", 400, ""},
		"HTTP/1.0 without one":       {"GET /v1/balances HTTP/1.0\r\nX-Service-Invoke: " + f.key + "\r\n\r\n", 200, ""},
		"two slashes":                {"GET //v1/balances HTTP/1.1\r\n" + head + "\r\n", 404, "route_not_found"},
		"two dots":                   {"GET /v1/../v1/balances HTTP/1.1\r\n" + head + "\r\n", 404, "route_not_found"},
		"an encoded slash":           {"GET /v1%2Fbalances HTTP/1.1\r\n" + head + "\r\n", 404, "route_not_found"},
		"a huge length promised":     {post + "Content-Length: 9223372036854775807\r\nExpect: 100-continue\r\nX-Service-Invoke: again\r\n\r\n", 401, "api_key_invalid"},
		"a large length promised":    {post + "Content-Length: 1048577\r\n\r\n", 413, "request_too_large"},
		"an unknown expectation":     {post + "Expect: a miracle\r\nContent-Length: 0\r\n\r\n", 417, ""},
		"lines of one byte": {"POST /v1/payout HTTP/1.1\nHost: x\nX-Service-Invoke: " + f.key +
			"\nContent-Length: 1\nConnection: close\n\n[", 400, "json_parse_exception"},
	} {
		status, code := spoken(t, address, c.text)
		if status != c.status || code != c.code {
			t.Errorf("%s: %d %s, want %d %s", name, status, code, c.status, c.code)
		}
	}
}

// spoken returns the status and the code of the answer to a text on a connection of its own.
func spoken(t *testing.T, address, text string) (status int, code string) {
	t.Helper()
	conn := dialled(t, address)
	_, _ = io.WriteString(conn, text) // the server may hang up first
	return answered(t, conn, fmt.Sprintf("%.60q", text))
}

func dialled(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

func answered(t *testing.T, conn net.Conn, what string) (status int, code string) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return 0, ""
	}
	defer response.Body.Close()
	var body ErrorAnswer
	if response.Header.Get("Content-Type") == "application/json; charset=utf-8" && json.NewDecoder(response.Body).Decode(&body) != nil {
		t.Errorf("%s: the answer is not JSON", what)
	}
	return response.StatusCode, body.Error.Code
}

// A client sending its body a byte at a time, or stopping in the middle, is answered when its time is up, and holds up
// nobody meanwhile.
func TestHostileDrip(t *testing.T) {
	f := newHostileFront(t)
	defer f.close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := NewServer("", f.front)
	server.ReadHeaderTimeout, server.ReadTimeout = 3*time.Second, 6*time.Second // of 5 s and 15 s
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	address := listener.Addr().String()
	head := "POST /v1/payout HTTP/1.1\r\nHost: x\r\nX-Service-Invoke: " + f.key + "\r\n"

	dripping, stopped, silent := dialled(t, address), dialled(t, address), dialled(t, address)
	_, _ = io.WriteString(stopped, head+"Content-Length: 1000\r\n\r\n{")
	_, _ = io.WriteString(silent, head)
	go drip(dripping, head+"Content-Length: 1000\r\n\r\n", strings.Repeat(" ", 1000))
	if status, _ := spoken(t, address, "GET /v1/balances HTTP/1.1\r\nHost: x\r\nX-Service-Invoke: "+f.key+"\r\n\r\n"); status != http.StatusOK {
		t.Errorf("somebody else is answered %d meanwhile", status)
	}
	for name, conn := range map[string]net.Conn{"dripping": dripping, "stopped": stopped} {
		if status, code := answered(t, conn, name); status != http.StatusBadRequest || code != "json_parse_exception" {
			t.Errorf("%s: %d %s", name, status, code)
		}
	}
	if _, err := silent.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("whoever does not end the header: %v", err)
	}
}

// drip writes the head at once and the rest a byte every 20 ms, until nobody listens.
func drip(conn net.Conn, head, rest string) {
	if _, err := io.WriteString(conn, head); err != nil {
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i := range len(rest) {
		<-tick.C
		if _, err := conn.Write([]byte(rest[i : i+1])); err != nil {
			return
		}
	}
}
