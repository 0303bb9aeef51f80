package store_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/store"
)

// Covers addendum §9: Inactivity
// Covers operator §Admin: --inactivity-days 0 keeps
func TestIdleWalletsAreAnnouncedAndRevoked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		inactivity, notice int
		idle               string
		status             string
		announced          bool
	}{
		"used yesterday":       {180, 30, "1 day", "STATUS_ASSIGNED", false},
		"idle too long":        {180, 30, "180 days", "STATUS_ASSIGNED", true},
		"idle, without notice": {180, 0, "181 days", "STATUS_REVOKED", true},
		"kept for good":        {0, 0, "1000 days", "STATUS_ASSIGNED", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := testkit.DB(t)
			merchant, wallet := uuid.New(), uuid.New()
			for _, sql := range []string{
				`insert into merchants (id, name, inactivity_days, revoke_notice_days, webhook_secret) values (?0, 'Shop', ?2, ?3, '')`,
				`insert into wallets (id, merchant_id, family, customer_info, wallet, origin, status, last_transaction_at)
				 values (?1, ?0, 'tron', 'c', 'T', 'external_api', 'STATUS_ASSIGNED', now() - ?4::interval)`,
			} {
				_, err := db.NewRaw(sql, merchant, wallet, c.inactivity, c.notice, c.idle).Exec(t.Context())
				require.NoError(t, err)
			}
			require.NoError(t, store.New(db).RevokeWallets(t.Context(), nil, nil, nil))
			var status string
			var announced bool
			require.NoError(t, db.NewRaw(`select status, revoke_at is not null from wallets where id = ?`, wallet).
				Scan(t.Context(), &status, &announced))
			require.Equal(t, c.status, status)
			require.Equal(t, c.announced, announced)
		})
	}
}

// A merchant keeping wallets for good also keeps those with an announced revocation.
//
// Covers operator §Admin: --inactivity-days 0 keeps
func TestAWalletThatWasAnnouncedIsKept(t *testing.T) {
	t.Parallel()
	db := testkit.DB(t)
	merchant, wallet := uuid.New(), uuid.New()
	_, err := db.NewRaw(`insert into merchants (id, name, inactivity_days, webhook_secret) values (?, 'Shop', 0, '')`, merchant).Exec(t.Context())
	require.NoError(t, err)
	_, err = db.NewRaw(`insert into wallets (id, merchant_id, family, customer_info, wallet, origin, status, revoke_at)
		values (?, ?, 'tron', 'c', 'T', 'external_api', 'STATUS_ASSIGNED', now())`, wallet, merchant).Exec(t.Context())
	require.NoError(t, err)
	require.NoError(t, store.New(db).RevokeWallets(t.Context(), nil, nil, nil))
	var kept bool
	require.NoError(t, db.NewRaw(`select status = 'STATUS_ASSIGNED' and revoke_at is null from wallets where id = ?`, wallet).
		Scan(t.Context(), &kept))
	require.True(t, kept)
}
