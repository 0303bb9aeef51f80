package main

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/client"
	"causeway/internal/dev/testkit"
	"causeway/internal/dev/tronnode"
	"causeway/internal/pg"
)

// TestTronSignsAgainAfterTheTimeIsOver: a transaction that no block takes is sent on, until followed blocks prove that its time is over.
// Another one is signed then, and the recipient is paid once.
func TestTronSignsAgainAfterTheTimeIsOver(t *testing.T) {
	t.Parallel()
	e := newFakeTron(t)
	e.payin("USDT", "25", func(to string) (string, error) { return e.node.Pay(tronnode.USDT, to, 25_000_000) })
	e.node.Hold(true)
	to := addresses.Encode("Tron", sha256.Sum256([]byte(uuid.NewString())))
	reference := e.asks("USDT", "7.5", to)
	e.mineUntil("the transaction waits for a block", func() bool { return e.node.Waiting() > 0 })
	first := e.signedFor(reference)
	require.Len(t, first, 1)
	e.mineUntil("another one is signed", func() bool { return len(e.signedFor(reference)) > 1 })
	t.Logf("the time of %s is over, and %v are signed", first[0], e.signedFor(reference))
	e.node.Hold(false)
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	require.NotEqual(t, first[0], *e.installation.payout(reference).Txid)
	require.Equal(t, "7.5", e.held(to), "the recipient is paid once")
	e.mineUntil("nothing is open", func() bool { return e.balances().Locked["USDT"] == "0.00000000" })
	require.Contains(t, e.command("reconcile"), `"differences": []`)
}

// TestTronRefundsWhatFailsInItsBlock: a payment that the token refuses in its block, and not before, is failed and refunded. Its fee is the
// operator's, and the books equal the chain.
func TestTronRefundsWhatFailsInItsBlock(t *testing.T) {
	t.Parallel()
	e := newFakeTron(t)
	e.payin("USDT", "25", func(to string) (string, error) { return e.node.Pay(tronnode.USDT, to, 25_000_000) })
	before := e.balances().Available["USDT"]
	require.NoError(t, e.node.Refuse("SERVER_BUSY", 2))
	to := addresses.Encode("Tron", sha256.Sum256([]byte(uuid.NewString())))
	reference := e.asks("USDT", "7.5", to)
	testkit.Eventually(t, time.Minute, func() bool { return len(e.signedFor(reference)) > 0 }, "a transaction is signed")
	_, err := e.node.Call(tronnode.Rich, tronnode.USDT, "pause")
	require.NoError(t, err)
	e.node.Mine(1) // the transaction is refused meanwhile, and sent again soon
	testkit.Eventually(t, time.Minute, func() bool { return e.node.Waiting() > 0 }, "the transaction waits for a block")
	e.mineUntil("the payout is refunded", func() bool { return e.installation.payout(reference).Status == "refunded" })
	e.told(reference, "payment_failed")
	require.Len(t, e.signedFor(reference), 1)
	e.mineUntil("the money is back", func() bool { return e.balances().Available["USDT"] == before })
	require.Equal(t, "0", e.held(to))
	books := e.command("reconcile")
	require.Contains(t, books, `"differences": []`, "the fee of the failed one is booked")
	t.Log("the ledger equals itself and the chain: " + books)
}

// asks asks for a payout.
func (e *fakeTron) asks(token, amount, to string) (reference string) {
	wanted := client.Payout{ReferenceID: uuid.NewString(), Network: "Tron", CryptoCurrency: token, ProcessBy: client.ByCrypto,
		CryptoAmount: amount, Wallet: to, WebhookURL: e.receiver.url}
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", wanted)
	}).InternalReference
}

// signedFor returns the ids of what was signed for a payout, in their order.
func (e *fakeTron) signedFor(reference string) (txids []string) {
	db, err := pg.Open(e.file().DatabaseURL, 1)
	require.NoError(e.t, err)
	defer func() { _ = db.Close() }()
	require.NoError(e.t, db.NewRaw("select txid from signed_transactions where payout_id = ? order by signed_at", reference).Scan(e.t.Context(), &txids))
	return txids
}

// held is what an address holds of USDT.
func (e *fakeTron) held(address string) string {
	head, err := e.reads.Head(e.t.Context(), -1)
	require.NoError(e.t, err)
	held, err := e.reads.Holdings(e.t.Context(), "USDT", []string{address}, head.Height)
	require.NoError(e.t, err)
	return held[0].String()
}
