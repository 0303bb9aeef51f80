package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// The end of a step, planned on a connection before there were rows, reads its own job, its own network and the blocks
// leaving its window, and not the jobs and the blocks of others.
func TestStepsByPlansOfQuietHours(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	s.DB.SetMaxOpenConns(1)
	for _, table := range []string{"jobs", "chain_blocks", "followers"} {
		exec(t, s.DB, "alter table "+table+" set (autovacuum_enabled = off)")
	}
	exec(t, s.DB, "analyze")
	job := store.DueJob{Kind: "network.follow", Ref: uuid.New()}
	require.NoError(t, s.PlanJob(t.Context(), job.Kind, job.Ref))
	advance := func(first, last int64) {
		done, err := s.AdvanceFollows(t.Context(), []store.FollowAdvance{
			{Job: job, Network: "n9", Head: last, Blocks: chainOf("n9", first, last), After: time.Hour}})
		require.NoError(t, err)
		require.Equal(t, []bool{true}, done)
		job.Attempt++
	}
	for h := int64(1); h <= 8; h++ { // a plan for all arguments is considered from the sixth on
		advance(h, h)
	}
	exec(t, s.DB, "insert into jobs (kind, ref, run_at) select k, gen_random_uuid(), now() from generate_series(1, 1000), unnest(array['network.follow', 'webhook.deliver']) k")
	exec(t, s.DB, "insert into chain_blocks (network, height, hash, parent) select 'n' || n, h, h, h - 1 from generate_series(10, 40) n, generate_series(1, 100) h")
	exec(t, s.DB, "insert into followers (network) select 'n' || n from generate_series(10, 1000) n")

	rows, blocks := testkit.Touched(t, s.DB)
	advance(9, 12)
	rowsAfter, blocksAfter := testkit.Touched(t, s.DB)
	require.Less(t, rowsAfter-rows, 40, "the jobs and blocks of others are not meant")
	require.Less(t, blocksAfter-blocks, 150, "the jobs and blocks of others are not meant")
}
