package checkout_test

import (
	"strings"
	"testing"

	"causeway/internal/pay"
	"causeway/internal/web/checkout"
)

// Payers' pages show the logo, the colour and the support address of the merchant, from addresses that name their content.
func TestTheLookOfAMerchant(t *testing.T) {
	t.Parallel()
	d, q, path := choosing(t)
	q.offered.Look = pay.Look{Logo: "abc123", Colour: "0f766e", Support: "help@shop.example"}
	link, l := tea(t)
	l.offered.Look = pay.Look{Support: "https://shop.example/help?a=1"}
	refund, p, promise := refundingDesk(t)
	p.promised.Look = q.offered.Look
	d.exec("insert into merchant_logos (merchant_id, hash, content) values (?, 'abc123', 'picture')", d.merchant)
	d.exec("insert into merchant_looks (merchant_id, logo, colour, support) values (?, 'abc123', '0f766e', 'help@shop.example')", d.merchant)
	_, request := d.ask("GET", path, "")
	_, linked := link.ask("GET", checkout.LinkPrefix+"tea", "")
	_, refunded := refund.ask("GET", promise, "")
	payin := d.page(d.payin(order{}), "en")
	for name, c := range map[string]struct {
		page string
		want []string
	}{
		"a payin":   {payin, []string{`src="look/abc123.png"`, `href="look/0f766e.css"`, `href="mailto:help@shop.example"`, "Questions? Contact Café &amp; Sons"}},
		"a request": {request, []string{`src="../look/abc123.png"`, `href="../look/0f766e.css"`, `href="mailto:help@shop.example"`}},
		"a refund":  {refunded, []string{`src="../look/abc123.png"`, `href="../look/0f766e.css"`, `href="mailto:help@shop.example"`, "Refund from <b><bdi>Café &amp; Sons"}},
		"a link":    {linked, []string{`href="https://shop.example/help?a=1"`}},
	} {
		for _, want := range c.want {
			if !strings.Contains(c.page, want) {
				t.Errorf("%s lacks %s: %s", name, want, c.page)
			}
		}
	}
	if strings.Contains(linked, "look/") {
		t.Errorf("a merchant without a logo shows %s", linked)
	}
	for name, c := range map[string]struct {
		status      int
		kind, holds string
	}{
		"abc123.png": {200, "image/png", "picture"}, "0f766e.css": {200, "text/css; charset=utf-8", "--accent: #"}, "abc124.png": {404, "text/html; charset=utf-8", ""},
		"0F766E.css": {404, "text/html; charset=utf-8", ""}, "red.css": {404, "text/html; charset=utf-8", ""}, "abc123.svg": {404, "text/html; charset=utf-8", ""},
		"%230f766e.css": {404, "text/html; charset=utf-8", ""}, "0f766e%7D.css": {404, "text/html; charset=utf-8", ""},
	} {
		response, body := d.ask("GET", checkout.LookPrefix+name, "")
		h := response.Header
		if response.StatusCode != c.status || h.Get("Content-Type") != c.kind || !strings.Contains(body, c.holds) || h.Get("X-Content-Type-Options") != "nosniff" ||
			strings.Contains(h.Get("Cache-Control"), "immutable") != (c.status == 200) {
			t.Errorf("%s: %d %v %.80s", name, response.StatusCode, h, body)
		}
	}
}
