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
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/chains/tron"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/testkit"
	"causeway/internal/dev/tronnode"
	"causeway/internal/ops/onchain"
)

// fakeTron is an installation with a fake node of Tron, and a hot wallet with TRX and USDT.
type fakeTron struct {
	*installation
	node  *tronnode.Node
	reads *tron.Connector
}

// TestMainJobOnTron is the main job on a fake node of Tron, which runs the code of a USDT and checks what a real node would: a payin of
// USDT that is seen, credited and final; payouts of USDT and of TRX; webhooks; and sweeps of what came to deposit addresses. `make demo-tron` runs it and shows its steps.
//
// Covers operator §Admin: On Tron wallet list
func TestMainJobOnTron(t *testing.T) {
	t.Parallel()
	e := newFakeTron(t)
	e.payin("USDT", "25", func(to string) (string, error) { return e.node.Pay(tronnode.USDT, to, 25_000_000) })
	e.payin("TRX", "120.5", func(to string) (string, error) { return e.node.Fund(to, 120_500_000) })
	to := addresses.Encode("Tron", sha256.Sum256([]byte(uuid.NewString())))
	for _, wanted := range []struct{ token, amount, why string }{
		{"USDT", "7.5", "the recipient is new to the token"}, {"USDT", "2.25", "the recipient has the token now"},
		{"TRX", "30", "the recipient is new to the chain"}, {"TRX", "5", "bandwidth of the day is free, and nothing is burnt"},
	} {
		e.payout(wanted.token, wanted.amount, to, wanted.why)
	}
	e.mineUntil("nothing is open", func() bool {
		locked := e.balances().Locked
		return locked["USDT"] == "0.00000000" && locked["TRX"] == "0.00000000"
	})
	e.showEnergy()
	e.sweeps()
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	require.Contains(t, books, `"differences": []`)
	t.Log("the ledger equals itself and the chain: " + books)
}

// showEnergy shows what a payout of each token costs.
func (e *fakeTron) showEnergy() {
	var wallets []onchain.HotWallet
	require.NoError(e.t, json.Unmarshal([]byte(e.command("admin", "wallet", "list")), &wallets))
	for _, w := range wallets {
		if w.Network != "Tron" {
			require.Nil(e.t, w.Resources)
			continue
		}
		require.Equal(e.t, "energy", w.Resources.Name)
		require.NotEmpty(e.t, w.Resources.Payments)
		for _, p := range w.Resources.Payments {
			e.t.Logf("a payout of %s takes %d energy, or %s TRX; with the energy of the hot wallet (%d of %d left), %s TRX", p.Token, p.Takes,
				p.Costs, w.Resources.Left, w.Resources.Limit, p.CostsNow)
		}
	}
}

func newFakeTron(t *testing.T) *fakeTron {
	return newFakeTronWith(t, tronnode.Options{}, "stale_after: 24h")
}

// newFakeTronWith is newFakeTron with options of the node, and a line of NETWORKS_FILE.
func newFakeTronWith(t *testing.T, o tronnode.Options, line string) *fakeTron {
	e := &fakeTron{node: tronnode.Start(t, o)}
	t.Logf("a fake node of Tron runs at %s: it has no peers, checks transactions as a real one does, and runs the code of its tokens", e.node.URL)
	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  Tron:
    rpc: %s
    genesis: "%s"
    xpub: %s
    %s
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, e.node.URL, e.node.GenesisID(), seed.XPubs["tron"], line), 0o600))
	config := tron.Defaults()
	config.Tokens = map[string]tron.Token{"USDT": {Contract: tronnode.USDT, Decimals: 6}}
	config.RPC, config.Genesis, config.XPub = tron.At(e.node.URL), e.node.GenesisID(), seed.XPubs["tron"]
	connector, err := tron.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	e.reads = connector
	_, err = e.node.Fund(connector.Hot(), 2_000_000_000)
	require.NoError(t, err)
	_, err = e.node.Pay(tronnode.USDT, connector.Hot(), 1_000_000_000)
	require.NoError(t, err)
	e.node.Solidify()
	e.node.Mine(1)
	t.Logf("the hot wallet %s holds 2,000 TRX and 1,000 USDT", connector.Hot())
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// payin takes a payin, up to where its money is available.
func (e *fakeTron) payin(token, amount string, pay func(to string) (string, error)) {
	t := e.t
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "trc20", CryptoCurrency: token,
			ProcessBy: client.ByCrypto, CryptoAmount: amount, WebhookURL: e.receiver.url})
	})
	t.Logf("payin of %s %s to %s", amount, token, created.Wallet)
	before := e.balances().Available[token]
	_, err := pay(created.Wallet)
	require.NoError(t, err)
	e.node.Mine(1)
	e.told(created.InternalReference, "payment_detected")
	t.Log("the payment is seen in the newest block")
	e.mineUntil("the payin is completed", func() bool { return e.installation.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_confirmed")
	e.mineUntil("the money is available", func() bool { return e.balances().Available[token] != before })
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s %s", e.balances().Available[token], token)
}

// payout pays out, up to where the payout is completed.
func (e *fakeTron) payout(token, amount, to, why string) {
	t := e.t
	reference := e.asks(token, amount, to)
	t.Logf("payout of %s %s to %s", amount, token, to)
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	t.Logf("the payout is completed by transaction %s (%s); its webhook arrived", *e.installation.payout(reference).Txid, why)
}

// mineUntil gives the node a block for each look, as a real chain goes on by itself.
func (e *fakeTron) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 2*time.Minute, func() bool {
		e.node.Mine(1)
		return cond()
	}, what)
}
