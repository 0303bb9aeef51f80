package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/client"
	"causeway/internal/cli/integratorcmd"
)

// inbox returns the deliveries received under a name of the inbox, and whether each was verified.
func (i *installation) inbox(name string) map[string]bool {
	i.t.Helper()
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, i.file().InboxURL+"/"+name, http.NoBody)
	require.NoError(i.t, err)
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	require.NoError(i.t, err)
	defer func() { _ = response.Body.Close() }()
	var all []struct {
		Delivery string `json:"delivery"`
		Verified bool   `json:"verified"`
	}
	require.NoError(i.t, json.NewDecoder(response.Body).Decode(&all))
	verified := map[string]bool{}
	for _, r := range all {
		verified[r.Delivery] = r.Verified
	}
	return verified
}

// TestCommandsBesideDevUseItsHeaders: dev was started with another prefix; their own environment does not have it.
//
// Covers operator §dev: All other commands take
func TestCommandsBesideDevUseItsHeaders(t *testing.T) {
	t.Parallel()
	i := install(t, quickBlocks, "HEADER_PREFIX=X-Acme")
	require.Equal(t, "X-Acme", i.file().HeaderPrefix)
	i.settings = nil
	var event integratorcmd.Triggered
	require.NoError(t, json.Unmarshal([]byte(i.command("trigger", client.PaymentConfirmed)), &event))
	var test integratorcmd.TestedWebhook
	require.NoError(t, json.Unmarshal([]byte(i.command("webhook", "test", "--merchant", i.file().MerchantID, "--url",
		i.file().InboxURL+"/test")), &test))
	require.Equal(t, map[string]bool{test.Delivery: true}, i.inbox("test"))
}
