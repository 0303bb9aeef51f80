package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"causeway/client"
)

// TestMCP is an assistant beside causeway dev: it reads, and rehearses a payout that is not made.
//
// Covers operator §Trying out an integration: causeway mcp
// Covers operator §Trying out an integration: mcp
func TestMCP(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks)
	reads := i.assistant()
	balances := &client.Balances{}
	i.called(reads, "get_balances", nil, balances)
	require.Equal(t, "10000.00000000", balances.Available["USDT"])
	payouts := map[string]any{"payouts": []client.Payout{{ReferenceID: "rehearsed", Wallet: "TNDFkUNA2TukukC1Moeqj61pAS53NFchGF", CryptoCurrency: "USDT",
		Network: "Tron", ProcessBy: client.ByCrypto, CryptoAmount: "5", WebhookURL: i.receiver.url}}}
	require.Contains(t, i.refusedTool(reads, "rehearse_payouts", payouts), "scope_denied")
	require.Contains(t, i.refusedTool(reads, "check_payout", map[string]any{"reference": "01a22101-d4a7-7bec-8e20-6558679a9af7"}), "record_not_found")

	pays := i.assistant("CAUSEWAY_KEY=" + i.file().APIKey)
	would := &client.PayoutResults{}
	i.called(pays, "rehearse_payouts", payouts, would)
	require.True(t, would.DryRun)
	require.Equal(t, "5", would.Results[0].CryptoAmount)
	made := &client.PayoutList{}
	i.called(pays, "list_payouts", map[string]any{"reference_id": "rehearsed"}, made)
	require.Empty(t, made.Payments)
	i.called(reads, "get_balances", nil, balances)
	require.Equal(t, "10000.00000000", balances.Available["USDT"])
}

// assistant runs `causeway mcp` as assistants do: as a process, over its standard input and output.
func (i *installation) assistant(environ ...string) *mcp.ClientSession {
	i.t.Helper()
	process := exec.CommandContext(i.t.Context(), os.Args[0], "mcp", "--data-dir", i.dir)
	process.Env = append(append(os.Environ(), asCauseway+"=1"), environ...)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(i.t.Context(), &mcp.CommandTransport{Command: process}, nil)
	require.NoError(i.t, err)
	i.t.Cleanup(func() { _ = session.Close() })
	return session
}

// called calls a tool, and reads its answer.
func (i *installation) called(session *mcp.ClientSession, name string, arguments map[string]any, out any) {
	i.t.Helper()
	failed, text := i.toolSays(session, name, arguments)
	require.False(i.t, failed, text)
	require.NoError(i.t, json.Unmarshal([]byte(text), out))
}

// refusedTool calls a tool that is refused, and returns why.
func (i *installation) refusedTool(session *mcp.ClientSession, name string, arguments map[string]any) string {
	i.t.Helper()
	failed, text := i.toolSays(session, name, arguments)
	require.True(i.t, failed, text)
	return text
}

func (i *installation) toolSays(session *mcp.ClientSession, name string, arguments map[string]any) (failed bool, text string) {
	i.t.Helper()
	answer, err := session.CallTool(i.t.Context(), &mcp.CallToolParams{Name: name, Arguments: arguments})
	require.NoError(i.t, err)
	require.Len(i.t, answer.Content, 1)
	content, ok := answer.Content[0].(*mcp.TextContent)
	require.True(i.t, ok)
	return answer.IsError, content.Text
}
