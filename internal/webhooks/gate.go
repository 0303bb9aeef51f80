package webhooks

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	gateStart    = 32                     // tries under way to a receiver not known yet
	gateFloor    = 4                      // and to a slow or dead one
	strainMost   = 32                     // and to all of those at one host together, but for one of each
	gatePatience = 250 * time.Millisecond // how long a try waits for its turn
	fastAnswer   = time.Second            // earns the receiver one more try at a time
	slowAnswer   = 3 * time.Second        // halves them, as no answer does

	// Of the tries without a place at a dead receiver, about twenty come back in each second: thousands must not keep the
	// senders busy with nothing.
	backAlways  = 15 * time.Second
	backSpread  = 30 * time.Second
	backLongest = 5 * time.Minute
	backEach    = 50 * time.Millisecond
	backSoon    = 10 * time.Second // for a merchant without a failed receiver yet
)

// gate bounds the tries of one merchant under way to one host. A slow or dead receiver holds few of the senders shared
// by all receivers, and none of those of another merchant at its host (addendum §11). The bound grows with each fast
// answer and halves with each slow or missing one, as TCP's window does (AIMD).
type gate struct {
	mu       sync.Mutex
	limit    int
	ceiling  int
	underway int
	ailing   bool // the last try went unanswered or was slow
	fast     bool // a try was answered fast, and none went unanswered or was slow since
	skipped  int  // tries without a place since it is
	waiting  []chan struct{}
	host     *strain
	counted  int // of underway, in host
}

// strain counts the tries under way to one host, at any port, through ailing gates of all merchants: a host dead as a whole
// holds few senders as well, however many merchants have a receiver there.
type strain struct{ atomic.Int64 }

func newGate(ceiling int, host *strain) *gate {
	return &gate{limit: min(gateStart, ceiling), ceiling: ceiling, host: host}
}

// enter takes a place. It waits a moment for one at a healthy receiver, and returns false when there is none.
func (g *gate) enter(ctx context.Context) bool {
	turn, ok := g.queue()
	if turn == nil {
		return ok
	}
	patience := time.NewTimer(gatePatience)
	defer patience.Stop()
	select {
	case <-turn:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return g.abandon(turn)
}

// queue takes a place at once, or returns a channel closed when it is this caller's turn, or neither.
func (g *gate) queue() (turn chan struct{}, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.underway < g.limit && !g.strained() {
		g.underway++
		g.tell()
		return nil, true
	}
	if g.ailing || len(g.waiting) >= g.limit {
		return nil, false
	}
	turn = make(chan struct{})
	g.waiting = append(g.waiting, turn)
	return turn, false
}

// shut reports whether queue would answer neither a place nor a turn, since the receiver is dead.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ailing && g.underway >= g.limit || g.strained()
}

// strained reports whether the ailing gates of this host, this one among them, have taken all tries they share. A gate with no
// try under way may always begin one, or it would never see the receiver well again.
func (g *gate) strained() bool { return g.ailing && g.underway > 0 && g.host.Load() >= strainMost }

// tell counts the tries under way into the host's strain while the gate is ailing, and out of it otherwise.
func (g *gate) tell() {
	count := 0
	if g.ailing {
		count = g.underway
	}
	if count != g.counted {
		g.host.Add(int64(count - g.counted))
		g.counted = count
	}
}

// answersFast reports whether the receiver has proven to answer fast, and not ceased to.
func (g *gate) answersFast() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fast
}

// abandon leaves the queue; the turn may have come meanwhile, and then the place is taken after all.
func (g *gate) abandon(turn chan struct{}) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, other := range g.waiting {
		if other == turn {
			g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
			return false
		}
	}
	return true
}

// leave gives the place back and learns from the try: whether the receiver answered, and how long it took.
func (g *gate) leave(answered bool, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !answered || took > slowAnswer:
		g.limit, g.ailing = max(g.limit/2, min(gateFloor, g.ceiling)), true
		g.fast = false
	case took < fastAnswer:
		g.limit, g.ailing, g.fast, g.skipped = min(g.limit+1, g.ceiling), false, true, 0
	}
	g.release()
}

// cancel gives the place back when the try says nothing of the receiver.
func (g *gate) cancel() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release()
}

func (g *gate) release() {
	g.underway--
	for len(g.waiting) > 0 && g.underway < g.limit {
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
		g.underway++
	}
	g.tell()
}

// comeBack is how long a try without a place should stay away: random returns numbers in [0, 1).
func (g *gate) comeBack(random func() float64) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ailing {
		g.skipped++
		spread := min(max(backSpread, time.Duration(g.skipped)*backEach), backLongest)
		return backAlways + time.Duration(random()*float64(spread))
	}
	return 500*time.Millisecond + time.Duration(random()*float64(time.Second))
}
