package gather_test

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"causeway/internal/batch/gather"
)

// never fails the test if work panics.
func never(t *testing.T) func([]int, error) {
	return func(group []int, err error) { t.Errorf("%v failed: %v", group, err) }
}

func TestLanesWorkSideBySideAndGatherTheRest(t *testing.T) {
	t.Parallel()
	begun, release, ended := make(chan []int, 3), make(chan struct{}), make(chan struct{}, 3)
	lanes := gather.New(gather.Rules[int]{Beside: &gather.Beside[int]{Lanes: 1}, Take: gather.UpTo[int](4), Failed: never(t),
		Work: func(group []int) {
			begun <- group
			<-release
			ended <- struct{}{}
		}})
	lanes.Add()
	for i := range 2 {
		lanes.Add(i)
		if group := <-begun; len(group) != 1 || group[0] != i {
			t.Errorf("lane %d works on %v", i, group)
		}
	}
	for i := range 5 {
		lanes.Add(2 + i)
	}
	if waiting, running := lanes.Waiting(); waiting != 5 || running != 2 {
		t.Errorf("%d wait, %d lanes", waiting, running)
	}
	close(release)
	if a, b := <-begun, <-begun; len(a)*len(b) != 4 || len(a)+len(b) != 5 {
		t.Errorf("groups of %v and %v, want four and the one that is left", a, b)
	}
	for range 4 {
		<-ended
	}
}

// A second lane opens for items waiting long, also when nothing more arrives.
func TestALaneOpensWhenPatienceIsOver(t *testing.T) {
	t.Parallel()
	begun, release := make(chan int, 2), make(chan struct{})
	defer close(release)
	beside := &gather.Beside[int]{Lanes: 1, Patience: time.Millisecond}
	lanes := gather.New(gather.Rules[int]{Beside: beside, Take: gather.UpTo[int](1), Failed: never(t), Work: func(group []int) {
		begun <- group[0]
		<-release
	}})
	lanes.Add(1, 2)
	if a, b := <-begun, <-begun; a != 1 || b != 2 {
		t.Errorf("%d and %d", a, b)
	}
}

// While groups are taken quickly one lane is enough.
func TestNoLaneOpensBeforePatienceIsOver(t *testing.T) {
	t.Parallel()
	begun, release := make(chan []int, 2), make(chan struct{})
	beside := &gather.Beside[int]{Lanes: 1, Patience: time.Hour}
	lanes := gather.New(gather.Rules[int]{Beside: beside, Take: gather.UpTo[int](9), Failed: never(t), Work: func(group []int) {
		begun <- group
		<-release
	}})
	for i := range 4 {
		lanes.Add(i)
	}
	if _, running := lanes.Waiting(); running != 1 {
		t.Errorf("%d lanes", running)
	}
	close(release)
	for n := 0; n < 4; {
		n += len(<-begun)
	}
}

// A second lane opens without patience as soon as enough waits, and not before.
func TestALaneOpensWhenEnoughWaits(t *testing.T) {
	t.Parallel()
	begun, release := make(chan []int, 2), make(chan struct{})
	beside := &gather.Beside[int]{Lanes: 1, Patience: time.Hour, Enough: func(waiting []int) bool { return len(waiting) >= 3 }}
	lanes := gather.New(gather.Rules[int]{Beside: beside, Take: gather.UpTo[int](9), Failed: never(t), Work: func(group []int) {
		begun <- group
		<-release
	}})
	lanes.Add(0)
	<-begun
	lanes.Add(1, 2)
	if waiting, running := lanes.Waiting(); waiting != 2 || running != 1 {
		t.Errorf("%d wait, %d lanes, before enough waits", waiting, running)
	}
	lanes.Add(3)
	if group := <-begun; len(group) != 3 {
		t.Errorf("then %v", group)
	}
	close(release)
}

func TestAPanicInALaneIsToldAndTheLaneGoesOn(t *testing.T) {
	t.Parallel()
	worked, failed := make(chan int, 1), make(chan error, 1)
	lanes := gather.New(gather.Rules[int]{
		Take: gather.UpTo[int](1),
		Work: func(group []int) {
			if group[0] == 7 {
				panic("seven")
			}
			worked <- group[0]
		},
		Failed: func(group []int, err error) { failed <- err },
	})
	lanes.Add(7, 8)
	if err := <-failed; !errors.Is(err, gather.ErrPanic) {
		t.Error(err)
	}
	if n := <-worked; n != 8 {
		t.Error(n)
	}
}

// Here works on an item if Add would start it at once, and items arriving meanwhile are worked on as ever.
func TestALoneItemIsWorkedOnHere(t *testing.T) {
	t.Parallel()
	var lanes *gather.Lanes[int]
	here, refused, failed, worked := false, true, make(chan int, 1), make(chan []int, 1)
	lanes = gather.New(gather.Rules[int]{
		Take:   gather.UpTo[int](4),
		Failed: func(group []int, _ error) { failed <- group[0] },
		Work: func(group []int) {
			if group[0] != 1 {
				worked <- group
				return
			}
			here = true // in the caller's goroutine, or the race detector objects
			refused = !lanes.Here(2)
			lanes.Add(3, 4)
			panic("one")
		},
	})
	if !lanes.Here(1) || !here || !refused {
		t.Errorf("worked on here: %v; another beside it was refused: %v", here, refused)
	}
	if n := <-failed; n != 1 {
		t.Errorf("%d failed", n)
	}
	if group := <-worked; len(group) != 2 || group[0] != 3 {
		t.Errorf("then %v", group)
	}
	for waiting, running := lanes.Waiting(); waiting+running > 0; waiting, running = lanes.Waiting() {
		runtime.Gosched()
	}
	if !lanes.Here(5) || (<-worked)[0] != 5 {
		t.Error("a lane was not left")
	}
}

// New refuses rules with an endless wait, and contradicting ones.
func TestRulesAreComplete(t *testing.T) {
	t.Parallel()
	whole := gather.Rules[int]{Take: gather.UpTo[int](1), Work: func([]int) {}, Failed: never(t)}
	enough := func([]int) bool { return true }
	for name, change := range map[string]func(*gather.Rules[int]){
		"no choice":               func(r *gather.Rules[int]) { r.Take = nil },
		"no work":                 func(r *gather.Rules[int]) { r.Work = nil },
		"nobody to tell":          func(r *gather.Rules[int]) { r.Failed = nil },
		"beside, and no lane":     func(r *gather.Rules[int]) { r.Beside = &gather.Beside[int]{Patience: time.Second} },
		"enough without patience": func(r *gather.Rules[int]) { r.Beside = &gather.Beside[int]{Lanes: 1, Enough: enough} },
	} {
		rules := whole
		change(&rules)
		if err := gather.Recover(func() error { gather.New(rules); return nil }); !errors.Is(err, gather.ErrPanic) {
			t.Errorf("%s: taken", name)
		}
	}
	gather.New(whole)
}
