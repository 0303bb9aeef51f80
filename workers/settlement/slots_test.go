package settlement_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
	"causeway/workers/desk"
	"causeway/workers/settlement"
)

// contented is a draft with coins enough.
type contented struct{ chains.Draft }

// Choose implements chains.Chooser.
func (contented) Choose([]chains.Coin) ([]chains.Coin, error) { return nil, nil }

// A payout leases the change of a transaction while a replacement of this one waits for the coins. Then nothing is signed in its place.
func TestASlotWithLeasedChangeIsNotLeasedAgain(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	for _, row := range []string{
		"insert into signing_nonces (network, address, next) values ('Bitcoin', 'hot', 2)",
		"insert into coins (network, id, address, token, amount, own, height, slot, place) values ('Bitcoin', 'aa:0', 'hot', 'BTC', 2, false, 1, 0, 0)",
		"insert into coins (network, id, address, token, amount, own) values ('Bitcoin', 'bb:1', 'hot', 'BTC', 1, true)",
	} {
		_, err := s.DB.ExecContext(t.Context(), row)
		require.NoError(t, err)
	}
	n := &chains.Network{Network: pay.Network{Name: "Bitcoin"}, Hot: "hot", Exclusion: chains.ByCoins}
	history := []pay.SignedTransaction{{Txid: "bb", State: pay.TxSent}}
	again := make(chan error, 1)
	require.NoError(t, s.InTx(t.Context(), func(payout *store.Store) error {
		if _, err := payout.HoldCoins(t.Context(), n.Name, n.Hot); err != nil {
			return err
		}
		go func() {
			again <- s.InTx(context.WithoutCancel(t.Context()), func(tx *store.Store) error {
				_, err := settlement.LeaseAgain(t.Context(), tx, n, contented{}, 0, history)
				return err
			})
		}()
		testkit.Eventually(t, time.Minute, func() bool {
			var waiting int
			err := s.DB.NewRaw("select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'").Scan(t.Context(), &waiting)
			return err == nil && waiting > 0
		}, "it waits for the coins")
		return desk.Fenced(payout.LeaseCoins(t.Context(), n.Name, 1, 0, []string{"bb:1"}))
	}))
	require.ErrorIs(t, <-again, desk.ErrFenced)
}
