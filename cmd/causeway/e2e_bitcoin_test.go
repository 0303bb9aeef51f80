package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/chains/utxo"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// realCoins is an installation with a real node of a network of Bitcoin's kind, and a hot wallet with coins.
type realCoins struct {
	*installation
	node    *bitcoind.Node
	network *pay.Network
}

// TestMainJobOnBitcoin is the main job on a real Bitcoin node: a payin that is seen before its block, credited and final; then three
// payouts in one transaction; and webhooks. `make demo-bitcoin` runs it and shows its steps.
func TestMainJobOnBitcoin(t *testing.T) {
	t.Parallel()
	newRealCoins(t, "Bitcoin").mainJob()
}

// TestMainJobOnLitecoin is the same on a real node of Litecoin.
func TestMainJobOnLitecoin(t *testing.T) {
	t.Parallel()
	newRealCoins(t, "Litecoin").mainJob()
}

func newRealCoins(t *testing.T, network string) *realCoins {
	n, _ := pay.NetworkNamed(network)
	e := &realCoins{node: bitcoind.Start(t, network), network: n}
	t.Logf("a real node of %s runs: %s", network, e.node.Version(t))
	if network == "Litecoin" { // its regtest goes on from here without help
		e.node.Extend(t)
	}
	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  %s:
    rpc: %s
    chain: regtest
    xpub: %s
    rule: {credit: 2, final: 3}
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, network, e.node.URL, seed.XPubs[n.Family]), 0o600))
	config := utxo.Defaults(network)
	config.RPC, config.Chain, config.XPub = e.node.URL, "regtest", seed.XPubs[n.Family]
	connector, err := utxo.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	for range 3 {
		e.pay(t, connector.Hot(), 10*1e8)
	}
	e.node.Mine(t, 3)
	t.Logf("the hot wallet %s holds 30 %s in three coins", connector.Hot(), n.Coin)
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// pay sends units of a stranger's money to an address.
func (e *realCoins) pay(t *testing.T, to string, units int64) string {
	t.Helper()
	script, err := addresses.Script(e.network.Name, to)
	require.NoError(t, err)
	return e.node.Send(t, bitcoind.Output{Script: script, Value: units})
}

func (e *realCoins) mainJob() {
	t, coin := e.t, e.network.Coin
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: e.network.Name, CryptoCurrency: coin,
			ProcessBy: client.ByCrypto, CryptoAmount: "0.5", WebhookURL: e.receiver.url})
	})
	t.Logf("payin of 0.5 %s to %s", coin, created.Wallet)
	e.pay(t, created.Wallet, 5e7)
	e.told(created.InternalReference, "payment_detected")
	t.Log("the payment is seen, and is in no block yet")
	e.mineUntil("the payin is completed", func() bool { return e.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_confirmed")
	e.mineUntil("the money is available", func() bool { return e.balances().Locked[coin] == "0.00000000" })
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s %s", e.balances().Available[coin], coin)

	wanted := make([]client.Payout, 3)
	for i := range wanted {
		to := addresses.Encode(e.network.Name, [32]byte{byte(i), 7})
		wanted[i] = client.Payout{ReferenceID: uuid.NewString(), Network: e.network.Name, CryptoCurrency: coin, ProcessBy: client.ByCrypto,
			CryptoAmount: fmt.Sprintf("0.1%d", i+1), Wallet: to, WebhookURL: e.receiver.url}
	}
	results := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResults, error) {
		return c.CreatePayouts(ctx, "", wanted)
	})
	txids := map[string]bool{}
	for _, p := range results.Results {
		e.mineUntil("the payout is completed", func() bool { return e.payout(p.InternalReference).Status == "completed" })
		e.told(p.InternalReference, "payment_processed")
		txids[*e.payout(p.InternalReference).Txid] = true
	}
	require.Len(t, txids, 1, "three payouts that are due together share a transaction")
	for txid := range txids {
		t.Logf("three payouts are completed by transaction %s; their webhooks arrived", txid)
	}
	e.mineUntil("nothing is open", func() bool { return e.balances().Locked[coin] == "0.00000000" })
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	t.Log("the ledger equals itself and the chain: " + books)
}

// mineUntil gives the node a block for each look, as a real chain goes on by itself.
func (e *realCoins) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 2*time.Minute, func() bool {
		e.node.Mine(e.t, 1)
		return cond()
	}, what)
}
