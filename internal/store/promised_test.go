package store_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
	"causeway/internal/store"
)

var errUndo = errors.New("undo")

// Amounts not yet deducted by a chain are promised, whether sent or not, once for each payout. A final transaction
// among them makes the turn begin again: it may be deducted or not.
func TestWhatIsPromisedFromANonceOn(t *testing.T) {
	t.Parallel()
	s := store.New(testkit.DB(t))
	exec(t, s.DB, ethereumFollowed)
	exec(t, s.DB, "insert into signing_nonces values ('ethereum', 'hot', 8)")
	for _, signed := range []struct {
		nonce  int
		states []string
	}{{4, []string{"final"}}, {5, []string{"mined"}}, {6, []string{"sent", "signed"}}, {7, []string{"signed"}}} {
		id := uuid.New()
		exec(t, s.DB, threeEther, id, "sent")
		for _, state := range signed.states {
			exec(t, s.DB, `insert into signed_transactions (network, txid, payout_id, purpose, address, nonce, raw, fee, state)
				values ('ethereum', ?0, ?1, 'pay', 'hot', ?2, 'raw', 0.5, ?3)`, uuid.NewString(), id, signed.nonce, state)
		}
	}
	mine := uuid.New()
	exec(t, s.DB, threeEther, mine, "queued")
	for counted, want := range map[uint64]struct {
		outcome        store.TurnOutcome
		promised, fees string
	}{
		4: {store.TurnAgain, "9", "1.5"},
		5: {store.TurnReady, "9", "1.5"},
		6: {store.TurnReady, "6", "1"},
		8: {store.TurnReady, "0", "0"},
		9: {store.TurnReady, "0", "0"}, // the chain has more than our books: the wallet is stopped for this elsewhere
	} {
		err := s.InTx(t.Context(), func(tx *store.Store) error {
			turn, err := beginToSign(t.Context(), tx, holds(1), store.Deducted{From: &counted}, &pay.Payout{ID: mine, Status: pay.PayoutQueued, Asset: "ETH"})
			require.NoError(t, err)
			require.Equal(t, want.outcome, turn.Outcome, counted)
			require.Equal(t, want.promised, turn.Promised["ETH"].String(), counted)
			require.Equal(t, want.fees, turn.Fees.String(), counted)
			return errUndo
		})
		require.ErrorIs(t, err, errUndo)
	}
}
