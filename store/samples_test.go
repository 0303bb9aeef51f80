package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/testkit"
	"causeway/store"
)

// A minute is noted once, with the worst of all under the empty label; a span answers its highest value and who had it, and
// what is older than a week goes.
func TestSamples(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	s, ctx := store.New(db), t.Context()
	exec := func(query string, args ...any) {
		_, err := db.NewRaw(query, args...).Exec(ctx)
		require.NoError(t, err)
	}
	start := time.Now().UTC().Truncate(time.Hour)
	exec("insert into followers (network, head) values ('Tron', 50), ('Bitcoin', 9), ('Solana', 5)")
	exec("insert into chain_blocks values ('Tron', 40, 'a', ''), ('Tron', 41, 'b', 'a'), ('Bitcoin', 9, 'c', '')")
	exec("insert into jobs (kind, ref, run_at) values ('webhook.deliver', gen_random_uuid(), ?), ('webhook.deliver', gen_random_uuid(), ?), ('reconcile', gen_random_uuid(), ?)",
		start.Add(-90*time.Second), start.Add(time.Hour), start.Add(-time.Second))
	exec("insert into samples values (?, 'lag', '', 1)", start.Add(-8*24*time.Hour))
	require.NoError(t, s.TakeSamples(ctx, start.Add(5*time.Second)))
	exec("update followers set head = 900")
	require.NoError(t, s.TakeSamples(ctx, start.Add(55*time.Second)), "the minute is noted already")

	now := map[string]store.Sampled{}
	found, err := s.Samples(ctx, start, 10*time.Minute)
	require.NoError(t, err)
	for _, f := range found {
		require.True(t, f.At.Equal(start))
		now[f.Name+f.Line] = f
	}
	require.Equal(t, int64(9), now["lag"].Most)
	require.Equal(t, "Tron", now["lag"].Worst)
	require.Equal(t, int64(2), now["due"].Most)
	require.Equal(t, int64(90_000), now["waits"].Most)
	require.Equal(t, "webhook.deliver", now["waits"].Worst)
	require.Zero(t, now["volumepayins"].Total+now["volumepayouts"].Total)
	require.Len(t, found, 5)

	require.NoError(t, s.TakeSamples(ctx, start.Add(time.Minute)))
	found, err = s.Samples(ctx, start.Add(-9*24*time.Hour), 9*24*time.Hour+10*time.Minute)
	require.NoError(t, err)
	require.Len(t, found, 5, "what is older than a week is gone, and both minutes are one span")
	require.Equal(t, "lag", found[1].Name)
	require.Equal(t, int64(891), found[1].Most)
	require.Equal(t, "Bitcoin", found[1].Worst)
}
