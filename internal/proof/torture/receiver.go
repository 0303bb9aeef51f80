package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is the merchants' server. It verifies deliveries by the formula of addendum §2, written down here once more
// on purpose, and fails as servers do.
type receiver struct {
	t      *torture
	url    string
	server *http.Server
	chance *chance
	calm   atomic.Bool // it does not fail any more

	mu     sync.Mutex
	heard  map[string]*hearing // by delivery
	number int
	forged int
	tries  int
}

// hearing notes one delivery: when it came first, and when it was first taken with a 2xx, in the order of everything
// heard; 0 = not yet.
type hearing struct {
	first, taken int
	event        string
	subject      string
}

func (t *torture) receive() (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{t: t, url: "http://" + listener.Addr().String(), chance: t.chance("receiver"), heard: map[string]*hearing{}}
	r.calm.Store(true)
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		if err := r.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			say("receiver: %v", err)
		}
	}()
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() }

// ServeHTTP takes or fails one try of a delivery.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	delivery := request.Header.Get("X-Service-Delivery")
	r.hear(request, delivery, body)
	if r.calm.Load() {
		r.take(w, delivery)
		return
	}
	switch n := r.chance.below(100); {
	case n < 70:
		r.take(w, delivery)
	case n < 82:
		http.Error(w, "out of order", http.StatusInternalServerError)
	case n < 87:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "busy", http.StatusServiceUnavailable)
	case n < 95:
		panic(http.ErrAbortHandler) // the connection is reset
	default:
		wait(request.Context(), r.chance.between(time.Second, 3*time.Second))
		r.take(w, delivery)
	}
}

// hear notes a delivery, if it is genuine.
func (r *receiver) hear(request *http.Request, delivery string, body []byte) {
	var said struct {
		Event string
		Data  struct {
			Reference string `json:"internal_reference"`
		}
	}
	genuine := r.genuine(request, delivery, body) && json.Unmarshal(body, &said) == nil
	r.mu.Lock()
	defer r.mu.Unlock()
	r.number++
	r.tries++
	if !genuine {
		r.forged++
		return
	}
	if r.heard[delivery] == nil {
		r.heard[delivery] = &hearing{first: r.number, event: said.Event, subject: said.Data.Reference}
	}
}

// take answers 200. A delivery written down before the answer counts as taken, also when the answer does not arrive.
func (r *receiver) take(w http.ResponseWriter, delivery string) {
	r.mu.Lock()
	r.number++
	if h := r.heard[delivery]; h != nil && h.taken == 0 {
		h.taken = r.number
	}
	r.mu.Unlock()
	w.WriteHeader(http.StatusOK)
}

// genuine checks the signature under the secret of the shop named by the path.
func (r *receiver) genuine(request *http.Request, delivery string, body []byte) bool {
	number, err := strconv.Atoi(strings.TrimPrefix(request.URL.Path, "/hook/"))
	if err != nil || number >= len(r.t.shops) {
		return false
	}
	sum := sha256.Sum256(body)
	mac := hmac.New(sha256.New, []byte(r.t.shops[number].secret))
	mac.Write([]byte("v1\n" + request.Header.Get("X-Service-Timestamp") + "\n" + delivery + "\n" + hex.EncodeToString(sum[:])))
	return request.Header.Get("X-Service-Signature") == "v1="+hex.EncodeToString(mac.Sum(nil))
}
