package api

import (
	"context"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"causeway/internal/store"
)

const (
	logEvery   = time.Second // how long requests are gathered before they are written
	mostLogged = 5000        // requests kept in memory at most; more of them are left out
	logWithin  = 10 * time.Second
)

// RequestLog keeps the last requests of each key for the people of its merchant (panel §Request log). A request is noted in memory, and
// what was noted is written by one statement a second: a process that is killed loses the last second. It has neither bodies nor queries,
// and of a path only its form.
type RequestLog struct {
	Store *store.Store
	Log   logrus.FieldLogger

	mu       sync.Mutex
	gathered []store.LoggedRequest
	waiting  bool // a write is due
}

// Note keeps a request. It never waits.
func (l *RequestLog) Note(r store.LoggedRequest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.gathered) < mostLogged {
		l.gathered = append(l.gathered, r)
	}
	if !l.waiting {
		l.waiting = true
		time.AfterFunc(logEvery, l.write)
	}
}

func (l *RequestLog) write() {
	ctx, cancel := context.WithTimeout(context.Background(), logWithin)
	defer cancel()
	if err := l.Flush(ctx); err != nil {
		l.Log.WithError(err).Debug("requests were not logged")
	}
}

// Flush writes what was gathered.
func (l *RequestLog) Flush(ctx context.Context) error {
	l.mu.Lock()
	some := l.gathered
	l.gathered, l.waiting = nil, false
	l.mu.Unlock()
	if len(some) == 0 {
		return nil
	}
	return l.Store.LogRequests(ctx, some)
}

// noteRequest keeps a request in the log, where its key is known for certain.
func (f *front) noteRequest(c *Call) {
	if f.Requests == nil || c.key == "" {
		return
	}
	f.Requests.Note(store.LoggedRequest{KeyID: c.key, At: c.Now, Method: c.route.Method, Path: c.route.Path, Status: c.written, Code: c.code,
		RequestID: c.ID, Took: f.Now().Sub(c.Now), Address: c.IP.String()})
}
