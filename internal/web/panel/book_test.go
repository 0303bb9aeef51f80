package panel_test

import (
	"net/http"
	"strings"
	"testing"

	"causeway/internal/people"
)

// older makes every address of the books a day older.
func (f *floor) older() {
	f.Helper()
	_, err := f.db.NewRaw("update panel_book set added_at = added_at - interval '1 day'").Exec(f.Context())
	f.must(err)
}

// An address is added with a code, offered a day later, and put into the withdrawal with its memo. Another merchant's is not there.
func TestTheAddressBook(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann, eve := f.member(f.shop, "ann@example.com", people.Finance), f.member(f.other, "eve@example.com", people.Owner)
	add := []string{"name", "Exchange", "network", "Tron", "wallet", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", "memo", "12345678"}
	if _, page := ann.do("book", add...); !strings.Contains(page, "login code is needed") {
		t.Errorf("without a code adding is answered %s", page)
	}
	ann.coded()
	eve.coded()
	for want, wrong := range map[string][]string{
		"no address": {"name", "x", "network", "Tron", "wallet", "short"}, "1 to 100 characters": {"network", "Tron", "wallet", add[5]},
		"can be withdrawn to in a day": add,
	} {
		if _, page := ann.do("book", wrong...); !strings.Contains(page, want) {
			t.Errorf("adding is answered %s, not %q", page, want)
		}
	}
	if _, page := ann.do("book", add...); !strings.Contains(page, "in the book already") {
		t.Errorf("adding again is answered %s", page)
	}
	mine, err := f.panelStore.Book(t.Context(), f.shop)
	f.must(err)
	id := mine[0].ID.String()
	if _, page := ann.get("withdraw"); strings.Contains(page, id) {
		t.Error("a new address is offered")
	}
	f.older()
	if _, page := ann.get("withdraw"); !strings.Contains(page, id) {
		t.Errorf("an older address is not offered: %s", page)
	}
	if _, page := eve.get("withdraw"); strings.Contains(page, id) {
		t.Error("another merchant's address is offered")
	}
	chosen := []string{"what", "USDT|Tron", "amount", "5", "book", id}
	if got, page := ann.do("withdraw/check", chosen...); got != http.StatusOK || hidden(page, "wallet") != add[5] || hidden(page, "memo") != add[7] {
		t.Errorf("the chosen address is answered %d %s", got, page)
	}
	if _, page := ann.do("withdraw/check", append(chosen, "wallet", add[5])...); !strings.Contains(page, "not both") {
		t.Errorf("two addresses are answered %s", page)
	}
	if _, page := ann.do("withdraw/check", "what", "USDT|Ethereum", "amount", "5", "book", id); !strings.Contains(page, "is an address on Tron") {
		t.Errorf("another network is answered %s", page)
	}
	if _, page := eve.do("withdraw/check", chosen...); !strings.Contains(page, "not in the address book") {
		t.Errorf("another merchant's choice is answered %s", page)
	}
	if got, _ := eve.do("book/" + id + "/remove"); got != http.StatusNotFound {
		t.Errorf("another merchant removes it: %d", got)
	}
	if _, page := ann.do("book/" + id + "/remove"); !strings.Contains(page, "was removed") {
		t.Errorf("removing is answered %s", page)
	}
	if _, page := ann.do("withdraw/check", chosen...); !strings.Contains(page, "not in the address book") {
		t.Errorf("a removed address is answered %s", page)
	}
}

// The rule of the book is an owner's, holds at once, and for a day after it was taken off.
func TestTheRuleOfTheBook(t *testing.T) {
	t.Parallel()
	f := open(t)
	ann := f.member(f.shop, "ann@example.com", people.Owner)
	ann.coded()
	only := func() bool {
		t.Helper()
		rule, err := f.panelStore.BookRuleOf(t.Context(), f.shop)
		f.must(err)
		return rule.BookOnly
	}
	if only() {
		t.Error("a rule that nobody has set holds")
	}
	if _, page := ann.do("book/rule", "only", "1"); !strings.Contains(page, "of the book only") || !only() {
		t.Errorf("setting the rule is answered %s", page)
	}
	for range 2 {
		if _, page := ann.do("book/rule"); !strings.Contains(page, "ends in a day") || !only() {
			t.Errorf("taking the rule off is answered %s", page)
		}
		_, err := f.db.NewRaw("update panel_rules set loosened_at = loosened_at - interval '12 hours'").Exec(t.Context())
		f.must(err)
	}
	if only() {
		t.Error("the rule holds after its day")
	}
	ann.do("book/rule", "only", "1")
	if !only() {
		t.Error("the rule set again does not hold")
	}
	other, err := f.panelStore.BookRuleOf(t.Context(), f.other)
	if err != nil || other.BookOnly {
		t.Errorf("the other merchant has the rule: %v", err)
	}
}
