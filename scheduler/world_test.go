package scheduler

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/tasks"
)

var errAway = errors.New("away")

// bell keeps the jobs it was told to ring. While it is away it rings nothing, and while it is full it only answers Waiting.
type bell struct {
	mu      sync.Mutex
	away    bool
	full    bool
	rung    []tasks.Job
	waiting map[tasks.Queue]int
	lost    tasks.Queue // cannot be measured
}

func (b *bell) Ring(_ context.Context, jobs ...tasks.Job) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away || b.full {
		return errAway
	}
	b.rung = append(b.rung, jobs...)
	return nil
}

func (b *bell) Ping() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away || b.full {
		return errAway
	}
	return nil
}

func (b *bell) Waiting() (map[tasks.Queue]int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away {
		return nil, errAway
	}
	waiting := map[tasks.Queue]int{}
	for queue := range tasks.Weights {
		waiting[queue] = b.waiting[queue]
	}
	if b.lost != "" {
		delete(waiting, b.lost)
		return waiting, errAway
	}
	return waiting, nil
}

func (b *bell) set(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

// heard returns the jobs rung since the last call.
func (b *bell) heard() []tasks.Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.rung
	b.rung = nil
	return out
}

// world is a jobs table and a bell.
type world struct {
	t     *testing.T
	db    *bun.DB
	store *store.Store
	bell  *bell
	log   *logrus.Logger
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := testkit.DB(t)
	log := logrus.New()
	log.SetOutput(t.Output())
	return &world{t: t, db: db, store: store.New(db), bell: &bell{waiting: map[tasks.Queue]int{}}, log: log}
}

func (w *world) relay() *Relay { return &Relay{Store: w.store, Bell: w.bell, Log: w.log} }

// add records so many jobs of a kind, the first of them due for longest. Until all are, none is: relays may be looking.
func (w *world) add(kind tasks.Kind, n int) []uuid.UUID {
	w.t.Helper()
	refs := make([]uuid.UUID, n)
	for i := range refs {
		refs[i] = uuid.Must(uuid.NewV7())
	}
	require.NoError(w.t, w.store.AddJobs(w.t.Context(), string(kind), refs, time.Hour))
	w.exec(`update jobs j set run_at = now() - ? * interval '1 second' + o.n * interval '1 millisecond'
		from unnest(array[?]::uuid[]) with ordinality o(ref, n) where j.ref = o.ref`, n, bun.List(refs))
	return refs
}

func (w *world) exec(query string, args ...any) {
	w.t.Helper()
	_, err := w.db.NewRaw(query, args...).Exec(w.t.Context())
	require.NoError(w.t, err)
}

func (w *world) count(query string, args ...any) (n int) {
	w.t.Helper()
	require.NoError(w.t, w.db.NewRaw(query, args...).Scan(w.t.Context(), &n))
	return n
}

func (w *world) ringDue(r *Relay) int {
	w.t.Helper()
	n, err := r.RingDue(w.t.Context())
	require.NoError(w.t, err)
	return n
}

func refsOf(jobs []tasks.Job) []uuid.UUID {
	refs := make([]uuid.UUID, len(jobs))
	for i, j := range jobs {
		refs[i] = j.Ref
	}
	return refs
}
