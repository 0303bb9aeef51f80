package api

import (
	"errors"

	"causeway/pay"
	"causeway/store"
)

// A request for payouts is checked by what the process has kept of its caller and of prices. Whether that still holds is asked by
// the statement that records the payouts, and not by a look of its own. What is answered without recording anything, refusals above
// all, is confirmed by a look. When something has changed, nothing was recorded: the request begins again, and asks first.

// trust takes a kept caller for the one behind a key, if nothing that is known of him speaks against it.
func (f *front) trust(c *Call, id, key string) bool {
	if !c.route.Confirms || c.asks || c.IdempotencyKey != "" {
		return false
	}
	caller := f.Keys.Kept(id)
	if caller == nil || caller.Key.Signs || f.mayCall(c, caller, key) != nil {
		return false
	}
	c.Caller, c.onTrust = caller, true
	return true
}

// handle answers a request, or returns why it is refused.
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
	c.asks, c.onTrust = true, false
	c.Header().Del("Retry-After")
	return f.attempt(c)
}

// confirm looks whether a caller who was taken on trust is as he was, and what was used beside. If not: store.ErrUnconfirmed.
func (c *Call) confirm() error {
	if !c.onTrust {
		return nil
	}
	ctx, cancel := c.Lasting(callerLimit) // who sends too slowly is still told so
	defer cancel()
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
