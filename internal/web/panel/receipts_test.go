package panel_test

import (
	"strings"
	"testing"

	"causeway/internal/people"
)

// An owner switches receipts on and off. Another merchant has its own switch, and a developer has none.
func TestReceiptsAreSwitched(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, dev := f.member(f.shop, "ann@example.com", people.Owner), f.member(f.shop, "dev@example.com", people.Developer)
	if _, page := dev.get("look"); !strings.Contains(page, "Receipts by e-mail") || strings.Contains(page, "look/receipts") {
		t.Errorf("a developer sees %s", page)
	}
	for _, on := range []bool{true, false, true} {
		fields, said := []string(nil), "sent no receipts"
		if on {
			fields, said = []string{"on", "on"}, "sent receipts from now on"
		}
		if _, page := ann.do("look/receipts", fields...); !strings.Contains(page, said) {
			t.Errorf("%v is answered %s", on, page)
		}
		if now, err := f.panelStore.Receipts(t.Context(), f.shop); err != nil || now != on {
			t.Errorf("receipts are %v, %v", now, err)
		}
	}
	if _, page := ann.do("look", "colour", "#0f766e"); !strings.Contains(page, "look so from now on") {
		t.Errorf("saving is answered %s", page)
	}
	if now, err := f.panelStore.Receipts(t.Context(), f.shop); err != nil || !now {
		t.Errorf("a new look has switched receipts off: %v", err)
	}
	if now, err := f.panelStore.Receipts(t.Context(), f.other); err != nil || now {
		t.Errorf("the other's are %v, %v", now, err)
	}
	if _, page := ann.get("look"); !strings.Contains(page, "Send no receipts") {
		t.Errorf("an owner sees %s", page)
	}
	if _, page := ann.get("audit"); strings.Count(page, "receipts.set") < 3 {
		t.Errorf("the audit shows %s", page)
	}
}
