package store_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

// A minute is noted once, with the worst of all under the empty label; a span answers its highest value with its label,
// and samples older than a week go.
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

// Anybody may pay more on a simulated network than a column holds: as much as it holds is noted, and all else of the minute with it.
func TestASampleOfMoreThanAColumnHolds(t *testing.T) {
	t.Parallel()
	s, ctx := store.New(testkit.DB(t)), t.Context()
	_, err := s.Q.NewRaw(`insert into prices (base, quote, price, source) values ('USDT', 'USD', 1, 'fixed') on conflict do nothing`).Exec(ctx)
	require.NoError(t, err)
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, s.SaveTransfers(ctx, []pay.Transfer{{ID: id, Network: "Tron", Txid: "much", Token: "USDT", Sender: "a",
		Address: "b", Amount: decimal.New(9, 19), Status: pay.TransferSeen}}))
	after := time.Unix(id.Time().UnixTime()).Add(time.Minute)
	require.NoError(t, s.TakeSamples(ctx, after))
	_, err = s.Q.NewRaw("update samples set at = at - interval '1 minute'").Exec(ctx)
	require.NoError(t, err)
	require.NoError(t, s.TakeSamples(ctx, after))
	found, err := s.Samples(ctx, after.Add(-time.Hour), 2*time.Hour) // both in one span
	require.NoError(t, err)
	volume := map[string]int64{}
	for _, f := range found {
		volume[f.Line] += f.Total
	}
	require.Equal(t, int64(2e14), volume["payins"])
	require.Zero(t, volume["payouts"])
}
