package gather

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Lanes works on items in groups: while every lane is at work on a group, new items wait, and go together next. A lane never
// waits for more items, so a lone item is a group of one. It lives only while there is work.
type Lanes[T any] struct {
	rules  Rules[T]
	beside Beside[T] // Lanes 0 where there are none

	mu      sync.Mutex
	waiting []T
	running int       // lanes at work
	taken   time.Time // when a group was taken last
	watched bool      // widen will look again
}

// Rules say how Lanes go about their work. All but Beside are needed.
type Rules[T any] struct {
	Take   func(waiting []T) (group, later []T) // chooses the next group from waiting, see UpTo; never an empty one
	Work   func(group []T)
	Failed func(group []T, err error) // gets ErrPanic when Work has panicked; no caller above could recover
	Beside *Beside[T]                 // nil for one lane
}

// Beside says when groups are worked on beside another: each lane more makes the groups smaller, and large ones cost less.
type Beside[T any] struct {
	Lanes    int                    // at most so many beside the first, at least 1
	Patience time.Duration          // a lane opens when those at work have taken no group for this long; zero opens it at once
	Enough   func(waiting []T) bool // true opens a lane at once; nil is never true
}

// New makes lanes. It panics where rules are not complete.
func New[T any](rules Rules[T]) *Lanes[T] {
	l := &Lanes[T]{rules: rules}
	if rules.Beside != nil {
		l.beside = *rules.Beside
	}
	switch {
	case rules.Take == nil || rules.Work == nil || rules.Failed == nil:
		panic("gather: rules need Take, Work and Failed")
	case rules.Beside != nil && l.beside.Lanes < 1:
		panic("gather: Beside needs a lane")
	case l.beside.Patience == 0 && l.beside.Enough != nil:
		panic("gather: without patience nothing is enough")
	}
	return l
}

// UpTo takes the first n waiting items.
func UpTo[T any](n int) func([]T) (group, later []T) {
	return func(waiting []T) (group, later []T) {
		n := min(n, len(waiting))
		return waiting[:n:n], waiting[n:]
	}
}

// Add queues items for work; they begin at once, as a group of their own, when nothing is under way.
func (l *Lanes[T]) Add(items ...T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, items...)
	if len(l.waiting) > 0 {
		l.open()
	}
}

// Here works on one item in the caller's goroutine, in a group of its own, and reports whether it did: it does so only when Add
// would have it worked on at once. To begin and to wait for another goroutine costs more than many a group.
func (l *Lanes[T]) Here(item T) bool {
	l.mu.Lock()
	if len(l.waiting) > 0 || !l.free() {
		l.mu.Unlock()
		return false
	}
	l.running++
	l.taken = time.Now()
	l.mu.Unlock()
	l.work([]T{item})
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) > 0 {
		go l.run()
	} else {
		l.running--
	}
	return true
}

// free reports whether a lane may be opened now.
func (l *Lanes[T]) free() bool {
	return l.running == 0 || l.running <= l.beside.Lanes &&
		(time.Since(l.taken) >= l.beside.Patience || l.beside.Enough != nil && l.beside.Enough(l.waiting))
}

// open opens a lane for the waiting items, now or when patience is over.
func (l *Lanes[T]) open() {
	switch {
	case l.running > l.beside.Lanes:
	case l.free():
		l.running++
		l.taken = time.Now()
		go l.run()
	case !l.watched:
		l.watched = true
		time.AfterFunc(l.beside.Patience, l.widen)
	}
}

// widen opens a lane when something has waited for long.
func (l *Lanes[T]) widen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watched = false
	if len(l.waiting) > 0 {
		l.open()
	}
}

// Waiting returns how many items wait, and how many lanes are at work.
func (l *Lanes[T]) Waiting() (items, lanes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting), l.running
}

func (l *Lanes[T]) run() {
	for group := l.next(); group != nil; group = l.next() {
		l.work(group)
	}
}

func (l *Lanes[T]) work(group []T) {
	if err := Recover(func() error { l.rules.Work(group); return nil }); err != nil {
		l.rules.Failed(group, err)
	}
}

// next returns the next group, or ends the lane.
func (l *Lanes[T]) next() (group []T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.waiting = nil
		l.running--
		return nil
	}
	group, l.waiting = l.rules.Take(l.waiting)
	l.taken = time.Now()
	if len(l.waiting) > 0 {
		l.open()
	}
	return group
}

// ErrPanic stands for a panic in Recover: the work may be done in part.
var ErrPanic = errors.New("panic")

// Recover does work and returns its error, or ErrPanic when it panics. It is for shared work without a recovering caller: one
// bad question would end the process again and again.
func Recover(work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, cause, debug.Stack())
		}
	}()
	return work()
}
