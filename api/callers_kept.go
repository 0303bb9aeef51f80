package api

import (
	"context"
	"slices"
	"sync"

	"causeway/internal/store"
)

// keptCallers are cached callers by key, each with the revisions it was read at.
type keptCallers struct {
	mu    sync.Mutex
	byKey map[string]*store.Caller
}

// current returns asks as the database has them now. For a cached caller it asks only whether anything has changed since.
// An answer remembered under an Idempotency-Key is read each time.
func (c *Callers) current(ctx context.Context, asks []store.Ask) ([]*store.Caller, error) {
	found := c.kept.of(asks)
	kept := slices.ContainsFunc(found, func(known *store.Caller) bool { return known != nil })
	now, err := c.fill(ctx, asks, found, func(known *store.Caller) bool { return known == nil })
	if err == nil && kept && now == (store.Revisions{}) {
		now, err = c.Revisions(ctx)
	}
	if err == nil && kept {
		_, err = c.fill(ctx, asks, found, func(known *store.Caller) bool { return known != nil && known.Access != now.Access })
	}
	if err != nil {
		return nil, err
	}
	for i, known := range found {
		if known != nil && known.Access == now.Access && known.Catalogue != now.Catalogue {
			again := *known
			again.Revisions = now
			found[i] = &again
		}
	}
	c.kept.keep(asks, found)
	return found, nil
}

// fill reads the chosen ones of found, if there are any, and returns the revisions it saw.
func (c *Callers) fill(ctx context.Context, asks []store.Ask, found []*store.Caller,
	chosen func(*store.Caller) bool) (saw store.Revisions, err error) {
	var places []int
	var wanted []store.Ask
	for i, known := range found {
		if chosen(known) {
			places, wanted = append(places, i), append(wanted, asks[i])
		}
	}
	if len(wanted) == 0 {
		return saw, nil
	}
	read, err := c.Callers(ctx, wanted)
	if err != nil {
		return saw, err
	}
	for n, caller := range read {
		if found[places[n]] = caller; caller != nil {
			saw = caller.Revisions
		}
	}
	return saw, nil
}

// of returns the cached callers, nil for the others.
func (k *keptCallers) of(asks []store.Ask) []*store.Caller {
	k.mu.Lock()
	defer k.mu.Unlock()
	found := make([]*store.Caller, len(asks))
	for i, ask := range asks {
		if ask.IdempotencyKey == "" {
			found[i] = k.byKey[ask.KeyID]
		}
	}
	return found
}

// keep replaces the cached callers of these keys.
func (k *keptCallers) keep(asks []store.Ask, found []*store.Caller) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byKey == nil || len(k.byKey) > manyCallers {
		k.byKey = make(map[string]*store.Caller)
	}
	for i, ask := range asks {
		switch caller := found[i]; {
		case ask.IdempotencyKey != "": // the answer remembered under it must not be kept
		case caller == nil:
			delete(k.byKey, ask.KeyID)
		default:
			k.byKey[ask.KeyID] = caller
		}
	}
}
