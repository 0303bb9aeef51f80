package api

import (
	"context"
	"errors"
	"time"

	"causeway/internal/batch/gather"
	"causeway/internal/pay"
	"causeway/internal/store"
)

const (
	callerBeside = 1               // calls made beside the first
	callerGroup  = 256             // keys looked up in one call
	callerLimit  = 5 * time.Second // for one call
	manyCallers  = 4096            // kept in the process
)

var errCallers = pay.E(pay.Unavailable, "service_unavailable", "Keys cannot be looked up for now. Send it again in a moment.")

// CallerSource reads the callers behind keys. store.Store implements it.
type CallerSource interface {
	Callers(ctx context.Context, asks []store.Ask) ([]*store.Caller, error)
	Revisions(ctx context.Context) (store.Revisions, error)
	SpendNonce(ctx context.Context, keyID, nonce string) (fresh bool, err error)
}

// Callers looks keys up in groups: requests arriving during one lookup go to the database together in the next. A caller is
// read after the request came. A cached one is used only if its revisions, read after the request came, have not changed: a
// revoked key or a suspended merchant is refused from the next request on. It implements Keys.
type Callers struct {
	CallerSource
	lanes *gather.Lanes[*lookup]
	kept  keptCallers
}

// lookup is one request's key on its way.
type lookup struct {
	ask    store.Ask
	caller *store.Caller
	err    error
	done   chan struct{}
}

// NewCallers groups the look-ups of a source.
func NewCallers(source CallerSource) *Callers {
	c := &Callers{CallerSource: source}
	c.lanes = gather.New(gather.Rules[*lookup]{
		Take: gather.UpTo[*lookup](callerGroup), Work: c.read, Failed: tellAll,
		Beside: &gather.Beside[*lookup]{Lanes: callerBeside, Patience: lanePatience},
	})
	return c
}

// Caller implements Keys. Requests of one key share the answer: nobody may write to it.
func (c *Callers) Caller(ctx context.Context, keyID, idempotencyKey string) (*store.Caller, error) {
	l := &lookup{ask: store.Ask{KeyID: keyID, IdempotencyKey: idempotencyKey}, done: make(chan struct{})}
	c.lanes.Add(l)
	select {
	case <-l.done:
		return l.caller, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read asks once for each key of a group, apart from any client.
func (c *Callers) read(group []*lookup) {
	place := make(map[store.Ask]int, len(group))
	asks := make([]store.Ask, 0, len(group))
	for _, l := range group {
		if _, twice := place[l.ask]; !twice {
			place[l.ask] = len(asks)
			asks = append(asks, l.ask)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), callerLimit)
	defer cancel()
	found, err := c.current(ctx, asks)
	if errors.Is(err, context.DeadlineExceeded) {
		err = errCallers.Because(err)
	}
	if err == nil {
		for _, l := range group {
			if l.caller = found[place[l.ask]]; l.caller == nil {
				l.err = pay.ErrNotFound
			}
		}
	}
	tellAll(group, err)
}

// tellAll ends a group; err is a failure of all of it.
func tellAll(group []*lookup, err error) {
	for _, l := range group {
		if err != nil {
			l.caller, l.err = nil, err
		}
		close(l.done)
	}
}
