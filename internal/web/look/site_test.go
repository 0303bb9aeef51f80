package look_test

import (
	"strings"
	"testing"

	"causeway/internal/web/look"
)

// An origin is read in the spelling of browsers, and nothing else is taken for one.
func TestReadSite(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	for text, want := range map[string]string{
		"https://shop.example": "https://shop.example", "HTTPS://Shop.Example": "https://shop.example", "https://shop.example:443": "https://shop.example",
		"https://shop.example:8443": "https://shop.example:8443", "https://bücher.example": "https://xn--bcher-kva.example",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example", "https://例え.jp": "https://xn--r8jz45g.jp", "https://a-b.c1.example": "https://a-b.c1.example",
		"http://localhost": "http://localhost", "http://localhost:3000": "http://localhost:3000", "http://localhost:80": "http://localhost",
		"https://localhost:3000": "https://localhost:3000", "https://" + label + ".example": "https://" + label + ".example",
	} {
		if site, ok := look.ReadSite(text); !ok || site != want {
			t.Errorf("%q is read as %q, %v", text, site, ok)
		}
	}
	for _, text := range []string{"", "shop.example", "//shop.example", "http://shop.example", "ftp://shop.example", "javascript://shop.example", "null", "*", "https://*",
		"https://", "https://*.shop.example", "https://shop.example/", "https://shop.example/cart", "https://shop.example?a", "https://shop.example#", "https://a@shop.example",
		"https://a:b@shop.example", "https://shop", "https://.example", "https://shop..example", "https://shop.example.", "https://shop_1.example", "https://shop.example:",
		"https://shop.example:0", "https://shop.example:0443", "https://shop.example:65536", "https://shop.example:x", "https://1.2.3.4", "https://[::1]", "https://shop.0x7f",
		"http://127.0.0.1", "http://localhost.example", "http://localhost.", "https://shop.example 'unsafe-inline'", "https://shop.example;script-src *", "https://shop.example, b",
		"https://shop.example\nhttps://b.example", "https://-shop.example", "https://xn--a.example", "https://a" + label + ".example", "https://shop.example\\@b.example",
		"https://shop%2eexample.example", " https://shop.example", "https:/shop.example", "https://" + strings.Repeat(label+".", 4) + "example"} {
		if site, ok := look.ReadSite(text); ok {
			t.Errorf("%q is read as %q", text, site)
		}
	}
}
