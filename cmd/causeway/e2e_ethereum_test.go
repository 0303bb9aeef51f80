package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"causeway/chains/evm"
	"causeway/chains/nodes"
	"causeway/client"
	"causeway/internal/cli/admincmd"
	"causeway/internal/cli/command"
	"causeway/internal/dev/anvil"
	"causeway/internal/dev/testkit"
)

// realEthereum is an installation with a real node as its Ethereum, USDT as a contract on it and a funded hot wallet.
type realEthereum struct {
	*installation
	node *anvil.Node
	usdt *anvil.Token
	hot  common.Address

	networks             string // the networks file
	xpub                 string
	passphrase, seedFile string
	words                []string // of the seed
}

// TestMainJobOnEthereum is the main job on a real Ethereum node: payin, balance, payout and webhooks, in the native coin
// and in a token. `make demo-ethereum` runs it and shows its steps.
func TestMainJobOnEthereum(t *testing.T) {
	t.Parallel()
	e := newRealEthereum(t)
	e.payinAndPayout("USDT", "25", "10.5", func(to common.Address) {
		e.usdt.Transfer(t, anvil.Rich, to, big.NewInt(25_000_000))
	})
	e.payinAndPayout("ETH", "0.75", "0.25", func(to common.Address) {
		e.node.Send(t, anvil.Rich, to, big.NewInt(750_000_000_000_000_000), nil)
	})
	e.settled()
	books := e.command("reconcile")
	require.NotContains(t, books, "networks_not_reached")
	t.Log("the ledger equals itself and the chain: " + books)
}

// TestAnAddedTokenIsPaid adds a token to a running service: a payin of it is credited and a payout of it is paid, without a restart.
//
// Covers operator §Admin: causeway admin token add
// Covers operator §Admin: Every role watches
func TestAnAddedTokenIsPaid(t *testing.T) {
	t.Parallel()
	e := newRealEthereum(t)
	added := e.node.Deploy(t, "USDT", 6)
	added.Mint(t, anvil.Rich, big.NewInt(1_000_000_000))
	e.node.Mine(t, 1)
	var shown struct {
		Symbol, Contract string
		ContractSymbol   string `json:"contract_symbol"`
		Withdrawals      bool
	}
	require.NoError(t, json.Unmarshal([]byte(e.command("admin", "token", "add", "erc20", added.Address.Hex(), "--as", "USDT.Ethereum")), &shown))
	require.Equal(t, "USDT.Ethereum", shown.Symbol)
	require.Equal(t, "USDT", shown.ContractSymbol)
	require.Equal(t, added.Address.Hex(), shown.Contract)
	require.True(t, shown.Withdrawals)
	e.command("admin", "price", "set", "USDT.Ethereum", "USD", "1")
	before := e.balances().Available["USDT"]
	added.Mint(t, e.hot, big.NewInt(1_000_000_000))
	e.payinAndPayout("USDT.Ethereum", "25", "10.5", func(to common.Address) {
		added.Transfer(t, anvil.Rich, to, big.NewInt(25_000_000))
	})
	require.Equal(t, before, e.balances().Available["USDT"], "the catalogue's token of the same symbol stays apart")
}

// TestCoinFromAContractIsShownWithItsPayin: a contract sends coin to an open payin, on a node without traces. Nothing is credited, and
// reconciliation names the payin.
//
// Covers operator §Admin: Where a node shows no coin
func TestCoinFromAContractIsShownWithItsPayin(t *testing.T) {
	t.Parallel()
	e := newRealEthereum(t)
	contract := common.HexToAddress("0x00000000000000000000000000000000000f0f0f")
	e.node.Call(t, nil, "anvil_setCode", contract, "0x6000600060006000346000355af100") // sends a call's coin on to the address in its data
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, client.Payin{ReferenceID: uuid.NewString(), Network: "erc20", CryptoCurrency: "ETH",
			ProcessBy: client.ByCrypto, CryptoAmount: "0.5", WebhookURL: e.receiver.url})
	})
	to := common.HexToAddress(created.Wallet)
	e.node.Send(t, anvil.Rich, contract, big.NewInt(500_000_000_000_000_000), common.LeftPadBytes(to[:], 32))
	var found string
	e.mineUntil("the coin is shown", func() bool {
		e.command("run", "reconcile")
		var stdout, stderr bytes.Buffer
		newProgram(e.settings, &stdout, &stderr).run(t.Context(), []string{"reconcile", "--data-dir", e.dir}) // it exits 1 with a difference
		found = stdout.String()
		return strings.Contains(found, "payin ")
	})
	require.Contains(t, found, "(payin "+created.InternalReference+")")
	require.Contains(t, strings.ToLower(found), strings.ToLower(created.Wallet))
	require.Contains(t, found, `"surplus": true`)
	require.NotEqual(t, "completed", e.payin(created.InternalReference).Status)
}

func newRealEthereum(t *testing.T, settings ...string) *realEthereum {
	e := newEthereumNode(t)
	e.installed(t, settings...)
	return e
}

// installed starts an installation on the node.
func (e *realEthereum) installed(t *testing.T, settings ...string) {
	e.installation = install(t, append(settings, quickBlocks, "NETWORKS_FILE="+e.networks)...)
	e.receiver.mu.Lock()
	e.receiver.secret = e.file().WebhookSecret
	e.receiver.mu.Unlock()
}

// newEthereumNode is the node alone, with everything an installation needs to use it.
func newEthereumNode(t *testing.T) *realEthereum {
	e := &realEthereum{node: anvil.Start(t, 31337)}
	t.Logf("a real Ethereum node runs at %s", e.node.URL)
	e.usdt = e.node.Deploy(t, "USDT", 6)
	e.usdt.Mint(t, anvil.Rich, big.NewInt(1_000_000_000_000))
	e.node.Mine(t, 3)
	t.Logf("USDT is the contract %s", e.usdt.Address)

	dir := t.TempDir()
	passphrase, seedFile := filepath.Join(dir, "passphrase"), filepath.Join(dir, "seed.json")
	e.passphrase, e.seedFile = "correct horse battery staple", seedFile
	require.NoError(t, os.WriteFile(passphrase, []byte(e.passphrase+"\n"), 0o600))
	code, stdout, stderr := call(t, "admin", "seed", "create", "--out", seedFile, "--passphrase-file", passphrase)
	require.Equal(t, command.ExitOK, code, stderr)
	e.words = strings.Fields(strings.Split(stderr, "\n\n")[1])
	var seed admincmd.CreatedSeed
	require.NoError(t, json.Unmarshal([]byte(stdout), &seed))
	e.networks, e.xpub = filepath.Join(dir, "networks.yaml"), seed.XPubs["evm"]
	file := fmt.Sprintf(`networks:
  Ethereum:
    rpc: %s
    chain_id: 31337
    xpub: %s
    rule: {credit: safe, final: finalized}
    tokens:
      USDT: {contract: %q, decimals: 6}
signer:
  seed_file: seed.json
  passphrase_file: passphrase
`, e.node.URL, seed.XPubs["evm"], e.usdt.Address.Hex())
	require.NoError(t, os.WriteFile(e.networks, []byte(file), 0o600))

	config := evm.Defaults("Ethereum")
	config.RPC, config.ChainID, config.XPub = nodes.Addresses{e.node.URL}, 31337, seed.XPubs["evm"]
	connector, err := evm.Open(t.Context(), config, nil)
	require.NoError(t, err)
	t.Cleanup(connector.Close)
	e.hot = common.HexToAddress(connector.Hot())
	e.usdt.Mint(t, e.hot, big.NewInt(1_000_000_000))
	e.node.Send(t, anvil.Rich, e.hot, big.NewInt(5_000_000_000_000_000_000), nil)
	e.node.Mine(t, 3)
	t.Logf("the hot wallet %s holds 1,000 USDT and 5 ETH", e.hot)
	return e
}

// payinAndPayout takes a payin of a token on the node and pays a part of it out again.
func (e *realEthereum) payinAndPayout(token, amount, out string, pay func(to common.Address)) {
	t := e.t
	p := client.Payin{ReferenceID: uuid.NewString(), Network: "erc20", CryptoCurrency: token, ProcessBy: client.ByCrypto,
		CryptoAmount: amount, WebhookURL: e.receiver.url}
	created := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.CreatedPayin, error) {
		return c.CreatePayin(ctx, p)
	})
	t.Logf("payin of %s %s to %s", amount, token, created.Wallet)
	pay(common.HexToAddress(created.Wallet))
	reference := created.InternalReference
	e.mineUntil("the payin is completed", func() bool { return e.payin(reference).Status == "completed" })
	e.told(reference, "payment_detected", "payment_confirmed")
	t.Logf("the payin is completed; its webhooks arrived")

	before := e.balances().Available[token]
	e.mineUntil("the money is available", func() bool {
		now := e.balances()
		return now.Available[token] != before || now.Locked[token] == "0.00000000"
	})
	to := common.BytesToAddress(uuid.Must(uuid.NewV7()).NodeID())
	wanted := client.Payout{ReferenceID: uuid.NewString(), Network: "Ethereum", CryptoCurrency: token, ProcessBy: client.ByCrypto,
		CryptoAmount: out, Wallet: to.Hex(), WebhookURL: e.receiver.url}
	payout := granted(e.installation, func(ctx context.Context, c *client.Client) (*client.PayoutResult, error) {
		return c.CreatePayout(ctx, "", wanted)
	}).InternalReference
	t.Logf("payout of %s %s to %s", out, token, to)
	e.mineUntil("the payout is completed", func() bool { return e.payout(payout).Status == "completed" })
	e.told(payout, "payment_processed")
	t.Logf("the payout is completed by transaction %s; its webhook arrived", *e.payout(payout).Txid)
}

// mineUntil gives the node a block for each look, as a real chain goes on by itself.
func (e *realEthereum) mineUntil(what string, cond func() bool) {
	e.t.Helper()
	testkit.Eventually(e.t, time.Minute, func() bool {
		e.node.Mine(e.t, 1)
		return cond()
	}, what)
}

// settled mines until no balance is locked.
func (e *realEthereum) settled() {
	e.mineUntil("nothing is open", func() bool {
		locked := e.balances().Locked
		return locked["USDT"] == "0.00000000" && locked["ETH"] == "0.00000000"
	})
}
