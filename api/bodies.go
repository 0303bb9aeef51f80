package api

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"causeway/api/input"
	"causeway/internal/pay"
)

const (
	smallBody   = 16 << 10 // uncounted bytes of each body
	allBodies   = 64 << 20 // bytes above those in one process
	bodiesOfOne = allBodies / 4
)

var errBodies = pay.E(pay.Unavailable, "service_unavailable", "Too many large requests are under way. Send it again in a moment.")

// bodies limits the memory of bodies under way: of a process, and of one merchant in it, known by its key alone while a signed
// body is read. Received bytes count, not the announced length.
type bodies struct {
	mu  sync.Mutex
	all int
	of  map[uuid.UUID]int
}

func newBodies() *bodies { return &bodies{of: map[uuid.UUID]int{}} }

// take reserves bytes of a merchant's, and reports whether there are as many.
func (b *bodies) take(merchant uuid.UUID, bytes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all+bytes > allBodies || b.of[merchant]+bytes > bodiesOfOne {
		return false
	}
	b.all += bytes
	b.of[merchant] += bytes
	return true
}

func (b *bodies) give(merchant uuid.UUID, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all -= bytes
	if b.of[merchant] -= bytes; b.of[merchant] == 0 {
		delete(b.of, merchant)
	}
}

// roomier returns the received part of a body with room for more of it.
func (c *Call) roomier(kept []byte) ([]byte, error) {
	room := min(2*cap(kept), input.MaxBody+1)
	if more := max(room, smallBody) - max(cap(kept), smallBody); more > 0 {
		if !c.bodies.take(c.Caller.Merchant.ID, more) {
			c.retryAfter(time.Second)
			return nil, errBodies
		}
		c.reserved += more
	}
	return append(make([]byte, 0, room), kept...), nil
}

// forgetBody ends the reservation for the body of an answered request.
func (c *Call) forgetBody() {
	if c.reserved > 0 {
		c.bodies.give(c.Caller.Merchant.ID, c.reserved)
	}
}
