package client

import (
	"context"

	"golang.org/x/time/rate"
)

// Budget bounds the HTTP requests of a second, including those of Within and those sent again. Zero is no bound. It is called
// before the first request. A second's requests may come at once.
func (c *Client) Budget(perSecond int) {
	c.budget = nil
	if perSecond > 0 {
		c.budget = rate.NewLimiter(rate.Limit(perSecond), perSecond)
	}
}

// inBudget waits until a request may be sent. It fails at once if the context ends earlier.
func (c *Client) inBudget(ctx context.Context) *Error {
	if c.budget == nil || c.budget.Wait(ctx) == nil {
		return nil
	}
	return &Error{Class: Down, Text: "not asked: max_requests_per_second leaves no room in time", ours: true}
}
