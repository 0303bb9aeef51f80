package workers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"causeway/internal/ops/admin"
)

// decidedSince is the answer to a correction after a decision newer than the last look.
const decidedSince = "the last look at Ethereum began before what left the hot wallet was decided on or undone: causeway run reconcile looks again"

// Money gone from the hot wallet is booked by deciding on its spend: until then no correction on its network makes good the same
// difference, nor after that a difference found before.
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
			_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
			return err
		}},
		"wallet book": {"-5", func(w *world) string {
			p := w.payout("Ethereum", "USDT", "5", destination)
			w.round()
			return w.foreign("5", destination, w.firstSigned(p))
		}, func(w *world, txid string) error {
			_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
			return err
		}},
		"wallet assign": {"-40", (*world).takenByOthers, func(w *world, txid string) error {
			_, err := w.ofNobody(txid)
			return err
		}},
		"wallet book of a payout that had ended": {"-7", func(w *world) string {
			p := w.payout("Ethereum", "USDT", "7", elsewhere)
			w.work()
			w.mine("Ethereum", 6)
			return w.paidInstead(p)
		}, func(w *world, txid string) error {
			_, err := w.by("ops").BookSpend(t.Context(), "Ethereum", txid)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "Ethereum")
			w.fund("Ethereum", "USDT", "100")
			txid := c.leaves(w)
			w.mine("Ethereum", 6)
			w.reconcile()
			require.NotEmpty(t, w.reported())
			require.ErrorContains(t, w.corrects(c.amount, ""), "has moved something out of the hot wallet of Ethereum and is not booked")
			_, err := (&admin.Admin{Store: w.store, Actor: "operator"}).CorrectTreasury(t.Context(), admin.NewCorrection{
				Network: "Ethereum", Asset: "ETH", Amount: "-0.0001", Although: "0", Reason: "its fee"})
			require.ErrorContains(t, err, "is not booked: decide on it first")
			require.NoError(t, c.decide(w, txid))
			require.ErrorContains(t, w.corrects(c.amount, ""), decidedSince)
			w.reconcile()
			require.Empty(t, w.reported())
		})
	}
}

// A correction during the resuming of a wallet waits for its end, and finds nothing to correct.
func TestACorrectionWhileAWalletIsResumed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.spends(0)
	w.mine("Ethereum", 6)
	w.reconcile()
	audit := w.held("lock table audit in exclusive mode") // the last table written by each
	resumed, corrected := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
		resumed <- err
	}()
	w.await(1)
	go func() { corrected <- w.corrects("-9", "") }()
	w.await(2)
	require.NoError(t, audit.Commit())
	require.NoError(t, <-resumed)
	require.ErrorContains(t, <-corrected, decidedSince)
	w.reconcile()
	require.Empty(t, w.reported())
}

// A look older than a spend has not found it: once the spend is decided on, nothing is corrected by such a look.
//
// Covers operator §Admin: After wallet resume, wallet book or wallet assign
func TestADecisionOnWhatNoLookHasFound(t *testing.T) {
	t.Parallel()
	w := lacking(t)
	w.reconcile()
	w.spends(0)
	w.mine("Ethereum", 6)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	w.exec("update reconcile_looks set next_at = now() + interval '10 minutes'")
	for _, amount := range []string{"9", "-591", "-600"} {
		require.ErrorContains(t, w.corrects(amount, ""), decidedSince)
		require.ErrorContains(t, w.corrects(amount, "-600"), decidedSince)
		require.ErrorContains(t, w.corrects(amount, "0"), decidedSince)
	}
	w.reconcile()
	require.ErrorContains(t, w.corrects("-591", ""), "a difference of -600 is open (the last look at Ethereum found -600, and 0 was corrected since)")
	require.NoError(t, w.corrects("-600", ""))
	w.reconcile()
	require.Empty(t, w.reported())
}

// A look has found the money taken by somebody. It tells nothing to correct once a reorganisation has undone the spend: when the
// spend is mined again, its decision books it.
//
// Covers operator §Admin: After wallet resume, wallet book or wallet assign
func TestWhatIsUndoneIsNotCorrectedByAnOlderLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	txid := w.spends(0)
	w.mine("Ethereum", 1)
	w.reconcile()
	require.NotEmpty(t, w.reported())
	_, err := w.chain.Reorg(t.Context(), "Ethereum", 1, txid)
	require.NoError(t, err)
	w.work()
	require.ErrorContains(t, w.corrects("-9", ""), decidedSince)
	w.reconcile()
	require.Empty(t, w.reported())
	require.ErrorContains(t, w.corrects("-9", ""), "a difference of 0 is open")
}

// Nor does a look taken while a booked spend was undone, once the spend is mined again.
//
// Covers operator §Admin: After wallet resume, wallet book or wallet assign
func TestWhatIsMinedAgainIsNotCorrectedByAnOlderLook(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.spends(0)
	w.mine("Ethereum", 6)
	_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
	require.NoError(t, err)
	_, err = w.chain.Reorg(t.Context(), "Ethereum", 7) // it is mined again at once
	require.NoError(t, err)
	w.follow(t.Context())
	w.reconcile()
	require.NotEmpty(t, w.reported())
	w.work()
	require.ErrorContains(t, w.corrects("9", ""), decidedSince)
	w.mine("Ethereum", 6)
	w.reconcile()
	require.Empty(t, w.reported())
}

// A look under way while a spend is decided on has not found the spend either.
func TestADecisionWhileALookIsUnderWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "Ethereum")
	w.fund("Ethereum", "USDT", "100")
	w.reconcile()
	w.workers.Reconcile.LookFor = time.Hour // however slow this machine is
	n, _ := w.registry.Network("Ethereum")
	n.Holder = &interrupted{Holder: n.Holder, at: 1, do: func() {
		w.spends(0)
		w.mine("Ethereum", 6)
		_, err := w.by("ops").ResumeWallet(t.Context(), "Ethereum", 0, 0)
		require.NoError(t, err)
	}}
	w.reconcile()
	require.Empty(t, w.reported())
	require.ErrorContains(t, w.corrects("9", ""), decidedSince)
	w.reconcile()
	require.ErrorContains(t, w.corrects("9", ""), "a difference of 0 is open (the last look at Ethereum found 0, and 0 was corrected since)")
	require.Empty(t, w.reported())
}
