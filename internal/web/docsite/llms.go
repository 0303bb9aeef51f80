package docsite

import (
	"fmt"
	"strings"
)

// llms is the site in one text, in the form of llms.txt: its contents, with addresses.
func (d *document) llms(base string, guides []guide) string {
	var out strings.Builder
	fmt.Fprintf(&out, "# %s\n\n> Self-hosted crypto payments over JSON: payins, payouts, balances and fixed wallets.\n\n%s\n\n## Guides\n\n", d.Info.Title, d.Info.Description)
	for _, g := range guides {
		fmt.Fprintf(&out, "- [%s](%s%s/%s.md)\n", g.Title, base, Prefix, g.Slug)
	}
	fmt.Fprintf(&out, "\n## Tools\n\n`causeway mcp --url %s` serves reads and dry runs of this API by the Model Context Protocol, over standard input and output: balances, statements, payins, payment requests, payment links, refunds, payouts, fixed wallets, prices and webhooks. Its key is in CAUSEWAY_KEY.\n", base)
	fmt.Fprintf(&out, "\n## Reference\n\n- [OpenAPI 3.1 document](%s/openapi.json)\n- [Reference](%s%s/reference)\n- [Error codes](%s%s/errors)\n- [Postman collection](%s%s)\n- [Everything in one text](%s%s)\n\n## Operations\n\n",
		base, base, Prefix, base, Prefix, base, Postman, base, Full)
	for _, tag := range d.Tags {
		for _, o := range d.tagged(tag.Name) {
			fmt.Fprintf(&out, "- `%s %s` (%s): %s\n", o.method, o.path, o.scopes(), o.Summary)
		}
	}
	return out.String()
}
