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

	"causeway/chains/cardano"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/ogmios"
	"causeway/internal/dev/testkit"
	"causeway/internal/pg"
)

// fakeCardano is an installation with a shim around an emulator of Cardano's ledger, and a hot wallet with ADA.
type fakeCardano struct {
	*installation
	node  *ogmios.Node
	reads *cardano.Connector
}

// TestMainJobOnCardano is the main job on an emulator of the ledger: a payin that is seen, credited and final; three payouts, paid from the
// payin's coins as well, one of which a stranger has sent to our key with a part for stake of its own; a coin with a stranger's token that is left; a payout that outlasts its time and is signed again for the same coin; one while the node is away, and
// takes it without an answer; webhooks; and reorganisations, of which one drops a payout.
// `make demo-cardano` runs it and shows its steps.
func TestMainJobOnCardano(t *testing.T) {
	t.Parallel()
	e := newFakeCardano(t)
	e.payin("1120.5")
	e.dust()
	to, err := e.node.Stranger("payee")
	require.NoError(t, err)
	for _, amount := range []string{"7.5", "1000.25", "5"} {
		e.payout(amount, to)
	}
	require.Equal(t, "1012.75", e.held(to))
	e.expires(to)
	e.away(to)
	e.undone(to)
	e.mineUntil("nothing is open", func() bool { return e.balances().Locked["ADA"] == "0.00000000" })
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	require.Contains(t, books, `"differences": []`)
	t.Log("the ledger equals itself and the chain: " + books)
}

func newFakeCardano(t *testing.T) *fakeCardano {
	e := &fakeCardano{node: ogmios.Start(t, ogmios.Options{})}
	t.Logf("a shim around an emulator of Cardano's ledger runs at %s: it checks transactions as a node does", e.node.URL)
	dir, rpc := t.TempDir(), "http"+strings.TrimPrefix(e.node.URL, "ws")
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  Cardano:
    rpc: %s
    network_magic: 42
    xpub: %s
    rule: {credit: 2, final: 3}
    stale_after: 24h
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, rpc, seed.XPubs["cardano"]), 0o600))
	config := cardano.Defaults()
	config.RPC, config.Magic, config.XPub = []string{rpc}, 42, seed.XPubs["cardano"]
	connector, err := cardano.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	e.reads = connector
	e.sends(connector.Hot(), "1000")
	require.NoError(t, e.node.Mine(1))
	t.Logf("the hot wallet %s holds 1,000 ADA", connector.Hot())
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// sends has a stranger pay.
func (e *fakeCardano) sends(to, amount string) (txid string) {
	txid, err := e.node.Pay(ogmios.Payment{To: to, Lovelace: decimal.RequireFromString(amount).Shift(6).IntPart()})
	if err != nil {
		panic(err)
	}
	return txid
}

// payin takes a payin, up to where its money is available. Its block is undone in between, and mined again.
func (e *fakeCardano) payin(amount string) {
	t := e.t
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "Cardano", CryptoCurrency: "ADA",
			ProcessBy: client.ByCrypto, CryptoAmount: amount, WebhookURL: e.receiver.url})
	})
	t.Logf("payin of %s ADA to %s", amount, created.Wallet)
	before := e.balances().Available["ADA"]
	beside, err := e.node.Beside(created.Wallet, "eve")
	require.NoError(t, err)
	e.sends(beside, "1000.5")
	e.sends(created.Wallet, decimal.RequireFromString(amount).Sub(decimal.RequireFromString("1000.5")).String())
	e.mineUntil("the payin is completed", func() bool { return e.installation.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_detected")
	e.told(created.InternalReference, "payment_confirmed")
	require.NoError(t, e.node.Reorg(1))
	e.mineUntil("the money is available", func() bool { return e.balances().Available["ADA"] != before })
	t.Logf("1,000.5 ADA of it came to %s, which is the payin's key with a stranger's part for stake", beside)
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s ADA", e.balances().Available["ADA"])
}

// dust has a stranger send a token to the hot wallet: its coin is told apart, and stays where it is.
func (e *fakeCardano) dust() {
	t := e.t
	_, err := e.node.Pay(ogmios.Payment{To: e.reads.Hot(), Lovelace: 3_000_000, Assets: map[string]string{strings.Repeat("ab", 28) + "544f4b454e": "7"}})
	require.NoError(t, err)
	e.mineUntil("the coin is in the books", func() bool {
		return strings.Contains(e.command("admin", "treasury", "addresses", "Cardano"), `"mixed": "3"`)
	})
	t.Log("a coin of 3 ADA with a stranger's token is shown, and no payout spends it")
}

// asks asks for a payout.
func (e *fakeCardano) asks(amount, to string) (reference string) {
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", client.Payout{ReferenceID: uuid.NewString(), Network: "Cardano", CryptoCurrency: "ADA", ProcessBy: client.ByCrypto,
			CryptoAmount: amount, Wallet: to, WebhookURL: e.receiver.url})
	}).InternalReference
}

// payout pays out, up to where the payout is completed.
func (e *fakeCardano) payout(amount, to string) {
	t := e.t
	reference := e.asks(amount, to)
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	t.Logf("a payout of %s ADA is completed by transaction %s; its webhook arrived", amount, *e.installation.payout(reference).Txid)
}

// expires has the network lose a payout, until its time is over: it is signed again, and arrives once.
func (e *fakeCardano) expires(to string) {
	t := e.t
	require.NoError(t, e.node.Trouble(ogmios.Trouble{Hold: new(true)}))
	reference := e.asks("3", to)
	var first []string
	testkit.Eventually(t, time.Minute, func() bool {
		var err error
		first, err = e.node.Waiting()
		require.NoError(t, err)
		return len(first) == 1
	}, "the payout is in the mempool")
	require.NoError(t, e.node.Forget())
	require.NoError(t, e.node.Mine(91))
	require.NoError(t, e.node.Trouble(ogmios.Trouble{Hold: new(false)}))
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	require.NotEqual(t, first[0], *e.installation.payout(reference).Txid)
	require.Equal(t, "1015.75", e.held(to))
	t.Logf("a payout outlasts its time as %s, is signed again for the same coin, and is completed by %s", first[0], *e.installation.payout(reference).Txid)
}

// away has the node be away when a payout is asked for, and then take it without an answer: it arrives once.
func (e *fakeCardano) away(to string) {
	t := e.t
	require.NoError(t, e.node.Trouble(ogmios.Trouble{Down: new(true)}))
	reference := e.asks("3", to)
	db, err := pg.Open(e.file().DatabaseURL, 1)
	require.NoError(t, err)
	defer func() { _ = db.Close() }()
	testkit.Eventually(t, time.Minute, func() (waits bool) {
		err := db.NewRaw("select exists (select from jobs where kind = 'payout.broadcast' and ref = ? and last_error like '%not reachable%')", reference).Scan(t.Context(), &waits)
		require.NoError(t, err)
		return waits
	}, "the payout waits for the node")
	require.NoError(t, e.node.Trouble(ogmios.Trouble{Down: new(false), Mute: new(1)}))
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	require.Equal(t, "1018.75", e.held(to))
	t.Log("a payout waits while the node is away, is taken by it without an answer, and arrives once")
}

// undone has a reorganisation drop a mined payout, from the mempool too: it arrives once,
// by the same bytes, or by others once their time is over.
func (e *fakeCardano) undone(to string) {
	t := e.t
	reference := e.asks("4", to)
	var waiting []string
	testkit.Eventually(t, time.Minute, func() bool {
		var err error
		waiting, err = e.node.Waiting()
		require.NoError(t, err)
		return len(waiting) == 1
	}, "the payout is in the mempool")
	require.NoError(t, e.node.Mine(2))
	require.Equal(t, "1022.75", e.held(to))
	require.NoError(t, e.node.Reorg(2, waiting[0]))
	require.Equal(t, "1018.75", e.held(to))
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	require.Equal(t, "1022.75", e.held(to))
	t.Logf("a reorganisation of two blocks drops payout %s, and it arrives once, by %s", waiting[0], *e.installation.payout(reference).Txid)
}

// mineUntil gives the node a block for each look, as a real network goes on by itself.
func (e *fakeCardano) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 3*time.Minute, func() bool {
		require.NoError(e.t, e.node.Mine(1))
		return cond()
	}, what)
}

// held is what an address holds. The node may have been away: its connections are cut then.
func (e *fakeCardano) held(address string) (amount string) {
	testkit.Eventually(e.t, time.Minute, func() bool {
		head, err := e.reads.Head(e.t.Context(), -1)
		if err != nil {
			return false
		}
		held, err := e.reads.Holdings(e.t.Context(), "ADA", []string{address}, head.Height)
		if err == nil {
			amount = held[0].String()
		}
		return err == nil
	}, "the node answers")
	return amount
}
