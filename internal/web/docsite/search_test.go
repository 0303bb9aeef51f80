package docsite_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Covers operator §Roles: The API's port has the documentation
func TestSearch(t *testing.T) {
	t.Parallel()
	h := site()
	links := regexp.MustCompile(`(?s)<ul class="found">(.*?)</ul>`)
	for query, first := range map[string]string{
		"duplicate_payment_reference": "/docs/errors#item-duplicate_payment_reference",
		"payment_reversed":            "/docs/reference/webhook-events#event-payment_reversed",
		"LIST-PAYOUT":                 "/docs/reference/payouts#listPayouts",
		"verify webhook python":       "/docs/webhooks",
	} {
		body := get(t, h, "/docs/search?q="+url.QueryEscape(query)).Body.String()
		found := links.FindString(body)
		require.Contains(t, found, `<a href="`+first+`"`, query)
	}
	for query, want := range map[string]string{
		"": "Enter a path", "nowhere-to-be-found": "No page contains all the words", "<script>alert(1)</script>": "&lt;script&gt;", strings.Repeat("zqj ", 500): "No page contains",
		"%ff\x00": "No page contains",
	} {
		w := get(t, h, "/docs/search?q="+url.QueryEscape(query))
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), want)
		require.NotContains(t, w.Body.String(), "<script>")
	}
}
