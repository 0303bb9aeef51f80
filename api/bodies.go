package api

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"causeway/internal/pay"
)

const (
	smallBody   = 16 << 10 // bytes of each body that are not counted
	allBodies   = 64 << 20 // bytes above that which a process holds
	bodiesOfOne = allBodies / 4
)

var errBodies = pay.E(pay.Unavailable, "service_unavailable", "Too many large requests are under way. Send it again in a moment.")

// bodies bounds what the bodies under way take of the memory: of a process, and of one merchant in it, whose key alone is known
// when a signed body is read. What has arrived counts, and not what a request says of itself.
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

// roomier returns what has come of a body with room for more of it.
func (c *Call) roomier(kept []byte) ([]byte, error) {
	room := min(2*cap(kept), maxBody+1)
	if more := max(room, smallBody) - max(cap(kept), smallBody); more > 0 {
		if !c.bodies.take(c.Caller.Merchant.ID, more) {
			c.retryAfter(time.Second)
			return nil, errBodies
		}
		c.reserved += more
	}
	return append(make([]byte, 0, room), kept...), nil
}

// forgetBody ends the reservation of a body whose request is answered.
func (c *Call) forgetBody() {
	if c.reserved > 0 {
		c.bodies.give(c.Caller.Merchant.ID, c.reserved)
	}
}
