package integratorcmd

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/cli/command"
	"causeway/internal/cli/commandtest"
)

// arguments are some for each tool.
var arguments = map[string]map[string]any{
	"get_balances": {}, "list_statements": {"direction": "in"}, "summarize_statements": {}, "get_summary": {},
	"list_payins": {"status": "pending"}, "check_payin": {"reference": "order-2026-0001"}, "list_payouts": {}, "check_payout": {"reference": "x"},
	"rehearse_payouts": {"payouts": []any{map[string]any{"reference_id": "r-1", "wallet": "w", "crypto_currency": "USDT", "network": "Tron",
		"process_by": "crypto_amount", "crypto_amount": "5", "feetakenfromamount": 0, "webhook_url": "https://a.example"}}},
	"check_payment_request": {"reference": "invoice-1"}, "list_fixed_wallets": {}, "get_price": {"currency1": "USDT", "currency2": "USD"},
	"get_quote":          {"operation": "payout", "network": "Tron", "token": "USDT", "amount": "5"},
	"validate_address":   {"network": "Tron", "wallet": "w"},
	"list_payment_links": {"status": "open"}, "check_payment_link": {"reference": "tea"},
	"list_payin_refunds": {"payin": "order-2026-0001"}, "check_refund": {"reference": "refund-1"},
	"list_webhook_deliveries": {}, "get_webhook_delivery": {"id": "d-1"},
}

// Every request of every tool is a read, or says that it is a dry run.
//
// Covers operator §Trying out an integration: mcp
func TestToolsChangeNothing(t *testing.T) {
	t.Parallel()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.RequestURI())
		_, _ = io.WriteString(w, `{"dry_run":true,"results":[{}],"payment_request":{"reference_id":"invoice-1","customer_email":"ann@example.com"},
			"refund":{"status":"open","refund_url":"https://pay.example.com/pay/refund/secret"},
			"refunds":[{"refund_url":"https://pay.example.com/pay/refund/secret"},{"refund_url":"https://pay.example.com/pay/refund/secret"}]}`)
	}))
	defer server.Close()
	api, err := client.New(client.Config{BaseURL: server.URL, Key: "k"})
	require.NoError(t, err)
	ours, theirs := mcp.NewInMemoryTransports()
	_, err = Assistant(api, "test").Connect(t.Context(), ours, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), theirs, nil)
	require.NoError(t, err)
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, len(arguments))
	for _, tool := range tools.Tools {
		require.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
		require.Contains(t, arguments, tool.Name)
		asked = nil
		answer, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments[tool.Name]})
		require.NoError(t, err, tool.Name)
		require.Len(t, asked, 1, "%s %v", tool.Name, answer.Content)
		text, _ := answer.Content[0].(*mcp.TextContent)
		require.NotContains(t, text.Text, "ann@example.com", tool.Name)
		require.NotContains(t, text.Text, "secret", tool.Name)
		if asked[0] != "POST /v1/payout?dry_run=1" {
			require.Equal(t, "GET ", asked[0][:4], tool.Name)
		}
	}
}

// The guide names every tool and no other.
func TestTheGuideNamesEveryTool(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../../docs/guides/assistant.md")
	require.NoError(t, err)
	var named []string
	for _, match := range regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`").FindAllStringSubmatch(string(guide), -1) {
		named = append(named, match[1])
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(arguments)), named)
}

// Covers operator §Trying out an integration: mcp
func TestMCPRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		environ, args []string
		says          string
	}{
		"no key":         {nil, []string{"mcp", "--url", "https://pay.example.com"}, "CAUSEWAY_KEY"},
		"no address":     {[]string{"CAUSEWAY_KEY=k"}, []string{"mcp", "--data-dir", dir}, "--url"},
		"a wrong one":    {[]string{"CAUSEWAY_KEY=k"}, []string{"mcp", "--url", "nowhere"}, "not an address"},
		"a path of none": {[]string{"CAUSEWAY_KEY=k"}, []string{"mcp", "--url", "https://pay.example.com?x=1"}, "not the base URL"},
	} {
		run := commandtest.Runner(func(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
			l := command.New(c.environ, stdout, stderr)
			return l.Run(ctx, l.Tree("", MCP(l, "test")), args)
		})
		code, out, said := run.Call(t, c.args...)
		require.NotEqual(t, command.ExitOK, code, name)
		require.Empty(t, out, name)
		require.Contains(t, said, c.says, name)
	}
}
