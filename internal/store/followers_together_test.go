package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// chainOf writes the blocks of a network from one height to another.
func chainOf(network string, first, last int64) (blocks []store.ChainBlock) {
	for h := first; h <= last; h++ {
		blocks = append(blocks, store.ChainBlock{Network: network, Height: h, Hash: strconv.FormatInt(h, 10), Parent: strconv.FormatInt(h-1, 10)})
	}
	return blocks
}

// TestStepsThatShareAStatement: each network has its own state, blocks, window and next look. Nothing changes for a
// step whose job has another attempt; of two steps of one attempt, the second does not advance.
func TestStepsThatShareAStatement(t *testing.T) {
	t.Parallel()
	s, kind, networks := store.New(testkit.DB(t)), "network.follow", []string{"a", "b", "c"}
	asked := make([]store.FollowStart, len(networks))
	for i, network := range networks {
		asked[i] = store.FollowStart{Job: store.DueJob{Kind: kind, Ref: uuid.New()}, Network: network}
		require.NoError(t, s.PlanJob(t.Context(), kind, asked[i].Job.Ref))
	}
	start := func() []*store.FollowState {
		states, err := s.StartFollows(t.Context(), asked, time.Minute)
		require.NoError(t, err)
		for _, state := range states {
			if state != nil {
				require.WithinDuration(t, time.Now(), state.Asked, time.Minute)
				state.Asked, state.Since = time.Time{}, time.Time{}
			}
		}
		return states
	}
	none := &store.FollowState{Height: -1}
	require.Equal(t, []*store.FollowState{none, none, none}, start())

	moment := time.Now().Truncate(time.Microsecond)
	late := asked[1].Job
	late.Attempt++
	steps := []store.FollowAdvance{
		{Job: asked[2].Job, Network: "c", Head: 7, Rule: "c's", Before: &chainOf("c", 0, 0)[0], Blocks: chainOf("c", 1, 7), After: time.Hour},
		{Job: late, Network: "b", Head: 5, Rule: "late", Blocks: chainOf("b", 1, 5)},
		{Job: asked[0].Job, Network: "a", Head: 900, Passed: moment, Blocks: chainOf("a", 1, 310), After: 2 * time.Hour},
		{Job: asked[2].Job, Network: "c", Head: 8, Rule: "twice", Blocks: chainOf("c", 8, 8)},
	}
	done, err := s.AdvanceFollows(t.Context(), steps)
	require.NoError(t, err)
	require.Equal(t, []bool{true, false, true, false}, done)

	require.Equal(t, []*store.FollowState{nil, none, nil}, start(), "the attempts have gone on")
	asked[0].Job.Attempt++
	asked[2].Job.Attempt++
	require.Equal(t, []*store.FollowState{{Height: 310, Hash: "310"}, none, {Height: 7, Hash: "7"}}, start())
	done, err = s.AdvanceFollows(t.Context(), []store.FollowAdvance{
		{Job: asked[0].Job, Network: "a", Head: 901, Blocks: chainOf("a", 311, 312), After: time.Hour}, {Job: asked[1].Job, Network: "b",
			After: time.Minute}})
	require.NoError(t, err)
	require.Equal(t, []bool{true, true}, done)
	var kept []struct {
		Network     string
		First, Last int64
		Head        int
		Rule        string
		Passed      time.Time
	}
	require.NoError(t, s.Q.NewRaw(`select f.network, min(b.height) as first, max(b.height) as last, f.head, f.rule, coalesce(f.passed_until, 'epoch') as passed
		from followers f join chain_blocks b using (network) group by f.network order by 1`).Scan(t.Context(), &kept))
	require.Len(t, kept, 2)
	require.Equal(t, []any{"a", int64(312 - store.Window), int64(312), 901}, []any{kept[0].Network, kept[0].First, kept[0].Last, kept[0].Head})
	require.True(t, kept[0].Passed.Equal(moment), "a step that does not reach the head leaves it")
	require.True(t, kept[1].Passed.Equal(time.Unix(0, 0)))
	var from []int64
	require.NoError(t, s.Q.NewRaw("select coalesce(followed_from, -9) from followers order by network").Scan(t.Context(), &from))
	require.Equal(t, []int64{1, -9, 1}, from, "the first block that was ever followed, none before there is one")
	require.Equal(t, []any{"c", int64(0), int64(7), 7, "c's"}, []any{kept[1].Network, kept[1].First, kept[1].Last, kept[1].Head, kept[1].Rule})
}
