package panel_test

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"causeway/internal/pay"
	"causeway/internal/people"
)

// An owner gives the payers' pages a logo, a colour and an address to ask at. Another merchant has none of it.
func TestTheLookOfPayersPages(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, eve, bob := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.shop, "eve@example.com", people.Finance), f.member(f.other, "bob@example.com", people.Owner)
	var picture bytes.Buffer
	f.must(png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 40, 20))))
	for file, want := range map[string]string{"<svg/>": "must be PNG, JPEG or WebP", strings.Repeat("x", 64<<10+1): "larger than 64 KiB", picture.String(): "The logo was added"} {
		if _, page := ann.uploads("look", "/logo", file); !strings.Contains(page, want) {
			t.Errorf("%.20q is answered %s", file, page)
		}
	}
	kept, err := f.panelStore.Logos(t.Context(), f.shop)
	f.must(err)
	if len(kept) != 1 {
		t.Fatalf("kept %q", kept)
	}
	if _, page := eve.get("look"); !strings.Contains(page, "/pay/look/"+kept[0]+".png") || strings.Contains(page, "/remove") || strings.Contains(page, "Save") {
		t.Errorf("finance sees %s", page)
	}
	for want, fields := range map[string][]string{
		"#rrggbb": {"colour", "red"}, "must be an e-mail address": {"support", "javascript:alert(1)"}, "or the address of a page": {"support", "a@b.example?bcc=c@d.example"},
		"there is no such logo": {"logo", "abc"},
	} {
		if _, page := ann.do("look", fields...); !strings.Contains(page, want) {
			t.Errorf("%q is answered %s", fields, page)
		}
	}
	if _, page := bob.do("look", "logo", kept[0]); !strings.Contains(page, "there is no such logo") {
		t.Errorf("another merchant shows it: %s", page)
	}
	if _, page := ann.do("look", "logo", kept[0], "colour", "#0F766E", "support", "help@shop.example"); !strings.Contains(page, "look so from now on") {
		t.Errorf("saving is answered %s", page)
	}
	if l, err := f.panelStore.LookOf(t.Context(), f.shop); err != nil || l != (pay.Look{Logo: kept[0], Colour: "0f766e", Support: "help@shop.example"}) {
		t.Errorf("the look is %+v, %v", l, err)
	}
	if l, err := f.panelStore.LookOf(t.Context(), f.other); err != nil || l != (pay.Look{}) {
		t.Errorf("the other's look is %+v, %v", l, err)
	}
	if code, _ := bob.do("look/logo/" + kept[0] + "/remove"); code != http.StatusNotFound {
		t.Errorf("another merchant removes it: %d", code)
	}
	if _, page := ann.do("look/logo/" + kept[0] + "/remove"); !strings.Contains(page, "was removed") {
		t.Errorf("removing is answered %s", page)
	}
	if l, err := f.panelStore.LookOf(t.Context(), f.shop); err != nil || l.Logo != "" || l.Colour != "0f766e" {
		t.Errorf("the look is then %+v, %v", l, err)
	}
}
