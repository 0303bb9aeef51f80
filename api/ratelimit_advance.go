package api

import (
	"sync"
	"time"
)

// While half of a quota is left or more, a process spends up to a sixteenth of it before it tells Redis: as long as eight do so,
// no more than the quota is spent.
const (
	advanceFrom  = 2               // a half
	advanceShare = 16              // a sixteenth
	advanceFor   = 1 * time.Second // after which what was spent is told, with the next request
)

// advances are what this process may spend of quotas by itself, and what it has spent, by the names under which they are spent.
type advances struct {
	mu sync.Mutex
	of map[string]*advance
}

type advance struct {
	granted time.Time // when Redis was asked last
	room    int       // how many requests may be spent without asking
	spent   int       // and how many were
}

func (a *advance) over(now time.Time) bool { return now.Sub(a.granted).Abs() >= advanceFor }

// spend takes one request of a quota. It returns 0 when that was spent here, else for how many Redis is to be asked: this one and
// those that were spent before. Those that come while Redis is asked may be spent here again.
func (a *advances) spend(name string, now time.Time) (ask int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	own := a.of[name]
	switch {
	case own == nil:
		return 1
	case own.spent < own.room && !own.over(now):
		own.spent++
		return 0
	}
	ask = own.spent + 1
	own.spent, own.granted = 0, now
	return ask
}

// told keeps what Redis says is left of a quota after it was told what was spent.
func (a *advances) told(name string, quota Quota, left int, now time.Time) {
	room := 0
	if left >= quota.Requests/advanceFrom {
		room = quota.Requests / advanceShare
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	own := a.of[name]
	if own == nil {
		if room == 0 {
			return
		}
		if len(a.of) >= manyQuotas {
			forget(a.of, func(old *advance) bool { return old.over(now) })
		}
		own = &advance{}
		a.of[name] = own
	}
	own.room, own.granted = room, now
}
