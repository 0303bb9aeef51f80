package webhooks

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serveRaw answers connections by hand; n counts them from 1. A connection is closed when serve returns.
func serveRaw(t *testing.T, serve func(c net.Conn, n int64)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { listener.Close(); served.Wait() })
	served.Go(func() {
		for n := int64(1); ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			served.Go(func() { defer conn.Close(); serve(conn, n) })
		}
	})
	return "http://" + listener.Addr().String()
}

func readRequest(c net.Conn) {
	request, err := http.ReadRequest(bufio.NewReader(c))
	if err == nil {
		_, _ = io.Copy(io.Discard, request.Body)
	}
}

// untilHungUp waits for the client to close the connection.
func untilHungUp(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// drip writes one byte at a time until the client hangs up.
func drip(c net.Conn) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := c.Write([]byte("x")); err != nil {
			return
		}
	}
}

// flood writes as fast as the client reads until it hangs up.
func flood(c net.Conn, line string, written *atomic.Int64) {
	chunk := []byte(strings.Repeat(line, 1+16384/len(line)))
	for {
		n, err := c.Write(chunk)
		written.Add(int64(n))
		if err != nil {
			return
		}
	}
}

func reset(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

func say(c net.Conn, text string) { _, _ = io.WriteString(c, text) }

// Covers addendum §11: POST of JSON
// Covers addendum §11: What belongs to one payin
func TestHostileReceivers(t *testing.T) {
	t.Parallel()
	const okHead = "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"
	cases := []struct {
		name    string
		serve   func(net.Conn, *atomic.Int64)
		want    Outcome
		problem string
	}{
		{"silence", func(c net.Conn, _ *atomic.Int64) { untilHungUp(c) }, Retry, "timed out"},
		{"drip of a header", func(c net.Conn, _ *atomic.Int64) { readRequest(c); say(c, "HTTP/1.1 200 OK\r\nX: "); drip(c) }, Retry, "timed out"},
		{"drip of a body", func(c net.Conn, _ *atomic.Int64) { readRequest(c); say(c, okHead); drip(c) }, Delivered, ""},
		{"huge answer", func(c net.Conn, n *atomic.Int64) { readRequest(c); say(c, okHead); flood(c, "x", n) }, Delivered, ""},
		{"endless chunks", func(c net.Conn, n *atomic.Int64) {
			readRequest(c)
			say(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			flood(c, "1\r\nx\r\n", n)
		}, Delivered, ""},
		{"header bomb", func(c net.Conn, n *atomic.Int64) {
			readRequest(c)
			say(c, "HTTP/1.1 200 OK\r\n")
			flood(c, "X-A: b\r\n", n)
		}, Retry, "*"},
		{"one long header", func(c net.Conn, n *atomic.Int64) { readRequest(c); say(c, "HTTP/1.1 200 OK\r\nX: "); flood(c, "y", n) }, Retry, "*"},
		{"early hints for ever", func(c net.Conn, n *atomic.Int64) { readRequest(c); flood(c, "HTTP/1.1 103 Early Hints\r\n\r\n", n) }, Retry, "*"},
		{"reset mid-body", func(c net.Conn, _ *atomic.Int64) { readRequest(c); say(c, okHead+"some"); reset(c) }, Delivered, ""},
		{"reset before an answer", func(c net.Conn, _ *atomic.Int64) { readRequest(c); reset(c) }, Retry, "connection closed by the receiver"},
		{"closed before an answer", func(c net.Conn, _ *atomic.Int64) { readRequest(c) }, Retry, "connection closed by the receiver"},
		{"half a status line", func(c net.Conn, _ *atomic.Int64) { readRequest(c); say(c, "HTTP/1.1 2") }, Retry, "*"},
		{"not HTTP", func(c net.Conn, _ *atomic.Int64) { readRequest(c); say(c, "220 mail.example ESMTP\r\n") }, Retry, "no valid answer"},
		{"status 000", func(c net.Conn, _ *atomic.Int64) { readRequest(c); say(c, "HTTP/1.1 000 x\r\n\r\n") }, Retry, "*"},
		{"switches protocols", func(c net.Conn, _ *atomic.Int64) {
			readRequest(c)
			say(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			drip(c)
		}, Retry, "*"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var written atomic.Int64
			url := serveRaw(t, func(conn net.Conn, _ int64) { c.serve(conn, &written) })
			client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, Timeout: 3 * time.Second})
			a := client.Send(t.Context(), Delivery{URL: url + "/s3cret?token=s3cret", Body: []byte("{}")})
			if a.Outcome != c.want || (c.problem == "*" && a.Error == "") || (c.problem != "*" && a.Error != c.problem) {
				t.Errorf("%+v", a)
			}
			if strings.Contains(a.Error, "s3cret") || strings.Contains(a.Error, "127.0.0.1") || a.Duration > 30*time.Second {
				t.Errorf("%+v", a)
			}
			if n := written.Load(); n > 8<<20 {
				t.Errorf("the receiver could write %d bytes", n)
			}
		})
	}
}

func TestTLS(t *testing.T) {
	t.Parallel()
	now := time.Now()
	cases := []struct {
		name     string
		from, to time.Time
		host     string
		trusted  bool
		problem  string
	}{
		{"good", now.Add(-time.Hour), now.Add(time.Hour), "127.0.0.1", true, ""},
		{"expired", now.Add(-2 * time.Hour), now.Add(-time.Hour), "127.0.0.1", true, "TLS certificate expired or not yet valid"},
		{"not yet valid", now.Add(time.Hour), now.Add(2 * time.Hour), "127.0.0.1", true, "TLS certificate expired or not yet valid"},
		{"untrusted", now.Add(-time.Hour), now.Add(time.Hour), "127.0.0.1", false, "TLS certificate not trusted"},
		{"another host's", now.Add(-time.Hour), now.Add(time.Hour), "127.0.0.2", true, "TLS certificate not trusted"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			certificate := selfSigned(t, c.host, c.from, c.to)
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
			server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.StartTLS()
			t.Cleanup(server.Close)
			roots := x509.NewCertPool()
			if c.trusted {
				roots.AddCert(certificate.Leaf)
			}
			client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, RootCAs: roots})
			a := client.Send(t.Context(), Delivery{URL: server.URL})
			if a.Error != c.problem || (a.Outcome == Delivered) != (c.problem == "") {
				t.Fatalf("%+v", a)
			}
		})
	}
}

func TestConnectingFails(t *testing.T) {
	t.Parallel()
	plain, _ := receive(t, func(http.ResponseWriter, *http.Request) {})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	client := newTestClient(t, Options{AllowedHosts: toLoopback.AllowedHosts, Resolver: &countingResolver{reply: down}})
	for url, want := range map[string]string{
		strings.Replace(plain, "http:", "https:", 1): "TLS handshake failed",
		"http://" + listener.Addr().String():         "connection refused",
		"https://nowhere.example.com/":               "host does not resolve",
		"https://10.0.0.1/":                          "address is not public",
		"http://hooks.example.com/":                  string(NotHTTPS),
		"https://":                                   string(Malformed),
	} {
		if a := client.Send(t.Context(), Delivery{URL: url}); a.Outcome != Retry || a.Error != want || a.Skipped {
			t.Errorf("%s: %+v, want %q", url, a, want)
		}
	}
}

func selfSigned(t *testing.T, host string, from, to time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host},
		NotBefore: from, NotAfter: to, IPAddresses: []net.IP{net.ParseIP(host)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}
