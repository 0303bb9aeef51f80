package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/chains/solana"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/solananode"
	"causeway/internal/dev/testkit"
	"causeway/internal/ops/admin"
	"causeway/internal/pay"
	"causeway/internal/pg"
)

// shimSolana is an installation with Solana's runtime behind a shim, and a hot wallet with SOL, USDT and USDC.
type shimSolana struct {
	*installation
	node  *solananode.Node
	reads *solana.Connector
}

// TestMainJobOnSolana is the main job on Solana's real runtime, behind a shim: payins of USDC and of SOL that are credited when they are
// final, payouts of both to new accounts and to known ones, and webhooks. `make demo-solana` runs it and shows its steps.
func TestMainJobOnSolana(t *testing.T) {
	t.Parallel()
	e := newShimSolana(t)
	e.payin("USDC", "25", func(to string) (string, error) { return e.node.Pay(solananode.USDC, to, 25_000_000) })
	e.payin("SOL", "1.5", func(to string) (string, error) { return e.node.Fund(to, 1_500_000_000) })
	to := addresses.Encode("Solana", sha256.Sum256([]byte(uuid.NewString())))
	for _, wanted := range []struct{ token, amount, why string }{
		{"USDC", "7.5", "the recipient is new to the token: its account is made, for its rent"}, {"USDC", "2.25", "the recipient has the account now"},
		{"SOL", "0.3", "the recipient is new to the chain"}, {"SOL", "0.05", "its fee is a fraction of a cent"},
	} {
		e.payout(wanted.token, wanted.amount, to, wanted.why)
	}
	lamports, units, err := e.node.Held(to, solananode.USDC)
	require.NoError(t, err)
	require.Equal(t, []uint64{350_000_000, 9_750_000}, []uint64{lamports, units}, "each is paid once")
	e.settled()
	e.sweeps()
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	require.Contains(t, books, `"differences": []`)
	t.Log("the ledger equals itself and the chain: " + books)
}

// sweeps collects what the payins have left on their addresses. No merchant's balance changes, and no address has to be topped up.
func (e *shimSolana) sweeps() {
	t, before := e.t, e.balances().Total
	e.command("run", "reconcile") // the treasury plans by what a look has found
	t.Log(e.command("admin", "treasury", "sweep", "Solana", "--all", "--although-fee"))
	var moves []admin.TreasuryMove
	e.mineUntil("all is swept", func() bool {
		moves = nil
		require.NoError(t, json.Unmarshal([]byte(e.command("admin", "treasury", "moves", "list", "--network", "Solana")), &moves))
		return len(moves) >= 2 && !slices.ContainsFunc(moves, func(m admin.TreasuryMove) bool { return m.Status != pay.MoveDone })
	})
	for _, m := range moves {
		require.Equal(t, pay.MoveSweep, m.Kind)
		lamports, units, err := e.node.Held(m.From, solananode.USDC)
		require.NoError(t, err)
		require.Zero(t, lamports+units, "nothing is left at %s", m.From)
		t.Logf("%s %s of %s were swept for %s SOL", m.Moved, m.Token, m.From, m.Cost)
	}
	require.Equal(t, before, e.balances().Total)
	require.NoError(t, e.node.Mine(2*slotsOfBlock))
}

// TestSolanaSignsAgainAfterTheTimeIsOver: a transaction that no block takes is sent on, until followed blocks prove that its time is over.
// Another one is signed then, and the recipient is paid once.
//
// Covers operator §Settings: A payout's transaction is valid for 150 blocks
func TestSolanaSignsAgainAfterTheTimeIsOver(t *testing.T) {
	t.Parallel()
	e := newShimSolana(t)
	e.payin("USDC", "25", func(to string) (string, error) { return e.node.Pay(solananode.USDC, to, 25_000_000) })
	require.NoError(t, e.node.Hold(true))
	to := addresses.Encode("Solana", sha256.Sum256([]byte(uuid.NewString())))
	reference := e.asks("USDC", "7.5", to)
	e.mineUntil("a transaction is signed", func() bool { return len(e.signedFor(reference)) > 0 })
	first := e.signedFor(reference)
	e.mineUntil("another one is signed", func() bool { return len(e.signedFor(reference)) > 1 })
	t.Logf("the time of %s is over, and %v are signed", first[0], e.signedFor(reference))
	require.NoError(t, e.node.Hold(false))
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	require.NotEqual(t, first[0], *e.installation.payout(reference).Txid)
	_, units, err := e.node.Held(to, solananode.USDC)
	require.NoError(t, err)
	require.EqualValues(t, 7_500_000, units, "the recipient is paid once")
	e.settled()
	require.Contains(t, e.command("reconcile"), `"differences": []`)
}

// TestSolanaRefundsWhatFailsInItsBlock: a payment that fails in its block, and not before, is failed and refunded. Its fee is the operator's,
// and the books equal the chain.
//
// Covers operator §Settings: Before a payout is signed, it is tried out
func TestSolanaRefundsWhatFailsInItsBlock(t *testing.T) {
	t.Parallel()
	e := newShimSolana(t)
	e.payin("USDC", "25", func(to string) (string, error) { return e.node.Pay(solananode.USDC, to, 25_000_000) })
	before := e.balances().Available["USDC"]
	to := addresses.Encode("Solana", sha256.Sum256([]byte(uuid.NewString())))
	_, err := e.node.Pay(solananode.USDC, to, 1_000_000)
	require.NoError(t, err)
	require.NoError(t, e.node.Mine(slotsOfBlock))
	none := 0
	require.NoError(t, e.node.Trouble(solananode.Trouble{Refuse: &solananode.Refuse{Method: "sendTransaction", Code: -32005, Message: "Node is behind by 42 slots"}}))
	reference := e.asks("USDC", "7.5", to)
	testkit.Eventually(t, time.Minute, func() bool { return len(e.signedFor(reference)) > 0 }, "a transaction is signed")
	_, err = e.node.Freeze(solananode.USDC, to)
	require.NoError(t, err)
	raw := e.rawOf(reference)
	_, err = e.node.Send(raw) // a node that tries nothing out takes it behind the freeze
	require.ErrorContains(t, err, "behind")
	require.NoError(t, e.node.Trouble(solananode.Trouble{Refuse: &solananode.Refuse{Method: "none"}, Throttle: &none}))
	_, err = e.node.Send(raw)
	require.NoError(t, err)
	e.mineUntil("the payout is refunded", func() bool { return e.installation.payout(reference).Status == "refunded" })
	e.told(reference, "payment_failed")
	require.Len(t, e.signedFor(reference), 1)
	e.mineUntil("the money is back", func() bool { return e.balances().Available["USDC"] == before })
	_, units, err := e.node.Held(to, solananode.USDC)
	require.NoError(t, err)
	require.EqualValues(t, 1_000_000, units)
	e.settled()
	books := e.command("reconcile")
	require.Contains(t, books, `"differences": []`, "the fee of the failed one is booked")
}

// TestSolanaFindsWhatWasPaidMeanwhile: the process is away for an hour of blocks. A payin that has expired is paid then, as is one that is
// open. Both are credited once it is back.
//
// Covers operator §Settings: A payin's address is looked at for 30 days
func TestSolanaFindsWhatWasPaidMeanwhile(t *testing.T) {
	t.Parallel()
	e := newShimSolana(t)
	before, err := decimal.NewFromString(e.balances().Available["USDC"])
	require.NoError(t, err)
	expired, open := e.awaits("11", 2), e.awaits("12", 3600)
	e.mineUntil("the first payin has expired", func() bool { return e.installation.payin(expired.InternalReference).Status == "failed" })
	e.stop()
	const hour = 9_000 / slotsOfBlock
	for i, p := range []*client.CreatedPayin{expired, open} {
		_, err := e.node.Pay(solananode.USDC, p.Wallet, int64(11+i)*1_000_000)
		require.NoError(t, err)
		require.NoError(t, e.node.Mine(hour/2*slotsOfBlock))
	}
	e.start()
	e.awaitReady()
	for _, p := range []*client.CreatedPayin{expired, open} {
		testkit.Eventually(t, 2*time.Minute, func() bool { return e.installation.payin(p.InternalReference).Status == "completed" }, "the payin is credited")
	}
	e.mineUntil("both are available", func() bool {
		now, err := decimal.NewFromString(e.balances().Available["USDC"])
		require.NoError(t, err)
		return now.Equal(before.Add(decimal.NewFromInt(23)))
	})
	require.Contains(t, e.command("reconcile"), `"differences": []`)
}

// awaits makes a payin of USDC that expires after some seconds.
func (e *shimSolana) awaits(amount string, seconds int) *client.CreatedPayin {
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "sol", CryptoCurrency: "USDC",
			ProcessBy: client.ByCrypto, CryptoAmount: amount, WebhookURL: e.receiver.url, ExpiresAt: seconds})
	})
}

// slotsOfBlock is how many slots a block of ours has.
const slotsOfBlock = 16

func newShimSolana(t *testing.T) *shimSolana {
	e := &shimSolana{node: solananode.Start(t, solananode.Options{Lag: 1})}
	t.Logf("Solana's runtime runs behind a shim at %s: transactions are really executed, and the blocks are the shim's", e.node.URL)
	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	require.NoError(t, os.WriteFile(passphrase, []byte("correct horse battery staple\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	var genesis string
	require.NoError(t, e.node.Order(&genesis, "getGenesisHash"))
	file := filepath.Join(dir, "networks.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `networks:
  Solana:
    rpc: %s
    genesis: %s
    xpub: %s
    stale_after: 24h
signer: {seed_file: seed.json, passphrase_file: passphrase}
`, e.node.URL, genesis, seed.XPubs["solana"]), 0o600))
	config := solana.Defaults()
	config.RPC, config.Genesis, config.XPub = []string{e.node.URL}, genesis, seed.XPubs["solana"]
	connector, err := solana.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	e.reads = connector
	_, err = e.node.Fund(connector.Hot(), 20_000_000_000)
	require.NoError(t, err)
	for _, mint := range []string{solananode.USDC, solananode.USDT} {
		_, err = e.node.Pay(mint, connector.Hot(), 1_000_000_000)
		require.NoError(t, err)
	}
	require.NoError(t, e.node.Mine(2*slotsOfBlock))
	t.Logf("the hot wallet %s holds 20 SOL, and 1,000 USDC and USDT", connector.Hot())
	e.installation = install(t, quickBlocks, "NETWORKS_FILE="+file)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
	return e
}

// payin takes a payin, up to where its money is available: what is final is credited at once.
func (e *shimSolana) payin(token, amount string, pay func(to string) (string, error)) {
	t := e.t
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "sol", CryptoCurrency: token,
			ProcessBy: client.ByCrypto, CryptoAmount: amount, WebhookURL: e.receiver.url})
	})
	t.Logf("payin of %s %s to %s", amount, token, created.Wallet)
	before := e.balances().Available[token]
	_, err := pay(created.Wallet)
	require.NoError(t, err)
	e.mineUntil("the payin is completed", func() bool { return e.installation.payin(created.InternalReference).Status == "completed" })
	e.told(created.InternalReference, "payment_confirmed")
	e.mineUntil("the money is available", func() bool { return e.balances().Available[token] != before })
	t.Logf("the payin is credited and final; its webhooks arrived. Available: %s %s", e.balances().Available[token], token)
}

// payout pays out, up to where the payout is completed.
func (e *shimSolana) payout(token, amount, to, why string) {
	t := e.t
	reference := e.asks(token, amount, to)
	t.Logf("payout of %s %s to %s", amount, token, to)
	e.mineUntil("the payout is completed", func() bool { return e.installation.payout(reference).Status == "completed" })
	e.told(reference, "payment_processed")
	t.Logf("the payout is completed by transaction %s (%s); its webhook arrived", *e.installation.payout(reference).Txid, why)
}

// asks asks for a payout.
func (e *shimSolana) asks(token, amount, to string) (reference string) {
	wanted := client.Payout{ReferenceID: uuid.NewString(), Network: "Solana", CryptoCurrency: token, ProcessBy: client.ByCrypto,
		CryptoAmount: amount, Wallet: to, WebhookURL: e.receiver.url}
	return granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", wanted)
	}).InternalReference
}

// settled waits until nothing is open.
func (e *shimSolana) settled() {
	e.t.Helper()
	e.mineUntil("nothing is open", func() bool {
		for _, amount := range e.balances().Locked {
			if amount != "0.00000000" {
				return false
			}
		}
		return true
	})
}

// signedFor returns the ids of what was signed for a payout, in their order.
func (e *shimSolana) signedFor(reference string) (txids []string) {
	db, err := pg.Open(e.file().DatabaseURL, 1)
	require.NoError(e.t, err)
	defer func() { _ = db.Close() }()
	require.NoError(e.t, db.NewRaw("select txid from signed_transactions where payout_id = ? order by signed_at", reference).Scan(e.t.Context(), &txids))
	return txids
}

// rawOf returns the bytes that were signed for a payout.
func (e *shimSolana) rawOf(reference string) (raw []byte) {
	db, err := pg.Open(e.file().DatabaseURL, 1)
	require.NoError(e.t, err)
	defer func() { _ = db.Close() }()
	require.NoError(e.t, db.NewRaw("select raw from signed_transactions where payout_id = ?", reference).Scan(e.t.Context(), &raw))
	return raw
}

// mineUntil gives the node slots for each look, as a real chain goes on by itself.
func (e *shimSolana) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, 2*time.Minute, func() bool {
		require.NoError(e.t, e.node.Mine(4))
		return cond()
	}, what)
}
