package main

import (
	"context"
	"crypto/sha256"
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
	"causeway/chains/ton"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/testkit"
	"causeway/internal/dev/tonnode"
)

// shimTON is an installation with the real virtual machine of TON behind a shim, and a hot wallet with TON and USDT.
type shimTON struct {
	*installation
	node   *tonnode.Node
	master string // of USDT
}

// TestMainJobOnTON is the main job on the real virtual machine of TON behind a shim, where each message takes a block for its way: payins by
// comments, payouts of TON and USDT, one that its recipient sends back, webhooks, and sweeps of the shared wallet. The books are the network's after each of them.
// `make demo-ton` runs it and shows its steps.
//
// Covers operator §Settings: A payout is complete when its recipient
// Covers operator §Settings: Payins share one wallet
// Covers operator §Settings: Coins of a token's notice
func TestMainJobOnTON(t *testing.T) {
	t.Parallel()
	e := newShimTON(t)
	e.payin("TON", "12.5")
	e.payin("USDT", "25")
	to := addresses.Encode("TON", sha256.Sum256([]byte(uuid.NewString())))
	for _, wanted := range []struct{ token, amount, why string }{
		{"TON", "3", "nothing was at the recipient: it cannot bounce"}, {"USDT", "7.5", "the recipient is new to the jetton"},
		{"USDT", "2.25", "the recipient has a jetton wallet now"},
	} {
		e.ends(wanted.token, wanted.amount, to, "completed")
		e.t.Log(wanted.why)
	}
	refusing, err := e.node.Jetton("a contract that takes no coins")
	require.NoError(t, err)
	require.NoError(t, e.node.Mine(2))
	contract, err := addresses.Validate("TON", refusing)
	require.NoError(t, err)
	e.ends("TON", "1", contract, "refunded")
	e.mineUntil("nothing is open", func() bool {
		for _, amount := range e.balances().Locked {
			if locked, err := decimal.NewFromString(amount); err != nil || !locked.IsZero() {
				return false
			}
		}
		return true
	})
	e.sweeps()
	e.t.Log("the ledger equals itself and the chain: " + e.reconciled())
}

func newShimTON(t *testing.T) *shimTON {
	e := &shimTON{node: tonnode.Start(t, tonnode.Options{})}
	t.Logf("a shim around the real virtual machine of TON runs at %s: it has no peers, and executes each transaction", e.node.URL)
	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	var err error
	e.master, err = e.node.Jetton("USDT")
	require.NoError(t, err)
	var info struct {
		Init struct {
			Root string `json:"root_hash"`
		}
	}
	require.NoError(t, e.node.Order(&info, "getMasterchainInfo", nil))
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  TON:
    rpc: %s
    genesis: "%s"
    public_key: "%s"
    tokens: {USDT: {contract: "%s", decimals: 6}}
    stale_after: 0s
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, e.node.URL, info.Init.Root, seed.XPubs["ton"], e.master), 0o600))
	e.fill(t, seed.XPubs["ton"], info.Init.Root)
	require.NoError(t, e.node.Slow(true))
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// fill gives the hot wallet of a key 200 TON and 1,000 USDT.
func (e *shimTON) fill(t *testing.T, key, genesis string) {
	config := ton.Defaults()
	config.RPC, config.Genesis, config.PublicKey = []string{e.node.URL}, genesis, key
	connector, err := ton.Open(t.Context(), config, nil)
	require.NoError(t, err)
	defer connector.Close()
	_, err = e.node.Send(tonnode.Message{To: connector.Hot(), Units: 200_000_000_000})
	require.NoError(t, err)
	_, err = e.node.Pay(tonnode.JettonPayment{Master: e.master, Owner: connector.Hot(), Units: 1_000_000_000})
	require.NoError(t, err)
	require.NoError(t, e.node.Mine(1))
	t.Logf("the hot wallet %s holds 200 TON and 1,000 USDT", connector.Hot())
}

// payin takes a payin with a memo, up to where its money is available.
func (e *shimTON) payin(token, amount string) {
	t := e.t
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "TON", CryptoCurrency: token,
			ProcessBy: client.ByCrypto, CryptoAmount: amount, Memo: memoOf(token), WebhookURL: e.receiver.url})
	})
	t.Logf("payin of %s %s to %s with the comment %s", amount, token, created.Wallet, memoOf(token))
	before := e.balances().Available[token]
	units := decimal.RequireFromString(amount)
	var err error
	if token == "TON" {
		_, err = e.node.Send(tonnode.Message{To: created.Wallet, Units: units.Shift(9).IntPart(), Comment: memoOf(token)})
	} else {
		_, err = e.node.Pay(tonnode.JettonPayment{Master: e.master, Owner: created.Wallet, Units: units.Shift(6).IntPart(), Comment: memoOf(token)})
	}
	require.NoError(t, err)
	e.mineUntil("the payin is completed", func() bool { return e.installation.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_detected", "payment_confirmed")
	e.mineUntil("the money is available", func() bool { return e.balances().Available[token] != before })
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s %s", e.balances().Available[token], token)
	e.reconciled()
}

func memoOf(token string) string {
	return map[string]string{"TON": "12345678", "USDT": "87654321"}[token]
}

// ends pays out, up to where the payout has ended so.
func (e *shimTON) ends(token, amount, to, status string) {
	t := e.t
	wanted := client.Payout{ReferenceID: uuid.NewString(), Network: "TON", CryptoCurrency: token, ProcessBy: client.ByCrypto, CryptoAmount: amount, Wallet: to,
		Memo: "11223344", WebhookURL: e.receiver.url}
	reference := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", wanted)
	}).InternalReference
	t.Logf("payout of %s %s to %s", amount, token, to)
	e.mineUntil("the payout is "+status, func() bool { return e.installation.payout(reference).Status == status })
	if status == "completed" {
		e.told(reference, "payment_processed")
		t.Logf("the payout is completed by transaction %s; its webhook arrived", *e.installation.payout(reference).Txid)
	} else {
		e.told(reference, "payment_failed")
		t.Log("the payout came back and is refunded; its webhook arrived")
	}
	e.reconciled()
}

// reconciled compares the books with the network, and fails if they differ.
func (e *shimTON) reconciled() string {
	e.t.Helper()
	report := e.command("reconcile")
	require.NotContains(e.t, report, "networks_not_reached")
	require.NotContains(e.t, report, `"surplus"`)
	return report
}

// mineUntil gives the node a block for each look, as a real chain goes on by itself.
func (e *shimTON) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 2*time.Minute, func() bool {
		require.NoError(e.t, e.node.Mine(1))
		return cond()
	}, what)
}
