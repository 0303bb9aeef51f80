package servicecmd

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/tasks"
)

// A relay taking the job again in the meantime must not look like its end.
func TestRunJobIsNotFooledByTheRelay(t *testing.T) {
	t.Parallel()
	db := store.New(testkit.DB(t))
	j, err := db.TakeJob(t.Context(), string(tasks.Cleanup), tasks.RefOf(string(tasks.Cleanup)), 0, jobNote)
	require.NoError(t, err)
	_, err = db.TakeDue(t.Context(), []string{j.Kind}, 10, tasks.Visibility)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := awaitJob(ctx, db, j); err == nil {
		t.Error("the job is called done")
	}
}

// Every periodic job of the queue upkeep can be run by hand. The wallets are checked by the signer.
func TestEveryPeriodicJobCanBeRun(t *testing.T) {
	t.Parallel()
	periodic := 0
	for _, spec := range tasks.Specs {
		if spec.Every > 0 && spec.Queue == tasks.Upkeep {
			periodic++
		}
	}
	require.Len(t, runnables, periodic)
}
