package workers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/admin"
)

// What left the hot wallet is booked by who decides on it: until then no correction on its network makes good the same difference, nor
// after that what a look had found before.
//
// Covers operator §Admin: treasury correct makes
func TestWhatIsDecidedIsNotCorrectedAsWell(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		amount string
		leaves func(w *world) (txid string)
		decide func(w *world, txid string) error
	}{
		"wallet resume": {"-9", func(w *world) string {
			w.spends(0)
			return ""
		}, func(w *world, _ string) error {
			_, err := w.workers.ResumeWallet(t.Context(), "ops", "Tron", 0)
			return err
		}},
		"wallet book": {"-5", func(w *world) string {
			p := w.payout("Tron", "USDT", "5", destination)
			w.round()
			return w.foreign("5", destination, w.firstSigned(p))
		}, func(w *world, txid string) error {
			_, err := w.workers.BookSpend(t.Context(), "ops", "Tron", txid)
			return err
		}},
		"wallet assign": {"-40", (*world).takenByOthers, func(w *world, txid string) error {
			_, err := w.ofNobody(txid)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Tron")
			w.fund("Tron", "USDT", "100")
			txid := c.leaves(w)
			w.mine("Tron", 6)
			w.reconcile()
			require.NotEmpty(t, w.reported())
			require.ErrorContains(t, w.corrects(c.amount, ""), "is not booked: decide on it first")
			_, err := (&admin.Admin{Store: w.store, Actor: "operator"}).CorrectTreasury(t.Context(), admin.NewCorrection{
				Network: "Tron", Asset: "TRX", Amount: "-0.0001", Although: "0", Reason: "its fee"})
			require.ErrorContains(t, err, "is not booked: decide on it first")
			require.NoError(t, c.decide(w, txid))
			require.ErrorContains(t, w.corrects(c.amount, ""), "a difference of 0 is open")
			w.reconcile()
			require.Empty(t, w.reported())
		})
	}
}

// A correction that comes while a wallet is resumed waits for that, and finds nothing to correct.
func TestACorrectionWhileAWalletIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Tron")
	w.fund("Tron", "USDT", "100")
	w.spends(0)
	w.mine("Tron", 6)
	w.reconcile()
	audit := w.held("lock table audit in exclusive mode") // which is the last that each writes
	resumed, corrected := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := w.workers.ResumeWallet(t.Context(), "ops", "Tron", 0)
		resumed <- err
	}()
	w.await(1)
	go func() { corrected <- w.corrects("-9", "") }()
	w.await(2)
	require.NoError(t, audit.Commit())
	require.NoError(t, <-resumed)
	require.ErrorContains(t, <-corrected, "a difference of 0 is open")
	w.reconcile()
	require.Empty(t, w.reported())
}
