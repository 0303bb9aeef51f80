package checkout

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"

	"causeway/internal/batch/gather"
)

const (
	mostStreams   = 1000 // open pages of one process; further ones ask again and again instead
	mostOfOrigin  = 50
	failuresToEnd = 5 // failed polls in a row, before the pages are told
)

// watch reads the payins of all open pages together, once a tick, and tells each page its own news.
type watch struct {
	load func(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]*view, error)
	log  logrus.FieldLogger

	mu      sync.Mutex
	topics  map[uuid.UUID]*topic
	origins map[string]int
	seats   int
	stopped bool
}

// topic is one payin with open pages.
type topic struct {
	seats map[*seat]struct{}
	last  *view // nil before the first poll, and when there is no such payin
	known bool  // it was looked at
}

// seat is one open page.
type seat struct {
	id     uuid.UUID
	origin string
	news   chan *view // the newest not read yet; nil: no such payin; closed: go away
}

func newWatch(log logrus.FieldLogger, load func(context.Context, []uuid.UUID) (map[uuid.UUID]*view, error)) *watch {
	return &watch{load: load, log: log, topics: map[uuid.UUID]*topic{}, origins: map[string]int{}}
}

// run polls once every interval until ctx ends, and then sends every page away.
func (w *watch) run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	failures := 0
	for {
		select {
		case <-ctx.Done():
			w.clear(true)
			return
		case <-tick.C:
		}
		err := gather.Recover(func() error { return w.poll(ctx) })
		if failures++; err == nil {
			failures = 0
		}
		if failures == 1 && ctx.Err() == nil {
			w.log.WithError(err).Warn("the open payment pages are not up to date")
		}
		if failures == failuresToEnd {
			w.clear(false)
		}
	}
}

// poll reads the payins of open pages, and passes on the changed ones.
func (w *watch) poll(ctx context.Context) error {
	ids := w.open()
	if len(ids) == 0 {
		return nil
	}
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := w.load(ctx, ids)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, id := range ids {
		t, v := w.topics[id], found[id]
		if t == nil || t.known && same(t.last, v) {
			continue
		}
		t.last, t.known = v, true
		for s := range t.seats {
			s.tell(v)
		}
	}
	return nil
}

func (w *watch) open() []uuid.UUID {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids := make([]uuid.UUID, 0, len(w.topics))
	for id := range w.topics {
		ids = append(ids, id)
	}
	return ids
}

// join opens a page; false when there are too many, or when this process is leaving.
func (w *watch) join(id uuid.UUID, origin string) (*seat, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped || w.seats >= mostStreams || w.origins[origin] >= mostOfOrigin {
		return nil, false
	}
	s := &seat{id: id, origin: origin, news: make(chan *view, 1)}
	t := w.topics[id]
	if t == nil {
		t = &topic{seats: map[*seat]struct{}{}}
		w.topics[id] = t
	}
	t.seats[s] = struct{}{}
	w.seats++
	w.origins[origin]++
	if t.known {
		s.tell(t.last)
	}
	return s, true
}

// leave closes a page.
func (w *watch) leave(s *seat) {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.topics[s.id]
	if t == nil {
		return // it was sent away
	}
	if _, there := t.seats[s]; there {
		w.remove(t, s)
	}
}

// remove is leave for a caller holding the lock.
func (w *watch) remove(t *topic, s *seat) {
	delete(t.seats, s)
	if len(t.seats) == 0 {
		delete(w.topics, s.id)
	}
	w.seats--
	if w.origins[s.origin]--; w.origins[s.origin] == 0 {
		delete(w.origins, s.origin)
	}
}

// clear sends every page away, for good when this process is leaving.
func (w *watch) clear(stop bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = w.stopped || stop
	for _, t := range w.topics {
		for s := range t.seats {
			w.remove(t, s)
			close(s.news)
		}
	}
}

// tell puts v in the place of an unread view. The caller holds the lock of the watch.
func (s *seat) tell(v *view) {
	select {
	case <-s.news:
	default:
	}
	s.news <- v
}

// same reports whether a page would show the same for both, but for the seconds left.
func same(a, b *view) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.version == b.version
}
