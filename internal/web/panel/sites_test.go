package panel_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"causeway/internal/pay"
	"causeway/internal/people"
	"causeway/internal/store"
)

// A developer names sites for the payers' pages, twenty at most. Another merchant's are others.
func TestSitesThatShowPayersPages(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, eve := f.member(f.shop, "ann@example.com", people.Developer), f.member(f.shop, "eve@example.com", people.Viewer)
	bob := f.member(f.other, "bob@example.com", people.Owner)
	for site, want := range map[string]string{
		"http://shop.example": "without a path", "https://shop.example/": "without a path", "": "without a path",
		"https://Bücher.example:443": "https://xn--bcher-kva.example shows the payers",
	} {
		if _, page := ann.do("look/sites", "site", site); !strings.Contains(page, want) {
			t.Errorf("%q is answered %s", site, page)
		}
	}
	if _, page := ann.do("look/sites", "site", "https://xn--bcher-kva.example"); !strings.Contains(page, "shows the pages already") {
		t.Errorf("once more: %s", page)
	}
	_, page := ann.get("look")
	for _, want := range []string{"https://xn--bcher-kva.example", "https://pay.test/pay/embed.js", "https://pay.test/pay/files/abc/embed.js", "look/sites/remove"} {
		if !strings.Contains(page, want) {
			t.Errorf("a developer's page lacks %s", want)
		}
	}
	if _, page := eve.get("look"); !strings.Contains(page, "https://xn--bcher-kva.example") || strings.Contains(page, "look/sites") {
		t.Errorf("a viewer sees %s", page)
	}
	if code, _ := bob.do("look/sites/remove", "site", "https://xn--bcher-kva.example"); code != http.StatusNotFound {
		t.Errorf("another merchant removes it: %d", code)
	}
	if l, err := f.panelStore.LookOf(t.Context(), f.other); err != nil || l != (pay.Look{}) {
		t.Errorf("the other's look is %+v, %v", l, err)
	}
	for n := range 19 {
		_, err := store.New(f.db).AddSite(t.Context(), f.shop, fmt.Sprintf("https://s%d.example", n))
		f.must(err)
	}
	if _, page := ann.do("look/sites", "site", "https://one.more.example"); !strings.Contains(page, "at most 20 sites") {
		t.Errorf("the last of many is answered %s", page)
	}
	for n := range 19 {
		_, err := store.New(f.db).DropSite(t.Context(), f.shop, fmt.Sprintf("https://s%d.example", n))
		f.must(err)
	}
	long := "." + strings.Repeat(strings.Repeat("a", 60)+".", 3) + "example"
	for n := range 10 {
		_, err := store.New(f.db).AddSite(t.Context(), f.shop, fmt.Sprintf("https://s%d%s", n, long))
		f.must(err)
	}
	if _, page := ann.do("look/sites", "site", "https://s10"+long); !strings.Contains(page, "more than 2000 characters") {
		t.Errorf("too much is answered %s", page)
	}
	for n := range 10 {
		_, err := store.New(f.db).DropSite(t.Context(), f.shop, fmt.Sprintf("https://s%d%s", n, long))
		f.must(err)
	}
	f.must(store.New(f.db).SetLook(t.Context(), f.shop, pay.Look{Colour: "0f766e"}))
	if l, err := f.panelStore.LookOf(t.Context(), f.shop); err != nil || l != (pay.Look{Colour: "0f766e", Sites: "https://xn--bcher-kva.example"}) {
		t.Errorf("the look is %+v, %v", l, err)
	}
	if _, page := ann.do("look/sites/remove", "site", "https://xn--bcher-kva.example"); !strings.Contains(page, "no more") {
		t.Errorf("removing is answered %s", page)
	}
	if l, err := f.panelStore.LookOf(t.Context(), f.shop); err != nil || l != (pay.Look{Colour: "0f766e"}) {
		t.Errorf("the look is then %+v, %v", l, err)
	}
	if _, page := ann.get("audit"); !strings.Contains(page, "site.add") || !strings.Contains(page, "site.remove") {
		t.Errorf("the audit shows %s", page)
	}
}
