package docsite_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/dev/browser"
)

// The pages are read in a browser: their style holds under their policy, and nothing is complained about.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(site())
	t.Cleanup(server.Close)
	page := browser.Open(t).Page(browser.Screen{Width: 390, Height: 844})
	for _, path := range []string{"/docs", "/docs/reference", "/docs/reference/payouts", "/docs/reference/webhook-events", "/docs/errors", "/docs/webhooks", "/docs/going-live",
		"/docs/search?q=payout"} {
		page.Visit(server.URL + path)
		require.Empty(t, page.Problems(), path)
		require.Equal(t, true, page.Eval(`performance.getEntriesByType("resource").every(r => r.name.startsWith(location.origin))`), path)
		require.Equal(t, true, page.Eval(`document.documentElement.scrollWidth <= innerWidth`), "%s is wider than the screen", path)
		require.Equal(t, true, page.Eval(`[...document.querySelectorAll("table")].every(t => t.scrollWidth <= t.clientWidth)`), "a table of %s scrolls", path)
		require.Equal(t, "flex", page.Eval(`getComputedStyle(document.querySelector("header form")).display`), path)
		if dir := os.Getenv("PAGES_OUT"); dir != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "docs"+strings.NewReplacer("/", "-", "?", "-").Replace(path)+".png"), page.Picture(), 0o600))
		}
	}
}
