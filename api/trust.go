package api

import (
	"context"
	"errors"

	"causeway/internal/pay"
	"causeway/internal/store"
)

// A request for payouts is checked by what the process has kept of its caller and of prices. Whether that still holds is asked by
// the statement that records the payouts, and not by a look of its own. An answer that records nothing, a refusal above all, is
// confirmed by a look. When something has changed, nothing was recorded: the request begins again, and asks first
// (docs/decisions/0025-recording-confirms-the-caller.md).

// trust takes a kept caller for the one behind a key, if nothing that is known of him speaks against it.
func (f *front) trust(c *Call, id, key string) bool {
	if !c.route.Confirms || c.again || c.IdempotencyKey != "" {
		return false
	}
	caller := f.Keys.Kept(id)
	if caller == nil || caller.Key.Signs || f.mayCall(c, caller, key) != nil {
		return false
	}
	c.Caller, c.onTrust = caller, true
	return true
}

// handle has a request answered, or returns why it is refused. One that was not confirmed begins again, once.
func (f *front) handle(c *Call) error {
	err := f.attempt(c)
	if err != nil && !errors.Is(err, store.ErrUnconfirmed) {
		if changed := c.confirm(); changed != nil {
			err = changed
		}
	}
	if !errors.Is(err, store.ErrUnconfirmed) {
		return err
	}
	c.again = true
	c.Header().Del("Retry-After")
	return f.attempt(c)
}

// confirm asks whether the caller and the catalogue that were taken on trust are those of now. If not: store.ErrUnconfirmed.
func (c *Call) confirm() error {
	if !c.onTrust {
		return nil
	}
	ctx := context.WithoutCancel(c.Context()) // which a body that comes too slowly has ended
	now, err := c.keys.Caller(ctx, c.Caller.Key.ID, "")
	switch {
	case errors.Is(err, pay.ErrNotFound):
		return store.ErrUnconfirmed
	case err != nil:
		return err
	case now.Access != c.Caller.Access || c.catalogue != 0 && now.Catalogue != c.catalogue:
		return store.ErrUnconfirmed
	}
	c.onTrust = false
	return nil
}

// seen returns what is to be confirmed by what is recorded: nothing where the caller was asked for.
func (c *Call) seen() store.Revisions {
	if !c.onTrust {
		return store.Revisions{}
	}
	return store.Revisions{Catalogue: c.catalogue, Access: c.Caller.Access}
}
