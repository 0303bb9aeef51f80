package message

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A mail writes the texts of merchants and payers as text, and a link of another scheme as none.
func TestTextsOfAMailAreTexts(t *testing.T) {
	t.Parallel()
	const markup = `x"'><i data-attack onfocus=alert(1)>{{.}}`
	out, err := Write(markup, "https://pay.example/panel/account", []Line{{Title: markup, Text: markup, Merchant: markup, Link: "javascript:alert(1)"}})
	require.NoError(t, err)
	require.NotContains(t, out.HTML, "<i data-attack")
	require.NotContains(t, out.HTML, `href="javascript:`)
	require.GreaterOrEqual(t, strings.Count(out.HTML, "&lt;i data-attack"), 4)
}
