package integratorcmd

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/chains/sandbox"
	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
	"causeway/internal/pay"
)

// sandboxOnly is a program with the sandbox commands alone.
func sandboxOnly(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	l := command.New(nil, stdout, stderr)
	return l.Run(ctx, l.Tree("", Sandbox(l)), args)
}

// Covers operator §operator: the contract with whoever runs the service: Admin and sandbox commands print
// Covers operator §Sandbox networks: causeway sandbox mine
// Covers operator §Sandbox networks: causeway sandbox reorg
// Covers operator §Sandbox networks: causeway sandbox faults set
// Covers operator §Sandbox networks: causeway sandbox faults clear
// Covers operator §Sandbox networks: causeway sandbox show
// Covers operator §Sandbox networks: pay answers
// Covers operator §Sandbox networks: reorg makes
func TestSandboxCommands(t *testing.T) {
	t.Parallel()
	s := commandtest.New(t, sandboxOnly)
	require.NoError(t, sandbox.Genesis(t.Context(), s.DB, sandbox.Funds, pay.Networks...))
	const to = "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
	var paid struct{ Txid string }
	s.Do(&paid, "sandbox", "pay", "--network", "tron", "--token", "USDT", "--to", to, "--amount", "25")
	var named struct{ Txid string }
	s.Do(&named, "sandbox", "pay", "--network", "Tron", "--token", "USDT", "--to", to, "--amount", "0.5", "--txid", "mine")
	if paid.Txid == "" || named.Txid != "mine" {
		t.Fatalf("paid %+v %+v", paid, named)
	}
	var height struct{ Height int64 }
	s.Do(&height, "sandbox", "mine", "--network", "Tron", "--blocks", "3")
	type view struct {
		Height       int64
		Transactions []struct {
			Txid, Status  string
			Confirmations int
		}
	}
	var shown view
	s.Do(&shown, "sandbox", "show", "--network", "Tron", "--address", to)
	if shown.Height != height.Height || len(shown.Transactions) != 2 || shown.Transactions[0].Confirmations != 3 {
		t.Errorf("shown %+v", shown)
	}
	s.Do(&height, "sandbox", "reorg", "--network", "Tron", "--depth", "3", "--drop", "mine")
	s.Do(&shown, "sandbox", "show", "--network", "Tron", "--address", to)
	if len(shown.Transactions) != 1 || shown.Transactions[0].Txid != paid.Txid || shown.Transactions[0].Status != "mined" {
		t.Errorf("with one dropped %+v", shown)
	}
	s.Do(&height, "sandbox", "reorg", "--network", "Tron", "--depth", "4", "--drop", paid.Txid)
	s.Do(&shown, "sandbox", "show", "--network", "Tron", "--address", to)
	if height.Height != shown.Height || len(shown.Transactions) != 0 {
		t.Errorf("after the reorganisation %+v", shown)
	}
	var faults struct{ Faults map[string]any }
	s.Do(&faults, "sandbox", "faults", "set", "--network", "Tron", "broadcast=timeout-after-send", "scan=down")
	if faults.Faults["broadcast"] != "timeout-after-send" || faults.Faults["scan"] != "down" {
		t.Errorf("faults %+v", faults)
	}
	faults.Faults = nil
	s.Do(&faults, "sandbox", "faults", "clear", "--network", "Tron")
	if len(faults.Faults) != 0 {
		t.Errorf("faults left %+v", faults)
	}
}

// Covers operator §Sandbox networks: mine makes at most
// Covers operator §Sandbox networks: show --txid
func TestSandboxRefusals(t *testing.T) {
	t.Parallel()
	s := commandtest.New(t, sandboxOnly)
	require.NoError(t, sandbox.Genesis(t.Context(), s.DB, sandbox.Funds, pay.Networks[0]))
	pays := []string{"sandbox", "pay", "--network", "Bitcoin", "--token", "BTC", "--to"}
	s.Refused(command.ExitFailed, "causeway: pay on Bitcoin: the address does not fit the network: length\n",
		append(pays, strings.Repeat("n", 129), "--amount", "1")...)
	const to = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	for _, amount := range []string{"1e3", "0x1", "", "1,5", "-1"} {
		s.Refused(command.ExitUsage, "amount", append(pays, to, "--amount="+amount)...)
	}
	long := strings.Repeat("9", 37)
	s.Refused(command.ExitUsage, "--amount: more than 30 digits before its point", append(pays, to, "--amount", long)...)
	s.Refused(command.ExitUsage, "--amount: more than 36 decimals", append(pays, to, "--amount", "1."+long)...)
	s.Refused(command.ExitFailed, "more than zero", append(pays, to, "--amount", "0")...)
	s.Refused(command.ExitUsage, "txid", append(pays, to, "--amount", "1", "--txid", "no space")...)
	s.Refused(command.ExitUsage, "amount", append(pays, "x")...)
	s.Refused(command.ExitFailed, "Nowhere", "sandbox", "mine", "--network", "Nowhere")
	s.Refused(command.ExitFailed, "not a sandbox network", "sandbox", "mine", "--network", "Tron")
	s.Refused(command.ExitUsage, "blocks", "sandbox", "mine", "--network", "Bitcoin", "--blocks", "0")
	s.Refused(command.ExitUsage, "blocks", "sandbox", "mine", "--network", "Bitcoin", "--blocks", "100001")
	s.Refused(command.ExitUsage, "blocks", "sandbox", "mine", "--network", "Bitcoin", "--blocks", "many")
	s.Refused(command.ExitUsage, "--drop", "sandbox", "reorg", "--network", "Bitcoin", "--depth", "1", "stray")
	s.Refused(command.ExitFailed, "deep", "sandbox", "reorg", "--network", "Bitcoin", "--depth", "99")
	s.Refused(command.ExitUsage, "depth", "sandbox", "reorg", "--network", "Bitcoin", "--depth", "0")
	for fault, says := range map[string]string{"luck=none": "luck", "lose=often": "lose", "lose=101": "lose", "scan=perhaps": "scan",
		"down": "NAME=VALUE", "scan=up": `fault scan can be down, not "up"`,
		"broadcast=nope": `fault broadcast can be reject, timeout, timeout-after-send, down or copied, not "nope"`} {
		s.Refused(command.ExitUsage, says, "sandbox", "faults", "set", "--network", "Bitcoin", fault)
	}
	s.Refused(command.ExitUsage, "network", "sandbox", "show")
	show := []string{"sandbox", "show", "--network", "Bitcoin"}
	s.Refused(command.ExitFailed, "show Bitcoin: the address does not fit the network", append(show, "--address", "nope")...)
	s.Refused(command.ExitFailed, "nope is neither in a block of Bitcoin nor in its mempool", append(show, "--txid", "nope")...)
	s.Refused(command.ExitUsage, "--address and --txid cannot be used together", append(show, "--address", to, "--txid", "nope")...)
}
