package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/cli/command"
	"causeway/internal/cli/completion"
	"causeway/internal/pay"
)

// completions returns a shell's offers after a command line, and the directive.
func completions(t *testing.T, line string, word string) (offered []string, directive string) {
	t.Helper()
	code, stdout, stderr := call(t, append(append([]string{"__complete"}, strings.Fields(line)...), word)...)
	require.Equal(t, command.ExitOK, code, stderr)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	for _, l := range lines[:len(lines)-1] {
		name, _, _ := strings.Cut(l, "\t")
		offered = append(offered, name)
	}
	return offered, lines[len(lines)-1]
}

// Covers operator §Help: causeway completion bash|zsh|fish
// Covers operator §Help: completion prints a script
func TestCompletion(t *testing.T) {
	t.Parallel()
	const noFiles, goOn, files, dirs = ":4", ":6", ":0", ":16"
	for _, c := range []struct {
		line, word string
		offered    []string // some of the offers
		directive  string
	}{
		{"", "", []string{"admin", "api", "dev", "sandbox"}, noFiles},
		{"admin", "m", []string{"merchant"}, noFiles},
		{"run", "", []string{"reconcile", "prices-refresh"}, noFiles},
		{"run reconcile", "", nil, noFiles},
		{"trigger", "payment_", []string{"payment_confirmed", "payment_reversed", "payment_updated"}, noFiles},
		{"sandbox pay --network", "T", []string{"Tron", "TON"}, noFiles},
		{"sandbox pay --network Tron --token", "U", []string{"USDT"}, noFiles},
		{"sandbox faults set --network Tron", "broadcast=t", []string{"broadcast=timeout", "broadcast=timeout-after-send"}, noFiles},
		{"worker --queues", "", []string{"signing", "webhooks"}, goOn},
		{"admin key create --scopes", "payin:read,p", []string{"payin:read,payout:write"}, goOn},
		{"admin key create --merchant", "", nil, noFiles},
		{"admin operator create ann --role", "", []string{"viewer", "operator", "admin"}, noFiles},
		{"admin operator role", "", nil, noFiles},
		{"admin operator role ann", "", []string{"viewer"}, noFiles},
		{"admin token set USDT", "Tr", []string{"Tron"}, noFiles},
		{"admin token set USDT Tron", "min_", []string{"min_withdrawal="}, goOn},
		{"admin rates set", "payment", []string{"payment_rate="}, goOn},
		{"admin webhook list --status", "e", []string{"exhausted"}, noFiles},
		{"admin payin list --status", "", pay.PayinStatuses, noFiles},
		{"admin payout list --status", "", append([]string{"pending"}, pay.PayoutStatuses...), noFiles},
		{"admin payout list --status", "q", []string{"queued"}, noFiles},
		{"admin network resume", "Eth", []string{"Ethereum"}, noFiles},
		{"admin seed create --out", "", nil, files},
		{"config --data-dir", "", nil, dirs},
		{"man", "", nil, dirs},
		{"completion", "", []string{"bash", "zsh", "fish"}, noFiles},
	} {
		offered, directive := completions(t, c.line, c.word)
		for _, name := range c.offered {
			require.Contains(t, offered, name, c.line)
		}
		if c.offered == nil {
			require.Empty(t, offered, c.line)
		}
		require.Equal(t, c.directive, directive, c.line)
	}
}

// A value given already is not offered again, and every offer begins with the given letters.
func TestCompletionOffersWhatFits(t *testing.T) {
	t.Parallel()
	offered, _ := completions(t, "admin key create --scopes", "payin:read,")
	require.Len(t, offered, len(pay.Scopes)-1)
	require.NotContains(t, offered, "payin:read,payin:read")
	offered, _ = completions(t, "sandbox mine --network", "T")
	require.False(t, slices.ContainsFunc(offered, func(name string) bool { return !strings.HasPrefix(name, "T") }), offered)
}

// Each shell on this machine can read its script.
func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for _, shell := range completion.Shells {
		code, script, stderr := call(t, "completion", shell)
		require.Equal(t, command.ExitOK, code, stderr)
		require.Contains(t, script, "causeway", shell)
		require.Contains(t, script, "__complete", shell)
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		check := exec.CommandContext(t.Context(), shell, "-n")
		check.Stdin = strings.NewReader(script)
		out, err := check.CombinedOutput()
		require.NoError(t, err, "%s: %s", shell, out)
	}
	code, _, stderr := call(t, "completion", "csh")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "csh")
}
