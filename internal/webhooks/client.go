package webhooks

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"
)

// Options of a Client. In production AllowedHosts and Prefix are set, and Underway, to WORKER_CONCURRENCY: a merchant has a
// share of the tries under way.
type Options struct {
	Prefix       string           // of our headers, "X-Service" when empty (addendum §3)
	AllowedHosts []string         // exempt by the name in the URL (WEBHOOK_ALLOWED_HOSTS)
	Resolver     Resolver         // the machine's own when nil
	Timeout      time.Duration    // of one try from dialling to the last byte; 10 s when zero (addendum §11)
	PerHost      int              // tries of one merchant under way to one host; 512 when zero
	Underway     int              // tries under way to all hosts, three quarters of them of one merchant; 4,096 when zero
	RootCAs      *x509.CertPool   // the system's when nil
	Now          func() time.Time // time.Now when nil
}

const (
	maxBody     = 64 << 10 // bytes read of an answer (addendum §11)
	maxHeader   = 32 << 10 // bytes of an answer's header
	knownHosts  = 16384    // hosts, and merchants' receivers at them, of known health
	knownURLs   = 4096     // addresses read once
	idleConns   = 4096     // connections kept for later
	idleTimeout = 60 * time.Second
)

// Client sends webhooks. It connects to public addresses only, follows no redirect and no proxy setting, and keeps
// connections for the next delivery to the same host. It is safe for concurrent use.
type Client struct {
	options Options
	allowed hostSet
	http    *http.Client
	places  chan struct{}
	gates   *lru.Cache[gateKey, *gate]
	strains *lru.Cache[string, *strain]
	shares  *lru.Cache[uuid.UUID, *share]
	targets *lru.Cache[string, *receiver]
}

// NewClient makes a Client.
func NewClient(o Options) *Client {
	o = o.withDefaults()
	allowed := newHostSet(o.AllowedHosts)
	return &Client{
		options: o,
		allowed: allowed,
		http: &http.Client{
			Transport:     newTransport(o, newDialer(allowed, o.Resolver)),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		places:  make(chan struct{}, o.Underway),
		gates:   remembering[gateKey, *gate](knownHosts),
		strains: remembering[string, *strain](knownHosts),
		shares:  remembering[uuid.UUID, *share](knownHosts),
		targets: remembering[string, *receiver](knownURLs),
	}
}

func remembering[K comparable, V any](most int) *lru.Cache[K, V] {
	cache, err := lru.New[K, V](most)
	if err != nil {
		panic(err) // only for a size of zero or less
	}
	return cache
}

// Close closes the connections kept for later.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (o Options) withDefaults() Options {
	if o.Prefix == "" {
		o.Prefix = "X-Service"
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.PerHost == 0 {
		o.PerHost = 512
	}
	if o.Underway == 0 {
		o.Underway = 4096
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// newTransport speaks HTTP/1.1 only: with one request per connection a receiver can hold up no request but its own. The
// gates bound the connections; a bound for each host here would let one merchant's tries wait for another's.
func newTransport(o Options, d *dialer) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            d.dial,
		Protocols:              protocols,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.RootCAs},
		TLSHandshakeTimeout:    dialTimeout,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    o.PerHost,
		MaxIdleConns:           idleConns,
		IdleConnTimeout:        idleTimeout,
	}
}
