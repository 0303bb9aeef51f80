package lists_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/lists"
	"causeway/internal/pg"
	"causeway/internal/store"
	"causeway/migrations"
)

// Each list is read from a replica, which takes no statement that writes.
func TestListsAreReadFromAReplica(t *testing.T) {
	t.Parallel()
	first, second := testkit.PrivateReplica(t)
	owner, err := pg.Open(first.SocketURL, 2)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, owner.Close()) })
	reader, err := pg.OpenAs(second.SocketURL, 2, migrations.RoleName(migrations.DefaultPrefix, migrations.OperatorRole))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reader.Close()) })
	shop := uuid.Must(uuid.NewV7())
	_, err = owner.NewRaw("insert into merchants (id, name, webhook_secret) values (?, 'Shop', '')", shop).Exec(t.Context())
	require.NoError(t, err)
	page := lists.Filter{Merchant: shop, Page: 1, PerPage: 10, From: time.Unix(0, 0)}
	newest := lists.Filter{Merchant: shop, Page: 1, PerPage: 10}
	across := lists.AcrossFilter{Merchants: []uuid.UUID{shop}, Limit: 10}
	for name, list := range map[string]func(context.Context, *store.Store) error{
		"payouts": func(ctx context.Context, s *store.Store) error { _, _, err := lists.Payouts(ctx, s, page); return err },
		"newest payouts": func(ctx context.Context, s *store.Store) error {
			_, _, err := lists.Payouts(ctx, s, newest)
			return err
		},
		"movements": func(ctx context.Context, s *store.Store) error {
			_, _, err := lists.Movements(ctx, s, page)
			return err
		},
		"deliveries": func(ctx context.Context, s *store.Store) error {
			_, _, err := lists.Deliveries(ctx, s, lists.DeliveryFilter{Merchant: shop, Page: 1, PerPage: 10})
			return err
		},
		"links": func(ctx context.Context, s *store.Store) error {
			_, _, err := lists.Links(ctx, s, lists.LinkFilter{Merchant: shop, Page: 1, PerPage: 10})
			return err
		},
		"payouts of many": func(ctx context.Context, s *store.Store) error {
			_, err := lists.PayoutsAcross(ctx, s, across)
			return err
		},
		"payins of many": func(ctx context.Context, s *store.Store) error {
			_, err := lists.PayinsAcross(ctx, s, across)
			return err
		},
		"wallets of many": func(ctx context.Context, s *store.Store) error {
			_, err := lists.WalletsAcross(ctx, s, across)
			return err
		},
		"deliveries of many": func(ctx context.Context, s *store.Store) error {
			_, err := lists.DeliveriesAcross(ctx, s, lists.AcrossDeliveryFilter{Merchants: across.Merchants, Limit: 10})
			return err
		},
		"search": func(ctx context.Context, s *store.Store) error { _, err := lists.Search(ctx, s, "Shop", 5); return err },
		"tallies": func(ctx context.Context, s *store.Store) error {
			_, err := lists.Tallies(ctx, s, true, time.Unix(0, 0))
			return err
		},
		"volumes": func(ctx context.Context, s *store.Store) error {
			_, err := lists.Volumes(ctx, s, time.Unix(0, 0))
			return err
		},
	} {
		testkit.Eventually(t, time.Minute, func() bool { // the replica is asked anew, should it have been slow
			there := store.NewReplica(reader, func(failure error) { require.NoError(t, failure) })
			require.NoError(t, list(t.Context(), store.New(owner).WithReplica(there)), name)
			answered, _ := there.Reads()
			return answered == 1
		}, "the replica lists "+name)
	}
}
