package cardano

import (
	"sync"
	"time"

	"causeway/chains/cardano/client"
)

// clock tells the time of slots.
type clock struct {
	mu    sync.Mutex
	start time.Time
	eras  []client.Era
}

func (c *clock) set(start time.Time, eras []client.Era) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.start, c.eras = start, eras
}

// at returns the time of a slot. The newest era goes on.
func (c *clock) at(slot int64) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	var in client.Era
	for _, e := range c.eras {
		if e.Slot <= slot {
			in = e
		}
	}
	return c.start.Add(in.Begins + time.Duration(slot-in.Slot)*in.Length).UTC()
}
