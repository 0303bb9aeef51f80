package workers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/tasks"
)

func lotOf(kind tasks.Kind, n int) []tasks.Job {
	jobs := make([]tasks.Job, n)
	for i := range jobs {
		jobs[i] = tasks.Job{Kind: kind, Ref: uuid.New(), Attempt: i}
	}
	return jobs
}

func nothingLeft(t *testing.T) func([]tasks.Job) {
	return func(left []tasks.Job) { t.Errorf("%d jobs were given back", len(left)) }
}

func TestAFailureIsThatOfItsOwnJobOfALot(t *testing.T) {
	t.Parallel()
	p := seats{most: 16}
	var done atomic.Int64
	failed := errors.New("three")
	err := p.do(t.Context(), t.Context(), lotOf(tasks.DeliverWebhook, 16), func(_ context.Context, j tasks.Job) error {
		if j.Attempt == 3 {
			return failed
		}
		done.Add(1)
		return nil
	}, nothingLeft(t))
	require.ErrorIs(t, err, failed)
	require.EqualValues(t, 15, done.Load())
}

// TestJobsAreBoundedWhicheverTaskBringsThem: those of one queue share its seats, and other queues have their own.
func TestJobsAreBoundedWhicheverTaskBringsThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := seats{most: 5}
		var working, most, done atomic.Int64
		release := make(chan struct{})
		work := func(context.Context, tasks.Job) error {
			most.Store(max(most.Load(), working.Add(1)))
			<-release
			working.Add(-1)
			done.Add(1)
			return nil
		}
		for range 3 {
			go func() { _ = p.do(t.Context(), t.Context(), lotOf(tasks.DeliverWebhook, 4), work, nothingLeft(t)) }()
		}
		synctest.Wait()
		require.EqualValues(t, 5, working.Load())
		go func() { _ = p.do(t.Context(), t.Context(), lotOf(tasks.BroadcastPayout, 4), work, nothingLeft(t)) }()
		synctest.Wait()
		require.EqualValues(t, 9, working.Load())
		close(release)
		synctest.Wait()
		require.EqualValues(t, 16, done.Load())
		require.EqualValues(t, 9, most.Load())
	})
}

// TestWhatHasNotBegunIsGivenBack: when the process stops at once, and otherwise when the relay has rung it again. Each job has
// its whole time from when it begins.
func TestWhatHasNotBegunIsGivenBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := seats{most: 2}
		running, stop := context.WithCancel(t.Context())
		jobs := lotOf(tasks.DeliverWebhook, 6)
		work := func(ctx context.Context, _ tasks.Job) error {
			ends, _ := ctx.Deadline()
			if time.Until(ends) != tasks.Specs[tasks.DeliverWebhook].Timeout {
				t.Errorf("a job has %v", time.Until(ends))
			}
			<-time.After(tasks.Visibility * 2 / 3)
			return nil
		}
		var left []tasks.Job
		var after time.Duration
		start := time.Now()
		giveBack := func(jobs []tasks.Job) { left, after = jobs, time.Since(start) }
		require.NoError(t, p.do(t.Context(), running, jobs, work, giveBack))
		require.Equal(t, jobs[4:], left)
		require.Equal(t, tasks.Visibility, after)
		require.Equal(t, tasks.Visibility*4/3, time.Since(start))

		time.AfterFunc(time.Second, stop)
		start = time.Now()
		require.NoError(t, p.do(t.Context(), running, jobs, func(context.Context, tasks.Job) error {
			<-time.After(10 * time.Second)
			return nil
		}, giveBack))
		require.Equal(t, jobs[2:], left)
		require.Equal(t, time.Second, after)
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}
