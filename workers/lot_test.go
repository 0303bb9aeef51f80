package workers

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/gather"
	"causeway/tasks"
)

func lotOf(kind tasks.Kind, n int) []tasks.Job {
	jobs := make([]tasks.Job, n)
	for i := range jobs {
		jobs[i] = tasks.Job{Kind: kind, Ref: uuid.New(), Attempt: i}
	}
	return jobs
}

func TestAPanicFailsItsOwnJobOfALot(t *testing.T) {
	t.Parallel()
	var r rooms
	var done atomic.Int64
	err := r.do(t.Context(), lotOf(tasks.DeliverWebhook, 16), func(_ context.Context, j tasks.Job) error {
		if j.Attempt == 3 {
			panic("three")
		}
		done.Add(1)
		return nil
	})
	require.ErrorIs(t, err, gather.ErrPanic)
	require.EqualValues(t, 15, done.Load())
}

// TestJobsAreBoundedWhicheverTaskBringsThem: those of one queue share its room, and other queues have their own.
func TestJobsAreBoundedWhicheverTaskBringsThem(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := rooms{most: 5}
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
			go func() { _ = r.do(t.Context(), lotOf(tasks.DeliverWebhook, 4), work) }()
		}
		synctest.Wait()
		require.EqualValues(t, 5, working.Load())
		go func() { _ = r.do(t.Context(), lotOf(tasks.BroadcastPayout, 4), work) }()
		synctest.Wait()
		require.EqualValues(t, 9, working.Load())
		close(release)
		synctest.Wait()
		require.EqualValues(t, 16, done.Load())
		require.EqualValues(t, 9, most.Load())
	})
}

// TestWhatFindsNoRoomIsLeft: to the relay, without an error; each job has its whole time from when it begins.
func TestWhatFindsNoRoomIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := rooms{most: 2}
		var begun atomic.Int64
		start := time.Now()
		err := r.do(t.Context(), lotOf(tasks.DeliverWebhook, 6), func(ctx context.Context, _ tasks.Job) error {
			ends, _ := ctx.Deadline()
			if time.Until(ends) != tasks.Specs[tasks.DeliverWebhook].Timeout {
				t.Errorf("a job has %v", time.Until(ends))
			}
			if begun.Add(1) <= 2 {
				<-time.After(tasks.Patience / 2) // then two more begin
			} else {
				<-time.After(tasks.Patience)
			}
			return nil
		})
		require.NoError(t, err)
		require.EqualValues(t, 4, begun.Load())
		require.Equal(t, 3*tasks.Patience/2, time.Since(start))
	})
}
