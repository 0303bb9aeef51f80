package main

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/internal/dev/rippled"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
)

// TestRippleSignsAgainAfterTheLastLedger: a transaction that no ledger takes is signed again for the same number once its last ledger has
// passed. The recipient is paid once, whatever the node had lost.
func TestRippleSignsAgainAfterTheLastLedger(t *testing.T) {
	t.Parallel()
	e := newFakeRipple(t)
	e.payin("25", "87654321")
	e.node.Hold(true)
	to := addresses.Encode("Ripple", sha256.Sum256([]byte(uuid.NewString())))
	reference := e.asks("7.5", to, "12345678")
	testkit.Eventually(t, time.Minute, func() bool { return e.node.Waiting() > 0 }, "the transaction waits for a ledger")
	first := e.signedFor(reference)
	require.Len(t, first, 1)
	e.closeUntil("another one is signed", func() bool { return len(e.signedFor(reference)) > 1 })
	signed := e.signedFor(reference)
	t.Logf("the last ledger of %s is over, and %v are signed", first[0].Txid, signed)
	for _, s := range signed {
		require.Equal(t, first[0].Nonce, s.Nonce, "the number excludes, so it stays")
	}
	e.node.Hold(false)
	e.closeUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	require.NotEqual(t, first[0].Txid, *e.installation.payout(reference).Txid)
	require.Equal(t, "7.5", e.held(to), "the recipient is paid once")
	e.closeUntil("nothing is open", func() bool { return e.balances().Locked["XRP"] == "0.00000000" })
	require.Contains(t, e.command("reconcile"), `"differences": []`)
}

// TestRippleRefundsWhatFailsInItsLedger: a payment whose recipient wants a tag by the time of its ledger is in it, moves nothing and has
// cost its fee: it is failed and refunded, and the books equal the chain.
func TestRippleRefundsWhatFailsInItsLedger(t *testing.T) {
	t.Parallel()
	e := newFakeRipple(t)
	e.payin("25", "87654321")
	before := e.balances().Available["XRP"]
	shy := rippled.KeyOf("shy")
	_, err := e.node.Fund(shy.Text(), nil, 5_000_000)
	require.NoError(t, err)
	e.node.Close(1)
	e.node.Refuse("telCAN_NOT_QUEUE", 2)
	reference := e.asks("7.5", shy.Text(), "12345678")
	testkit.Eventually(t, time.Minute, func() bool { return len(e.signedFor(reference)) > 0 }, "a transaction is signed")
	_, err = e.node.Set(shy, 9) // from now on it takes nothing of strangers
	require.NoError(t, err)
	e.node.Close(1)
	testkit.Eventually(t, time.Minute, func() bool { return e.node.Waiting() > 0 }, "the transaction waits for a ledger")
	e.closeUntil("the payout is refunded", func() bool { return e.installation.payout(reference).Status == "refunded" })
	e.told(reference, "payment_failed")
	require.Len(t, e.signedFor(reference), 1)
	e.closeUntil("the money is back", func() bool { return e.balances().Available["XRP"] == before })
	require.Equal(t, "4.99999", e.held(shy.Text()))
	books := e.command("reconcile")
	require.Contains(t, books, `"differences": []`, "the fee of the failed one is booked")
	t.Log("the ledger equals itself and the chain: " + books)
}

// TestRippleGivesUpWhatCannotBePaidAnyMore: the recipient closes while the transaction waits for a ledger that never takes it. Its number
// goes to a transaction that moves nothing, and the payout is refunded.
func TestRippleGivesUpWhatCannotBePaidAnyMore(t *testing.T) {
	t.Parallel()
	e := newFakeRipple(t)
	e.payin("25", "87654321")
	before := e.balances().Available["XRP"]
	shy := rippled.KeyOf("closes")
	_, err := e.node.Fund(shy.Text(), nil, 5_000_000)
	require.NoError(t, err)
	e.node.Close(1)
	e.node.Swallow(1)
	reference := e.asks("7.5", shy.Text(), "12345678")
	e.closeUntil("a transaction is signed", func() bool { return len(e.signedFor(reference)) > 0 })
	_, err = e.node.Set(shy, 3) // it wants no XRP from now on
	require.NoError(t, err)
	e.node.Refuse("telCAN_NOT_QUEUE", 3)
	e.node.Close(60)
	e.closeUntil("the payout is refunded", func() bool { return e.installation.payout(reference).Status == "refunded" })
	e.told(reference, "payment_failed")
	e.closeUntil("the money is back", func() bool { return e.balances().Available["XRP"] == before })
	require.Equal(t, "4.99999", e.held(shy.Text()))
	require.Contains(t, e.command("reconcile"), `"differences": []`)
}

// TestRippleSignsFewAhead: no more transactions are signed at a time than a node's queue takes, and all are paid in the end.
func TestRippleSignsFewAhead(t *testing.T) {
	t.Parallel()
	e := newFakeRipple(t)
	e.payin("100", "87654321")
	e.node.Hold(true)
	to := addresses.Encode("Ripple", sha256.Sum256([]byte(uuid.NewString())))
	var references []string
	for range 12 {
		references = append(references, e.asks("2", to, "12345678"))
	}
	testkit.Eventually(t, time.Minute, func() bool { return e.node.Waiting() == 8 }, "eight transactions wait")
	open := 0
	for _, r := range references {
		open += len(e.signedFor(r))
	}
	require.Equal(t, 8, open)
	e.node.Hold(false)
	for _, r := range references {
		e.closeUntil("the payout is completed", func() bool { return e.installation.payout(r).Status == "completed" })
	}
	require.Equal(t, "24", e.held(to))
}

// signedRow is what was signed for a payout.
type signedRow struct {
	Txid  string
	Nonce int64
}

// signedFor returns what was signed for a payout, in its order.
func (e *fakeRipple) signedFor(reference string) (rows []signedRow) {
	db, err := pg.Open(e.file().DatabaseURL, 1)
	require.NoError(e.t, err)
	defer func() { _ = db.Close() }()
	require.NoError(e.t, db.NewRaw("select txid, nonce from signed_transactions where payout_id = ? order by signed_at", reference).Scan(e.t.Context(), &rows))
	return rows
}
