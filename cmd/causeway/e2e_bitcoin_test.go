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
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/chains/nodes"
	open "causeway/chains/seed"
	"causeway/chains/utxo"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/bitcoind"
	"causeway/internal/dev/coinfake"
	"causeway/internal/dev/testkit"
	"causeway/internal/pay"
)

// realCoins is an installation with a real node of a network of Bitcoin's kind, and a hot wallet with coins.
type realCoins struct {
	*installation
	node    *bitcoind.Node
	network *pay.Network
	times   int64 // how many times a bitcoin's amounts are moved
	seed    []byte
	hot     string

	connector *utxo.Connector
}

// TestMainJobOnBitcoin is the main job on a real Bitcoin node: a payin that is seen before its block, credited and final; then three
// payouts in one transaction, which spends the payin's coin; and webhooks. `make demo-bitcoin` runs it and shows its steps.
func TestMainJobOnBitcoin(t *testing.T) {
	t.Parallel()
	newRealCoins(t, bitcoind.Start(t, "Bitcoin")).mainJob()
}

// TestMainJobOnLitecoin is the same on a real node of Litecoin.
func TestMainJobOnLitecoin(t *testing.T) {
	t.Parallel()
	node := bitcoind.Start(t, "Litecoin")
	node.Extend(t) // its regtest goes on from here without help
	newRealCoins(t, node).mainJob()
}

// TestMainJobOnOtherCoins is the same where no package has a node: on fakes, and on each real node in the folder NODES.
func TestMainJobOnOtherCoins(t *testing.T) {
	t.Parallel()
	for _, kind := range bitcoind.Kinds {
		if kind.Packaged() {
			continue
		}
		t.Run(kind.Network, func(t *testing.T) {
			newRealCoins(t, bitcoind.At(t, kind.Network, coinfake.Start(t, kind.Network).URL)).mainJob()
		})
		if path, _ := kind.Where(t); path != "" {
			t.Run("real "+kind.Network, func(t *testing.T) { newRealCoins(t, bitcoind.Start(t, kind.Network)).mainJob() })
		}
	}
}

func newRealCoins(t *testing.T, node *bitcoind.Node) *realCoins {
	return newRealCoinsAt(t, node, node.URL, 1e7)
}

// newRealCoinsAt is newRealCoins with another way to the node, and with three coins of so many units each.
func newRealCoinsAt(t *testing.T, node *bitcoind.Node, url string, units int64) *realCoins {
	network := node.Network
	n, _ := pay.NetworkNamed(network)
	e := &realCoins{node: node, network: n, times: 1}
	if network == "Dogecoin" {
		e.times = 1000
	}
	t.Logf("a node of %s runs: %s", network, e.node.Version(t))
	var start int64
	if network == "Dogecoin" || network == "BitcoinCash" || network == "BitcoinSV" {
		start = 1 // their nodes cannot search for coins, or not say of which block the answer is
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
    accept_risk: true
    start: %d
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, network, url, seed.XPubs[n.Family], start), 0o600))
	config := utxo.Defaults(network)
	config.Start = start
	config.RPC, config.Chain, config.XPub, config.AcceptRisk = nodes.Addresses{e.node.URL}, "regtest", seed.XPubs[n.Family], true
	connector, err := utxo.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	e.seed, err = open.Open(seedFile, "correct horse battery staple")
	require.NoError(t, err)
	e.hot = connector.Hot()
	e.connector = connector
	for range 3 {
		e.pay(t, connector.Hot(), e.times*units)
	}
	e.node.Mine(t, 3)
	t.Logf("the hot wallet %s holds %s %s in three coins", connector.Hot(), decimal.New(3*e.times*units, -8), n.Coin)
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
	t, coin, amount := e.t, e.network.Coin, decimal.New(5*e.times, -1).String()
	wallet := e.credited(amount, 5e7*e.times)
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s %s", e.balances().Available[coin], coin)

	results := e.asks(1, 3)
	txids := map[string]bool{}
	for _, p := range results {
		e.mineUntil("the payout is completed", func() bool { return e.payout(p).Status == "completed" })
		e.told(p, "payment_processed")
		txids[*e.payout(p).Txid] = true
	}
	require.Len(t, txids, 1, "three payouts that are due together share a transaction")
	for txid := range txids {
		t.Logf("three payouts are completed by transaction %s; their webhooks arrived", txid)
	}
	held, err := e.connector.Holdings(t.Context(), coin, []string{wallet}, e.node.Height(t))
	require.NoError(t, err)
	require.True(t, held[0].IsZero(), "%s is left at the payin's address", held[0])
	t.Logf("they were paid from the coin of the payin as well: nothing is left at %s", wallet)
	e.mineUntil("nothing is open", func() bool { return e.balances().Locked[coin] == "0.00000000" })
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	t.Log("the ledger equals itself and the chain: " + books)
}

// credited is a payin of an amount, until its money is final. It returns its address.
func (e *realCoins) credited(amount string, units int64) (wallet string) {
	t, coin := e.t, e.network.Coin
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: e.network.Name, CryptoCurrency: coin,
			ProcessBy: client.ByCrypto, CryptoAmount: amount, WebhookURL: e.receiver.url})
	})
	t.Logf("payin of %s %s to %s", amount, coin, created.Wallet)
	e.pay(t, created.Wallet, units)
	e.told(created.InternalReference, "payment_detected")
	t.Log("the payment is seen, and is in no block yet")
	e.mineUntil("the payin is completed", func() bool { return e.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_confirmed")
	e.mineUntil("the money is available", func() bool { return e.balances().Locked[coin] == "0.00000000" })
	return created.Wallet
}

// asks asks for payouts together, the first to the address of a number, and returns their references.
func (e *realCoins) asks(first byte, count int) (references []string) {
	wanted := make([]client.Payout, count)
	for i := range wanted {
		to := addresses.Encode(e.network.Name, [32]byte{first + byte(i), 7})
		wanted[i] = client.Payout{ReferenceID: uuid.NewString(), Network: e.network.Name, CryptoCurrency: e.network.Coin, ProcessBy: client.ByCrypto,
			CryptoAmount: decimal.New(int64(11+i)*e.times, -2).String(), Wallet: to, WebhookURL: e.receiver.url}
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
func (e *realCoins) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 2*time.Minute, func() bool {
		e.node.Mine(e.t, 1)
		return cond()
	}, what)
}
