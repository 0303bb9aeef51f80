// Package gather answers questions from several goroutines at the same time in one call.
package gather

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	atOnce = 128 // asked for in one call
	limit  = 10 * time.Second
)

// ErrAnswers says that work gave fewer or more answers than there were questions, so answers cannot be matched to questions.
var ErrAnswers = errors.New("not one answer for each question")

// Group gathers questions as Lanes does, in one lane, and hands each its own answer. Its zero value is ready.
type Group[Q, A any] struct {
	once  sync.Once
	lanes *Lanes[*asked[Q, A]]
}

// asked is one question on its way.
type asked[Q, A any] struct {
	values   context.Context // of the caller, without its end
	question Q
	work     func(context.Context, []Q) ([]A, error)
	answer   A
	err      error
	done     chan struct{}
}

// Do asks a question, and returns its answer when its group is done. work answers the questions of a group, each at its place, or
// fails without effect. If work fails, panics, or returns another number of answers (ErrAnswers), each question is asked by itself, and
// only its own failure counts. work is the same for all questions of a Group, and has the values of the first asker's context. When
// ctx ends, Do no longer waits; the group goes on.
func (g *Group[Q, A]) Do(ctx context.Context, question Q, work func(context.Context, []Q) ([]A, error)) (A, error) {
	g.once.Do(func() {
		g.lanes = New(Rules[*asked[Q, A]]{Take: UpTo[*asked[Q, A]](atOnce), Work: answerAll[Q, A], Failed: tellAll[Q, A]})
	})
	a := &asked[Q, A]{values: context.WithoutCancel(ctx), question: question, work: work, done: make(chan struct{})}
	g.lanes.Add(a)
	select {
	case <-a.done:
		return a.answer, a.err
	case <-ctx.Done():
		var none A
		return none, ctx.Err()
	}
}

func answerAll[Q, A any](group []*asked[Q, A]) {
	if !answer(group) {
		for i := range group {
			answer(group[i : i+1])
		}
	}
	tellAll(group, nil)
}

// tellAll ends a group; err is the failure of the whole group.
func tellAll[Q, A any](group []*asked[Q, A], err error) {
	for _, a := range group {
		if err != nil {
			a.err = err
		}
		close(a.done)
	}
}

// answer does a group; false when it failed and has more than one member.
func answer[Q, A any](group []*asked[Q, A]) bool {
	ctx, cancel := context.WithTimeout(group[0].values, limit)
	defer cancel()
	questions := make([]Q, len(group))
	for i, a := range group {
		questions[i] = a.question
	}
	var answers []A
	err := Recover(func() (err error) { answers, err = group[0].work(ctx, questions); return err })
	if err == nil && len(answers) != len(group) {
		err = fmt.Errorf("%w: %d to %d questions", ErrAnswers, len(answers), len(group))
	}
	if err != nil {
		group[0].err = err
		return len(group) == 1
	}
	for i, a := range group {
		a.answer, a.err = answers[i], nil
	}
	return true
}
