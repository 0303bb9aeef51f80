package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/monerod"
	"causeway/internal/dev/testkit"
)

// realMonero is an installation with a real node of Monero and real wallet servers, and a hot wallet with coins.
type realMonero struct {
	*installation
	node     *monerod.Node
	stranger *monerod.Wallet
}

// TestMainJobOnMonero is the main job on a real monerod with real wallet servers: a payin that is seen, credited and final; three payouts in
// one transaction; webhooks; and books equal to the followers' wallet. `make demo-monero` runs it and shows its steps.
func TestMainJobOnMonero(t *testing.T) {
	t.Parallel()
	e := newRealMonero(t)
	e.payin("5")
	references := e.asks(3)
	txids := map[string]bool{}
	for _, p := range references {
		e.mineUntil("the payout is completed", func() bool { return e.payout(p).Status == "completed" })
		e.told(p, "payment_processed")
		txids[*e.payout(p).Txid] = true
	}
	require.Len(t, txids, 1, "three payouts that are due together share a transaction")
	for txid := range txids {
		t.Logf("three payouts are completed by transaction %s; their webhooks arrived", txid)
	}
	e.mineUntil("nothing is open", func() bool { return e.balances().Locked["XMR"] == "0.00000000" })
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	t.Log("the ledger equals itself and what the followers' wallet has: " + books)
}

func newRealMonero(t *testing.T) *realMonero {
	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	view := seed.XPubs["monero"]
	hot, _, _ := strings.Cut(view, ":")
	e := &realMonero{}
	e.node, e.stranger = monerod.Funded(t, hot)
	t.Logf("a monerod runs, and the hot wallet %s holds %d coins of %d XMR", hot, monerod.Coins, monerod.CoinSize)
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  Monero:
    rpc: %s
    wallet: %s
    spender: %s
    chain: regtest
    view: "%s"
    rule: {credit: 2, final: 3}
    batch_every: 2s
    max_fee: 1
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, e.node.URL, e.node.Server(t).URL, e.node.Server(t).URL, view), 0o600))
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// payin is a payin of an amount, until its money is final.
func (e *realMonero) payin(amount string) {
	t := e.t
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "Monero", CryptoCurrency: "XMR",
			ProcessBy: client.ByCrypto, CryptoAmount: amount, WebhookURL: e.receiver.url})
	})
	t.Logf("payin of %s XMR to %s", amount, created.Wallet)
	units := decimal.RequireFromString(amount).Shift(12).BigInt().Uint64()
	e.stranger.Pay(t, monerod.Payment{Address: created.Wallet, Amount: units})
	e.told(created.InternalReference, "payment_detected")
	t.Log("the payment is seen in the mempool")
	e.mineUntil("the payin is completed", func() bool { return e.installation.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_confirmed")
	e.mineUntil("the money is available", func() bool { return e.balances().Locked["XMR"] == "0.00000000" })
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s XMR", e.balances().Available["XMR"])
}

// asks asks for payouts together, and returns their references.
func (e *realMonero) asks(count int) (references []string) {
	wanted := make([]client.Payout, count)
	for i := range wanted {
		wanted[i] = client.Payout{ReferenceID: uuid.NewString(), Network: "Monero", CryptoCurrency: "XMR", ProcessBy: client.ByCrypto,
			CryptoAmount: decimal.New(int64(11+i), -2).String(), Wallet: addresses.Encode("Monero", [32]byte{byte(i), 7}), WebhookURL: e.receiver.url}
	}
	results := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResults, error) {
		return c.CreatePayouts(ctx, "", wanted)
	})
	for _, p := range results.Results {
		references = append(references, p.InternalReference)
	}
	require.Len(e.t, references, count)
	return references
}

// mineUntil gives the node a block for each look, as a real chain goes on by itself.
func (e *realMonero) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 4*time.Minute, func() bool {
		e.node.Mine(e.t, 1)
		return cond()
	}, what)
}
