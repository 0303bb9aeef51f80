package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// A worker halts a network, and nothing noted later lets it go on: an operator does.
//
// Covers operator §Database roles: Each has the rights
func TestAWorkerHaltsANetworkForGood(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	worker, operator := store.New(testkit.DBAs(t, migrations.WorkerRole)), store.New(testkit.DBAs(t, migrations.OperatorRole))
	job := store.DueJob{Kind: "network.follow", Ref: guardedID, Attempt: 1}
	exec(t, db, "insert into jobs (kind, ref, run_at, attempt) values (?, ?, now(), 1)", job.Kind, job.Ref)
	exec(t, db, "insert into followers (network, followed_from) values ('Tron', 1)")
	for _, halted := range []bool{true, false} {
		noted, err := worker.NoteFollower(t.Context(), job, "Tron", "why", halted)
		require.NoError(t, err)
		require.True(t, noted)
		all, err := worker.FollowedNetworks(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"Tron": true}, all)
	}
	require.NoError(t, operator.Reanchor(t.Context(), store.ChainBlock{Network: "Tron", Height: 1, Hash: "h"}))
	all, err := worker.FollowedNetworks(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"Tron": false}, all)
}
