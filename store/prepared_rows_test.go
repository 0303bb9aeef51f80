package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/internal/testkit"
	"causeway/pay"
	"causeway/store"
)

// What was written is what is read, through a transaction and without one: amounts beyond an integer, what is null, and times.
func TestATransferIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	height, reason := int64(7), "no price"
	wrote := []pay.Transfer{
		{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Txid: "a", Token: "USDT", Position: 3, Sender: "from", Address: "to", Memo: "memo",
			Amount: decimal.RequireFromString("123456789012345678901234567890.000000000000000001"), Status: pay.TransferSeen, Height: &height,
			Credits: 2, Credited: decimal.RequireFromString("0.00000001"), RateFee: decimal.NewFromInt(1), Reason: &reason},
		{ID: uuid.Must(uuid.NewV7()), Network: "Tron", Txid: "b", Token: "USDT", Amount: decimal.NewFromInt(5), Status: pay.TransferDropped},
	}
	require.NoError(t, s.SaveTransfers(t.Context(), wrote))
	look := func(s *store.Store) error {
		read, err := s.TransfersByTxid(t.Context(), "Tron", []string{"a", "b"})
		if err != nil {
			return err
		}
		require.Len(t, read, 2)
		for i := range read {
			require.WithinDuration(t, time.Now(), read[i].SeenAt, time.Hour)
			wrote[i].SeenAt, wrote[i].UpdatedAt = read[i].SeenAt, read[i].UpdatedAt
			for _, pair := range [][2]*decimal.Decimal{{&wrote[i].Amount, &read[i].Amount}, {&wrote[i].Credited, &read[i].Credited},
				{&wrote[i].RateFee, &read[i].RateFee}, {&wrote[i].NetworkFee, &read[i].NetworkFee}, {&wrote[i].Counted, &read[i].Counted}} {
				require.True(t, pair[0].Equal(*pair[1]), "%s is not %s", pair[0], pair[1])
				*pair[0] = *pair[1]
			}
		}
		require.Equal(t, wrote, read)
		return nil
	}
	require.NoError(t, look(s))
	require.NoError(t, s.InTx(t.Context(), look))
}

// A query that fails says so as the database did, and leaves its connection fit for the next; one that is cancelled says that.
func TestAPreparedQueryThatFails(t *testing.T) {
	t.Parallel()
	db, err := store.Open(testkit.DSN(t), 1)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	s := store.New(db)
	exec(t, db, "alter table transfers rename column memo to gone")
	_, err = s.TransfersByTxid(t.Context(), "Tron", []string{"a"})
	var refused *pgconn.PgError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "42703", refused.Code)
	exec(t, db, "alter table transfers rename column gone to memo")
	read, err := s.TransfersByTxid(t.Context(), "Tron", []string{"a"})
	require.NoError(t, err)
	require.Empty(t, read)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.TransfersByTxid(over, "Tron", []string{"a"})
	require.ErrorIs(t, err, context.Canceled)
}
