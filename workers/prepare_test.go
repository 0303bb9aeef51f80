package workers_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains"
	"causeway/internal/pay"
)

// The address that payins share is prepared by a move that moves nothing, once. The operator records it, and the signer makes it.
//
// Covers operator §Admin: network prepare plans
func TestTheSharedAddressIsPrepared(t *testing.T) {
	t.Parallel()
	w, n, p := sharing(t)
	w.paidWithMemo(p.Wallet, "12345678", "10")
	_, err := w.by("ops").PrepareNetwork(t.Context(), "Ripple")
	require.ErrorContains(t, err, "nothing has to be prepared on Ripple")
	lacks, failure := "no flag", error(nil)
	n.Unprepared = func(context.Context) (string, error) { return lacks, failure }
	failure = &chains.Short{Token: "XRP", Missing: dec("1")}
	_, err = w.by("ops").PrepareNetwork(t.Context(), "Ripple")
	require.ErrorContains(t, err, "1 XRP are missing")
	failure = nil
	prepared, err := w.by("ops").PrepareNetwork(t.Context(), "Ripple")
	require.NoError(t, err)
	require.Equal(t, "no flag", prepared.Lacks)
	require.Len(t, prepared.Moves, 1)
	_, err = w.by("ops").PrepareNetwork(t.Context(), "Ripple")
	require.ErrorContains(t, err, "is under way")
	for range 6 {
		w.mine("Ripple", 1)
		w.reconciles()
	}
	m := w.moves("Ripple")[0]
	require.Equal(t, pay.MoveDone, m.Status, m.Reason)
	w.equal("0.0001", *m.Cost)
	w.equal("0", *m.Moved)
	w.equal("9.9999", w.holds("Ripple", "XRP", p.Wallet))
	lacks = ""
	prepared, err = w.by("ops").PrepareNetwork(t.Context(), "Ripple")
	require.NoError(t, err)
	require.Empty(t, prepared.Moves)
}

// A row prepares the shared address alone, and nothing where a network has nothing to prepare.
func TestAForgedPreparationIsCancelled(t *testing.T) {
	t.Parallel()
	w, n, _ := sharing(t)
	for _, unprepared := range []func(context.Context) (string, error){nil, func(context.Context) (string, error) { return "a flag", nil }} {
		n.Unprepared = unprepared
		index := uint32(0)
		if unprepared != nil {
			index = 5
		}
		own, err := n.Addresser.Derive(t.Context(), index)
		require.NoError(t, err)
		require.NoError(t, w.workers.Treasury.Begin(t.Context(), &pay.TreasuryMove{Network: "Ripple", Kind: pay.MovePrepare, Token: "XRP",
			FromAddress: n.Addresser.Match(own), ToAddress: n.Addresser.Match(own), Index: &index, By: "mallory"}))
		w.work()
	}
	for _, m := range w.moves("Ripple") {
		require.Equal(t, pay.MoveCancelled, m.Status)
	}
	require.Len(t, w.moves("Ripple"), 2)
}
