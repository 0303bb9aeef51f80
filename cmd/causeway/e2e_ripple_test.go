package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/mr-tron/base58"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/chains/ripple"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/rippled"
	"causeway/internal/dev/testkit"
)

// fakeRipple is an installation with a fake rippled, and a hot wallet with XRP.
type fakeRipple struct {
	*installation
	node  *rippled.Node
	reads *ripple.Connector
}

// TestMainJobOnRipple is the main job on a fake rippled, which checks what a real one would: a payin with a destination tag that is seen,
// credited and final; payouts to a new account, to one with a tag and to an X-address; webhooks; and a sweep of the address that payins share.
// `make demo-ripple` runs it and shows its steps.
func TestMainJobOnRipple(t *testing.T) {
	t.Parallel()
	e := newFakeRipple(t)
	e.payin("120.5", "87654321")
	e.prepares()
	e.stealsNothing()
	to := addresses.Encode("Ripple", sha256.Sum256([]byte(uuid.NewString())))
	for _, wanted := range []struct{ amount, to, memo, why string }{
		{"7.5", to, "12345678", "the recipient is new to the ledger"}, {"2.25", to, "00000007", "the tag is a number, 7"},
		{"5", xAddress(t, to, 4294967295), "", "the tag is in the address"},
	} {
		e.payout(wanted.amount, wanted.to, wanted.memo, wanted.why)
	}
	require.Equal(t, "14.75", e.held(to))
	e.closeUntil("nothing is open", func() bool { return e.balances().Locked["XRP"] == "0.00000000" })
	e.sweeps()
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	require.Contains(t, books, `"differences": []`)
	t.Log("the ledger equals itself and the chain: " + books)
}

func newFakeRipple(t *testing.T) *fakeRipple {
	e := &fakeRipple{node: rippled.Start(t, rippled.Options{})}
	t.Logf("a fake rippled runs at %s: it has no peers, and checks transactions as a real one does", e.node.URL)
	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  Ripple:
    rpc: %s
    network_id: %d
    xpub: %s
    stale_after: 24h
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, e.node.URL, rippled.Network, seed.XPubs["ripple"]), 0o600))
	config := ripple.Defaults()
	config.RPC, config.NetworkID, config.XPub = []string{e.node.URL}, rippled.Network, seed.XPubs["ripple"]
	connector, err := ripple.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	e.reads = connector
	_, err = e.node.Fund(connector.Hot(), nil, 2_000_000_000)
	require.NoError(t, err)
	e.node.Close(1)
	t.Logf("the hot wallet %s holds 2,000 XRP", connector.Hot())
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// opens asks for a payin.
func (e *fakeRipple) opens(amount, memo string) *client.CreatedPayin {
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "Ripple", CryptoCurrency: "XRP",
			ProcessBy: client.ByCrypto, CryptoAmount: amount, Memo: memo, WebhookURL: e.receiver.url})
	})
}

// payin takes a payin, up to where its money is available.
func (e *fakeRipple) payin(amount, memo string) {
	t := e.t
	created := e.opens(amount, memo)
	t.Logf("payin of %s XRP to %s with the destination tag %s", amount, created.Wallet, memo)
	before := e.balances().Available["XRP"]
	_, err := e.node.Fund(created.Wallet, tagNumber(t, memo), dropsOf(t, amount))
	require.NoError(t, err)
	e.closeUntil("the payin is completed", func() bool { return e.installation.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_detected")
	e.told(created.InternalReference, "payment_confirmed")
	e.closeUntil("the money is available", func() bool { return e.balances().Available["XRP"] != before })
	t.Logf("the payin is credited and final in a validated ledger; its webhooks arrived. Available: %s XRP", e.balances().Available["XRP"])
}

// stealsNothing plays what exchanges were robbed by. Nothing of it is credited to the payin whose tag it has, but what was delivered.
func (e *fakeRipple) stealsNothing() {
	t := e.t
	created := e.opens("1000", "11112222")
	before, tag := e.balances().Total["XRP"], tagNumber(t, "11112222")
	_, err := e.node.PayPartly(created.Wallet, tag, 1_000_000_000, 1_000_000)
	require.NoError(t, err)
	_, err = e.node.PayIssued(created.Wallet, tag, 1000)
	require.NoError(t, err)
	_, err = e.node.PayInVain(created.Wallet, tag, 1_000_000_000)
	require.NoError(t, err)
	_, err = e.node.Fund(created.Wallet, tagNumber(t, "11112223"), 1_000_000_000)
	require.NoError(t, err)
	e.closeUntil("the delivered part is credited", func() bool { return e.balances().Total["XRP"] != before })
	e.node.Close(3)
	payin := e.installation.payin(created.InternalReference)
	require.Equal(t, "pending", payin.Status)
	require.Equal(t, "1", payin.ReceivedAmount)
	t.Log("a partial payment of 1,000 XRP that delivers 1, an issued currency, a failed payment and another tag: 1 XRP is credited")
}

// asks asks for a payout.
func (e *fakeRipple) asks(amount, to, memo string) (reference string) {
	wanted := client.Payout{ReferenceID: uuid.NewString(), Network: "Ripple", CryptoCurrency: "XRP", ProcessBy: client.ByCrypto,
		CryptoAmount: amount, Wallet: to, Memo: memo, WebhookURL: e.receiver.url}
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", wanted)
	}).InternalReference
}

// payout pays out, up to where the payout is completed.
func (e *fakeRipple) payout(amount, to, memo, why string) {
	t := e.t
	reference := e.asks(amount, to, memo)
	t.Logf("payout of %s XRP to %s, memo %q", amount, to, memo)
	e.closeUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	t.Logf("the payout is completed by transaction %s (%s); its webhook arrived", *e.installation.payout(reference).Txid, why)
}

// closeUntil gives the node a ledger for each look, as a real network goes on by itself.
func (e *fakeRipple) closeUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 2*time.Minute, func() bool {
		e.node.Close(1)
		return cond()
	}, what)
}

// held is what an address holds.
func (e *fakeRipple) held(address string) string {
	held, err := e.reads.Holdings(e.t.Context(), "XRP", []string{address}, e.node.Height())
	require.NoError(e.t, err)
	return held[0].String()
}

func tagNumber(t *testing.T, memo string) *uint32 {
	t.Helper()
	n, err := strconv.ParseUint(memo, 10, 32)
	require.NoError(t, err)
	tag := uint32(n)
	return &tag
}

func dropsOf(t *testing.T, amount string) int64 {
	t.Helper()
	n, err := strconv.ParseFloat(amount, 64)
	require.NoError(t, err)
	return int64(n * 1_000_000)
}

// xAddress writes an account and a tag as one address.
func xAddress(t *testing.T, classic string, tag uint32) string {
	t.Helper()
	account, err := addresses.RippleAccount(classic)
	require.NoError(t, err)
	raw := append(append([]byte{0x05, 0x44}, account[:]...), 1)
	raw = append(binary.LittleEndian.AppendUint32(raw, tag), 0, 0, 0, 0)
	sum := sha256.Sum256(raw)
	sum = sha256.Sum256(sum[:])
	return base58.EncodeAlphabet(append(raw, sum[:4]...), base58.NewAlphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"))
}
