package simulation

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
)

// errKilled is the error of a dead fiber. Nothing it does from then on has any effect.
var errKilled = errors.New("killed")

// fiber is one process at one piece of work: an attempt at a job, a look of the relay, a request of a client. Exactly one
// fiber runs at a time; it hands over when it is stopped at a point, and when it ends.
type fiber struct {
	world *world
	name  string
	left  int  // points to pass before it stops; below zero: it never does
	doom  int  // points to pass before it dies; below zero: it does not
	luck  int  // statements before a connection of its own is lost; below zero: none is
	stale bool // the work is somebody else's by now: it must not act
	whole bool // it does things side by side, so it neither stops nor dies at a point of its own choice
	dead  bool
	at    string // where it was stopped
	order chan int
	hand  chan bool // true: it has ended
	err   error
}

type fiberKey struct{}

func fiberIn(ctx context.Context) *fiber {
	f, _ := ctx.Value(fiberKey{}).(*fiber)
	return f
}

// spawn starts work as a fiber stopping after so many points and dying after doom points, and returns when it has
// stopped or ended.
func (w *world) spawn(name string, left, doom int, work func(ctx context.Context) error) *fiber {
	f := &fiber{world: w, name: name, left: left, doom: doom, luck: w.misfortune(), order: make(chan int), hand: make(chan bool)}
	ctx := context.WithValue(context.Background(), fiberKey{}, f)
	go func() {
		f.err = work(ctx)
		f.hand <- true
	}()
	w.await(f)
	return f
}

// await waits for a fiber to hand over. A stopped one is kept among the stopped.
func (w *world) await(f *fiber) {
	if <-f.hand {
		w.ended(f)
		return
	}
	w.stopped = append(w.stopped, f)
	w.trace("%s stops at %s", f.name, f.at)
	w.most.see(w.stopped)
}

// proceed lets a stopped fiber go on for so many points, or die where it is.
func (w *world) proceed(i, points int) {
	f := w.stopped[i]
	w.stopped = append(w.stopped[:i:i], w.stopped[i+1:]...)
	f.order <- points
	w.await(f)
}

// die is the order to die.
const die = -2

// alive fails when the fiber is dead.
func (f *fiber) alive() error {
	f.world.points.Lock()
	defer f.world.points.Unlock()
	if f.dead {
		return errKilled
	}
	return nil
}

// point is a place where the fiber may die, or stop if it holds no locks and is under no time limit.
func (f *fiber) point(ctx context.Context, side string, open bool) error {
	name := pointName(side)
	f.world.points.Lock()
	defer f.world.points.Unlock()
	if f.dead {
		return errKilled
	}
	f.world.passed[name]++
	if f.stale && !strings.HasPrefix(side, "before") && !strings.Contains(name, "store.Start") && !strings.Contains(name, "store.FailJob") {
		f.world.broken("%s is no longer the attempt of its job, and still gets to %s", f.name, name)
	}
	if f.world.fatal[name] {
		delete(f.world.fatal, name)
		f.doom = 0
	}
	if f.doom == 0 {
		f.dead = true
		f.world.trace("%s dies at %s", f.name, name)
		return errKilled
	}
	f.doom--
	_, limited := ctx.Deadline()
	if !open || limited || f.whole || f.left != 0 {
		if open {
			f.left--
		}
		return nil
	}
	f.at = name
	f.world.points.Unlock()
	f.hand <- false
	f.left = <-f.order
	f.world.points.Lock()
	if f.left == die {
		f.dead = true
		f.world.trace("%s dies at %s", f.name, name)
		return errKilled
	}
	return nil
}

// callers is the way to a point.
type callers struct {
	pcs  [64]uintptr
	side string
}

// pointNames remembers the names of earlier ways, since spelling one out takes longer than many statements.
var pointNames sync.Map // callers -> string

// pointName names a point by the function and its act: "BroadcastPayout/sign: commit before", "BroadcastPayout/send:
// sandbox.Broadcast after".
func pointName(side string) string {
	way := callers{side: side}
	n := runtime.Callers(3, way.pcs[:])
	if name, ok := pointNames.Load(way); ok {
		return name.(string)
	}
	name := spell(way.pcs[:n], side)
	pointNames.Store(way, name)
	return name
}

func spell(pcs []uintptr, side string) string {
	frames := runtime.CallersFrames(pcs)
	what, inner, outer := "", "", "client"
	for {
		frame, more := frames.Next()
		name, ours := strings.CutPrefix(frame.Function, "causeway/")
		room, function, _ := strings.Cut(strings.TrimPrefix(name, "internal/"), ".")
		function = method(function)
		switch {
		case !ours || function == "Do":
		case (room == "chains/sandbox" || room == "store" || room == "lists" || room == "ledger") && !plumbing[function]:
			what = strings.TrimPrefix(room, "chains/") + "." + function + " "
		case room == "workers" || strings.HasPrefix(room, "workers/") || room == "scheduler":
			if outer = function; inner == "" {
				inner = function
			}
		}
		if !more {
			return outer + "/" + inner + ": " + what + side
		}
	}
}

// plumbing are functions on the way of every statement; they name nothing.
var plumbing = map[string]bool{"read": true, "InTx": true, "submit": true, "send": true, "faults": true}

// method cuts a function's name out of its name in the runtime.
func method(name string) string {
	name = strings.TrimSuffix(name, "-fm")
	if i := strings.Index(name, ")."); i >= 0 {
		name = name[i+2:]
	}
	name, _, _ = strings.Cut(name, ".")
	return name
}
