package main

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/testkit"
)

// TestADoubleSpendOnBitcoin: a payin that is credited and not final is reversed when a reorganisation spends its coins elsewhere. Its money
// is gone from the balance, and the ledger equals the chain.
func TestADoubleSpendOnBitcoin(t *testing.T) {
	t.Parallel()
	e := newRealCoins(t, bitcoind.Start(t, "Bitcoin"))
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "Bitcoin", CryptoCurrency: "BTC",
			ProcessBy: client.ByCrypto, CryptoAmount: "0.5", WebhookURL: e.receiver.url})
	})
	becomes := func(status string) {
		testkit.Eventually(t, 2*time.Minute, func() bool { return e.payin(created.InternalReference).Status == status }, "the payin is "+status)
	}
	txid := e.pay(t, created.Wallet, 5e7)
	e.node.Mine(t, 2)
	becomes("completed")
	require.Equal(t, "0.50000000", e.balances().Locked["BTC"])
	instead := e.node.DoubleSpend(t, 2, txid)
	require.NotEqual(t, txid, instead)
	becomes("reversed")
	e.told(created.InternalReference, "payment_confirmed", "payment_reversed")
	e.node.Mine(t, 3)
	require.Equal(t, "0.00000000", e.balances().Locked["BTC"])
	require.Equal(t, "0.00000000", e.balances().Available["BTC"])
	require.NotContains(t, e.command("reconcile"), "networks_not_reached")
}
