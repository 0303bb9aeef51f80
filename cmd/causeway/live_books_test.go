package main

import (
	"context"
	"math/big"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/stretchr/testify/require"

	"causeway/chains/addresses"
	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/dev/anvil"
	"causeway/internal/proof/contract"
)

// TestATrialGoesLive starts every role on simulated networks, makes a merchant there, names a real node, and starts them again:
// the node is followed from its head, nothing simulated is offered or credited, and no process without the file, or with another
// chain in it, works on these books.
func TestATrialGoesLive(t *testing.T) {
	t.Parallel()
	contract.Covers(t, "operator §Live books: In live books", "operator §Live books: A start without",
		"operator §Live books: The first start with", "operator §Live books: A network whose chain")
	w := newTwins(t)
	w.environ = slices.DeleteFunc(w.environ, func(line string) bool { return strings.HasPrefix(line, "SANDBOX_") && line != quickBlocks })
	file := "NETWORKS_FILE=" + w.node.networks
	real := w.environ
	w.environ = slices.DeleteFunc(slices.Clone(real), func(line string) bool { return line == file })
	code, _, stderr := w.run("migrate", "up")
	require.Equal(t, command.ExitOK, code, stderr)
	w.start()
	w.awaits(w.url+"/readyz", "", http.StatusOK, `"ok"`)
	w.live.opens("cw_live_")
	w.eventually("simulated networks are followed", w.follows("Ethereum", "Tron"))
	w.eventually("the trial books its treasury", func(ctx context.Context) (booked bool) {
		must(t, w.live.db.NewRaw("select exists (select from entries where kind = 'treasury_funded')").Scan(ctx, &booked))
		return booked
	})
	w.stop()

	trial := w.environ
	w.environ = real
	w.start()
	w.awaits(w.url+"/healthz", "", http.StatusOK, "")
	w.eventually("the node is followed", w.follows("Ethereum"))
	payin := w.live.asks("Ethereum", "25")
	w.node.usdt.Transfer(t, anvil.Rich, common.HexToAddress(payin.Wallet), big.NewInt(25_000_000))
	w.live.has("25.00000000")
	w.live.paid(w.live.pays("Ethereum", "10", common.BytesToAddress([]byte{1, 2, 3}).Hex()))
	w.takesNothingSimulated()
	w.live.addsUp()
	w.eventually("what the trial had booked is added up again", func(ctx context.Context) (counted bool) {
		_, err := w.live.db.NewRaw("select fold_ledger(1000000)").Exec(ctx)
		must(t, err)
		must(t, w.live.db.NewRaw("select bool_and(folded >= (select max(id) from entries where kind = 'treasury_funded')) from ledger_passes where live").
			Scan(ctx, &counted))
		return counted
	})
	var broken []string
	must(t, w.live.db.NewRaw("select reference || ' wants ' || want from broken_entries").Scan(t.Context(), &broken))
	require.Empty(t, broken)

	for said, environ := range map[string][]string{
		"NETWORKS_FILE names no network, and the books of DATABASE_URL are live ones": append(trial, "NETWORKS_FILE="),
		`NETWORKS_FILE: network Ethereum is "evm 5" here, and the books of DATABASE_URL have followed "evm 31337"`: append(real,
			"NETWORKS_FILE="+w.onChain("5")),
	} {
		for _, args := range [][]string{{"api"}, {"worker", "--queues", "signing"}, {"scheduler"}, {"reconcile"}} {
			p, stdout, stderr := programIn(t.TempDir(), environ...)
			require.Equal(t, command.ExitFailed, p.run(t.Context(), args), "%v: %s", args, stderr)
			require.Empty(t, stdout.String())
			require.Contains(t, stderr.String(), said)
			require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr)
		}
	}
	w.stop()
}

// follows reports whether just these networks are, so far.
func (w *twins) follows(networks ...string) func(context.Context) bool {
	return func(ctx context.Context) bool {
		var followed []string
		must(w.T, w.live.db.NewRaw("select distinct network from chain_blocks order by 1").Scan(ctx, &followed))
		return len(networks) > 1 && len(followed) > len(networks) || slices.Equal(followed, networks)
	}
}

// takesNothingSimulated tries to pay in and out in live books on two networks with nothing real behind them; the second
// shares its addresses with the real Ethereum.
func (w *twins) takesNothingSimulated() {
	w.Helper()
	for _, network := range []string{"Tron", "ArbitrumOne"} {
		_, err := w.live.client.CreatePayin(w.Context(), client.Payin{ReferenceID: "simulated-" + network, Network: network, CryptoCurrency: "USDT",
			ProcessBy: client.ByCrypto, CryptoAmount: "25", WebhookURL: w.live.receiver.url})
		require.True(w, client.Is(err, "invalid_network_or_deposits_disabled"), err)
		_, err = w.live.client.CreatePayout(w.Context(), "",
			client.Payout{ReferenceID: "simulated-" + network, Network: network, CryptoCurrency: "USDT",
				ProcessBy: client.ByCrypto, CryptoAmount: "5", Wallet: addresses.Encode(network, [32]byte{1}), WebhookURL: w.live.receiver.url})
		require.Error(w, err)
		code, _, stderr := w.run("sandbox", "pay", "--network", network, "--token", "USDT", "--to", addresses.Encode(network, [32]byte{1}),
			"--amount", "1")
		require.Equal(w, command.ExitFailed, code)
		require.Contains(w, stderr, "these are live books")
	}
	var given []string
	must(w.T, w.live.db.NewRaw("select distinct family from addresses").Scan(w.Context(), &given))
	require.Equal(w, []string{"evm"}, given, "live books gave out an address that nobody has the key of")
}

// onChain is the networks file with another chain_id.
func (w *twins) onChain(id string) string {
	w.Helper()
	text, err := os.ReadFile(w.node.networks)
	must(w.T, err)
	file := w.TempDir() + "/networks.yaml"
	must(w.T, os.WriteFile(file, []byte(strings.Replace(string(text), "chain_id: 31337", "chain_id: "+id, 1)), 0o600))
	return file
}
