package gather_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"causeway/internal/batch/gather"
)

var errOdd = errors.New("odd")

// double returns twice each number, and fails for a whole group with an odd one.
func double(_ context.Context, numbers []int) ([]int, error) {
	out := make([]int, len(numbers))
	for i, n := range numbers {
		if n%2 == 1 {
			return nil, errOdd
		}
		out[i] = 2 * n
	}
	return out, nil
}

func TestEachQuestionHasItsOwnAnswer(t *testing.T) {
	t.Parallel()
	var group gather.Group[int, int]
	var all sync.WaitGroup
	for i := range 500 {
		all.Go(func() {
			got, err := group.Do(t.Context(), i, double)
			switch {
			case i%2 == 1 && !errors.Is(err, errOdd):
				t.Errorf("%d: %v", i, err)
			case i%2 == 0 && (err != nil || got != 2*i):
				t.Errorf("%d: %d, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

func TestAPanicFailsItsOwnQuestionOnly(t *testing.T) {
	t.Parallel()
	var group gather.Group[int, int]
	var all sync.WaitGroup
	work := func(_ context.Context, numbers []int) ([]int, error) {
		for _, n := range numbers {
			if n == 7 {
				panic("seven")
			}
		}
		return numbers, nil
	}
	for i := range 50 {
		all.Go(func() {
			if got, err := group.Do(t.Context(), i, work); (err != nil) != (i == 7) || err == nil && got != i {
				t.Errorf("%d: %d, %v", i, got, err)
			}
		})
	}
	all.Wait()
}

// TestEachQuestionNeedsItsAnswer: answers are not matched to questions by guessing, and the process goes on.
func TestEachQuestionNeedsItsAnswer(t *testing.T) {
	t.Parallel()
	var group gather.Group[int, int]
	for _, answers := range [][]int{nil, {1, 2}} {
		got, err := group.Do(t.Context(), 1, func(context.Context, []int) ([]int, error) { return answers, nil })
		if !errors.Is(err, gather.ErrAnswers) || got != 0 {
			t.Errorf("%d answers: %d, %v", len(answers), got, err)
		}
	}
}

func TestWhatComesMeanwhileGoesTogether(t *testing.T) {
	t.Parallel()
	var group gather.Group[int, int]
	var all sync.WaitGroup
	first, sizes, release := make(chan struct{}), make(chan int, 20), make(chan struct{})
	work := func(_ context.Context, numbers []int) ([]int, error) {
		if numbers[0] == 0 {
			close(first)
			<-release
		}
		sizes <- len(numbers)
		return numbers, nil
	}
	ask := func(ctx context.Context, n int) { _, _ = group.Do(ctx, n, work) }
	all.Go(func() { ask(t.Context(), 0) })
	<-first
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for n := range 9 { // a caller no longer waiting has asked all the same
		ask(gone, n+1)
	}
	close(release)
	all.Wait()
	if a, b := <-sizes, <-sizes; a != 1 || b != 9 {
		t.Errorf("groups of %d and %d", a, b)
	}
}

// TestAGroupHasTheValuesOfItsFirstAsker: the work for a group still knows its first caller, and is not ended by them.
func TestAGroupHasTheValuesOfItsFirstAsker(t *testing.T) {
	t.Parallel()
	type name struct{}
	var group gather.Group[int, any]
	got, err := group.Do(context.WithValue(t.Context(), name{}, "ann"), 1, func(ctx context.Context, _ []int) ([]any, error) {
		return []any{ctx.Value(name{})}, ctx.Err()
	})
	if got != "ann" || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
