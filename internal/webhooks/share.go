package webhooks

import (
	"context"
	"sync/atomic"
	"time"
)

// share bounds the tries of one merchant under way to all its receivers together. A merchant may name any number of dead
// hosts and ports, each with a gate of its own, and must still not take the senders shared by all merchants (addendum §11).
type share struct {
	all      lane // three quarters of all places
	unproven lane // a quarter of them, for receivers not fast when they were last tried
}

// lane is the places of some tries.
type lane struct {
	places  chan struct{}
	skipped atomic.Int64 // tries without a place since one of the lane was answered
	ailing  atomic.Bool  // the last try of the lane went unanswered or was slow
}

func newShare(places int) *share {
	s := new(share)
	s.all.places = make(chan struct{}, max(1, places*3/4))
	s.unproven.places = make(chan struct{}, max(1, places/4))
	return s
}

// enter takes places for a try, or returns the full lane. It waits a moment for a place among all, unless another try
// waited in vain and none was answered since: a waiting try is bounded by nothing. With that place it waits among the
// unproven, until the first fails.
func (s *share) enter(ctx context.Context, proven bool) (refusing *lane) {
	if !s.all.enter(ctx, s.all.skipped.Load() == 0) {
		return &s.all
	}
	if proven || s.unproven.enter(ctx, !s.unproven.ailing.Load()) {
		return nil
	}
	<-s.all.places
	return &s.unproven
}

// leave gives the places of a try back, and learns from it.
func (s *share) leave(proven bool, a Attempt) {
	s.all.leave(a)
	if !proven {
		s.unproven.leave(a)
	}
}

// shut returns the lane refusing every try at once, or nil.
func (s *share) shut(proven bool) *lane {
	switch {
	case s.all.full() && s.all.skipped.Load() > 0:
		return &s.all
	case !proven && s.unproven.full() && s.unproven.ailing.Load():
		return &s.unproven
	}
	return nil
}

func (l *lane) full() bool { return len(l.places) == cap(l.places) }

// enter takes a place, or waits a moment for one.
func (l *lane) enter(ctx context.Context, wait bool) bool {
	select {
	case l.places <- struct{}{}:
		return true
	default:
	}
	if !wait {
		return false
	}
	patience := time.NewTimer(gatePatience)
	defer patience.Stop()
	select {
	case l.places <- struct{}{}:
		return true
	case <-patience.C:
	case <-ctx.Done():
	}
	return false
}

func (l *lane) leave(a Attempt) {
	switch {
	case a.Status != 0 && a.Duration <= slowAnswer:
		l.skipped.Store(0)
		l.ailing.Store(false)
	case !a.Skipped:
		l.ailing.Store(true)
	}
	<-l.places
}

// comeBack is how long a try without a place should stay away: about twenty come back in each second once tries go unanswered,
// and before, as when a process begins with many at once, within ten seconds. Random returns numbers in [0, 1).
func (l *lane) comeBack(random func() float64) time.Duration {
	each, longest := backEach/10, backSoon
	if l.ailing.Load() {
		each, longest = backEach, backLongest
	}
	spread := min(max(time.Second, time.Duration(l.skipped.Add(1))*each), longest)
	return 500*time.Millisecond + time.Duration(random()*float64(spread))
}
