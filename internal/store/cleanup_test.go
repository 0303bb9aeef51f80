package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
	"causeway/migrations"
)

// A worker deletes the sums of signed payouts when no limit looks back to them, and no sum before.
//
// Covers operator §Database roles: Each has the rights
func TestAWorkerForgetsOldWindowsAlone(t *testing.T) {
	t.Parallel()
	_, err := testkit.DB(t).NewRaw(`insert into payout_windows (merchant_id, unit, place, minute, spent)
		select gen_random_uuid(), 'USDT', ago, now() - ago::interval, 1 from unnest(array['0 minutes', '25 hours', '47 hours', '49 hours', '9 days']) as a(ago)`).
		Exec(t.Context())
	require.NoError(t, err)
	worker := testkit.DBAs(t, migrations.WorkerRole)
	require.NoError(t, store.New(worker).DeleteExpired(t.Context()))
	var left []string
	require.NoError(t, worker.NewRaw("select place from payout_windows order by minute").Scan(t.Context(), &left))
	require.Equal(t, []string{"47 hours", "25 hours", "0 minutes"}, left)
}

// A worker stops an asset and a wallet twice: the first reason and time stay, and the wallet's newest nonces are noted.
//
// Covers operator §Database roles: Each has the rights
func TestAWorkerStopsTwice(t *testing.T) {
	t.Parallel()
	worker := testkit.DBAs(t, migrations.WorkerRole)
	s := store.New(worker)
	for i, reason := range []string{"first", "second"} {
		fresh, err := s.StopAsset(t.Context(), "USDT", "Tron", reason)
		require.NoError(t, err)
		require.Equal(t, i == 0, fresh)
		fresh, err = s.StopWallet(t.Context(), store.StoppedWallet{Network: "Tron", Address: "hot", Ours: 1, Chain: int64(2 + i)})
		require.NoError(t, err)
		require.Equal(t, i == 0, fresh)
		if i == 0 {
			_, err = testkit.DB(t).NewRaw("update stopped_assets set at = '2020-01-01'").Exec(t.Context())
			require.NoError(t, err)
		}
	}
	assets, err := s.StoppedAssets(t.Context())
	require.NoError(t, err)
	require.Len(t, assets, 1)
	require.Equal(t, "first", assets[0].Reason)
	require.Equal(t, 2020, assets[0].At.Year())
	wallets, err := s.AllStops(t.Context())
	require.NoError(t, err)
	require.Len(t, wallets, 1)
	require.EqualValues(t, 3, wallets[0].Chain)
}
