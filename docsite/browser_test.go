package docsite_test

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"causeway/internal/browser"
)

// The pages are read in a browser: their style holds under their policy, and nothing is complained about.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(site())
	t.Cleanup(server.Close)
	page := browser.Open(t).Page(browser.Screen{Width: 380, Height: 800})
	for _, path := range []string{"/docs", "/docs/reference", "/docs/errors", "/docs/webhooks", "/docs/going-live"} {
		page.Visit(server.URL + path)
		require.Empty(t, page.Problems(), path)
		require.Equal(t, true, page.Eval(`performance.getEntriesByType("resource").every(r => r.name.startsWith(location.origin))`), path)
		require.Equal(t, true, page.Eval(`document.documentElement.scrollWidth <= innerWidth`), "%s is wider than the screen", path)
		require.Equal(t, "flex", page.Eval(`getComputedStyle(document.querySelector("header nav")).display`), path)
	}
}
