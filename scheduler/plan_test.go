package scheduler

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/store"
	"causeway/tasks"
)

// TestPlanMakesEachStandingJobOnce, however many processes plan at once, and leaves existing jobs alone.
//
// Covers operator §Roles: causeway scheduler
func TestPlanMakesEachStandingJobOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	networks := []string{"Tron", "Ethereum"}
	want := len(networks)
	for _, spec := range tasks.Specs {
		if spec.Every > 0 {
			want++
		}
	}
	var wait sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wait.Go(func() { errs[i] = Plan(t.Context(), w.store, networks) })
	}
	wait.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Equal(t, want, w.count("select count(*) from jobs"))
	require.Equal(t, want, w.count("select count(*) from jobs where run_at <= now() and attempt = 0"))

	w.exec("update jobs set attempt = 7, run_at = now() + interval '1 hour'")
	require.NoError(t, Plan(t.Context(), w.store, append(networks, "Bitcoin")))
	require.Equal(t, want, w.count("select count(*) from jobs where attempt = 7 and run_at > now() + interval '59 minutes'"))
	require.Equal(t, 1, w.count("select count(*) from jobs where attempt = 0 and ref = ?", tasks.RefOf("Bitcoin")))
}

// TestOnlyThePresentAttemptHasAnEffect: the attempt is the fence of a job. A late attempt, or one from the future, changes neither
// the row nor its time.
func TestOnlyThePresentAttemptHasAnEffect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	ref := w.add(tasks.DeliverWebhook, 1)[0]
	w.exec("update jobs set attempt = 5")
	for name, use := range map[string]func(store.DueJob) (bool, error){
		"start":  func(j store.DueJob) (bool, error) { return w.store.StartJob(ctx, j, tasks.Visibility) },
		"retry":  func(j store.DueJob) (bool, error) { return w.store.RetryJob(ctx, j, tasks.Visibility, "late") },
		"fail":   func(j store.DueJob) (bool, error) { return w.store.FailJob(ctx, j, time.Minute, "late") },
		"finish": func(j store.DueJob) (bool, error) { return w.store.FinishJob(ctx, j) },
		"follow": func(j store.DueJob) (bool, error) {
			states, err := w.store.StartFollows(ctx, []store.FollowStart{{Job: j, Network: "Tron"}}, tasks.Visibility)
			return err == nil && states[0] != nil, err
		},
		"advance": func(j store.DueJob) (bool, error) {
			blocks := []store.ChainBlock{{Network: "Tron", Height: 1, Hash: "1"}}
			all, err := w.store.AdvanceFollows(ctx,
				[]store.FollowAdvance{{Job: j, Network: "Tron", Head: 1, Blocks: blocks, After: tasks.Visibility}})
			require.Zero(t, w.count("select (select count(*) from chain_blocks) + (select count(*) from followers)"))
			return err == nil && all[0], err
		},
	} {
		for _, attempt := range []int{0, 4, 6} {
			ok, err := use(store.DueJob{Kind: string(tasks.DeliverWebhook), Ref: ref, Attempt: attempt})
			require.NoError(t, err)
			require.False(t, ok, "%s of attempt %d", name, attempt)
			require.Equal(t, 1, w.count("select count(*) from jobs where attempt = 5 and run_at <= now() and last_error is null"),
				"%s of attempt %d", name, attempt)
		}
	}
	ok, err := w.store.FinishJob(ctx, store.DueJob{Kind: string(tasks.DeliverWebhook), Ref: ref, Attempt: 5})
	require.NoError(t, err)
	require.True(t, ok)
}
